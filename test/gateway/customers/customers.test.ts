import { addCustomer, editCustomer, removeCustomer } from '../../../gateway/customers/manage-customers';
import { Refusal } from '../../../gateway/errors';
import { addLine, type EnteredLine } from '../../../gateway/lines/add-line';
import { editLine } from '../../../gateway/lines/edit-line';
import { forgetContact } from '../../../gateway/lines/forget';
import { validGrants } from '../../../gateway/rights/grants';
import { ROLES, type Role } from '../../../gateway/rights/roles';
import { type Actor } from '../../../gateway/store/tables/audit';
import { type CustomerRow } from '../../../gateway/store/tables/customers';
import { type LineRow } from '../../../gateway/store/tables/lines';
import { type UserRow } from '../../../gateway/store/tables/users';
import { type AuditedDeps } from '../../../gateway/store/with-audit';
import { createVault } from '../../../gateway/store/vault';
import {
  addUser,
  changeRole,
  removeUser,
  replaceLink,
  resetPassword,
  usersSeenBy,
} from '../../../gateway/users/manage-users';
import { setPasswordByLink } from '../../../gateway/users/own-account';
import { createLink } from '../../../gateway/users/links';
import { DATABASES } from '../../support/databases';
import { startPeer } from '../../support/http-peer';
import { addPanelUser, formTokenIn, PASSWORD } from '../../support/panel/visitor';
import { rows, write } from '../../support/rows';
import { call, sceneOf, textTo, type TestLine } from '../../support/scene';
import { openStores } from '../store/support';

const ACTOR: Actor = { who: 'a test', through: 'command', address: null };
const KEY = 'a key for tests, and for nothing else';
const MEMBER = ROLES.filter((role) => role !== 'owner');

/** The `error_code` of a refused change, with the sentences about its fields; the result of another one. */
async function resultOf<T>(change: Promise<T>): Promise<T | string[]> {
  try {
    return await change;
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return [error.errorCode, ...(error.issues ?? []).map(({ message }) => message)];
  }
}

describe.each(DATABASES)('customers on $name', ({ createUrl }) => {
  const open = openStores();
  let deps: AuditedDeps;
  let [one, other] = [] as unknown as [CustomerRow, CustomerRow];

  beforeEach(async () => {
    const store = await open(await createUrl());
    deps = {
      ...{ store, vault: createVault(KEY), registry: { refresh: async () => {} } },
      clock: () => Date.parse('2026-03-10T12:00:00.000Z'),
    };
    one = await addCustomer(deps, ACTOR, null, { name: 'One', externalId: 'crm-1' });
    other = await addCustomer(deps, ACTOR, null, { name: 'Other', externalId: null });
  });

  let users = 0;
  /** Adds a user with a role in some customers, or in all. */
  const user = (role: Role, ...customers: CustomerRow[]): Promise<UserRow> =>
    addUser(deps, ACTOR, null, {
      ...{ name: `user${++users}`, role, password: null },
      customerIds: customers.length ? customers.map(({ id }) => id) : null,
    });
  const given = (name: string, role: Role, customerIds: number[] | null) => ({
    ...{ name, role, customerIds },
    password: null,
  });
  const lastEntry = async (): Promise<unknown> => {
    const [row] = await deps.store.audit.page({}, 1);
    return row && { action: row.action, details: JSON.parse(row.details) as unknown };
  };

  test('a role can be given by those who have it there, with the right to manage people', async () => {
    const suspended = await addCustomer(deps, ACTOR, null, { name: 'Suspended', externalId: null });
    const both = await user('admin', one);
    await changeRole(deps, ACTOR, null, both, other.id, 'viewer');
    const readsAll = await user('viewer');
    await changeRole(deps, ACTOR, null, readsAll, one.id, 'admin');
    const givers: [string, UserRow, { all: Role[]; one: Role[]; other: Role[] }][] = [
      ['an owner', await user('owner'), { all: [...ROLES], one: MEMBER, other: MEMBER }],
      ['an admin of all', await user('admin'), { all: MEMBER, one: MEMBER, other: MEMBER }],
      ['a developer of all', await user('developer'), { all: [], one: [], other: [] }],
      ['an admin of one', await user('admin', one), { all: [], one: MEMBER, other: [] }],
      ['an admin of one who reads the other', both, { all: [], one: MEMBER, other: [] }],
      ['an admin of one who reads all', readsAll, { all: [], one: MEMBER, other: [] }],
      ['a developer of one', await user('developer', one), { all: [], one: [], other: [] }],
      ['an admin of a suspended one', await user('admin', suspended), { all: [], one: [], other: [] }],
    ];
    await editCustomer(deps, ACTOR, null, suspended, { isSuspended: true });
    for (const [who, by, allowed] of givers) {
      const places = { all: null, one: [one.id], other: [other.id] };
      for (const place of ['all', 'one', 'other'] as const) {
        const may: Role[] = [];
        for (const role of ROLES) {
          const name = `added${++users}`;
          const added = await resultOf(addUser(deps, ACTOR, by, given(name, role, places[place])));
          if (!Array.isArray(added)) may.push(role);
          else
            expect(added[0]).toBe(role === 'owner' && place !== 'all' ? 'invalid_payload' : 'not_permitted');
        }
        expect([who, place, may]).toEqual([who, place, allowed[place]]);
      }
    }
  });

  test('a role can be changed and taken away by those who may give it, and no one changes their own', async () => {
    const [owner, admin, ofOne] = [await user('owner'), await user('admin'), await user('admin', one)];
    const [inOne, inBoth, ofAll] = [
      await user('viewer', one),
      await user('viewer', one, other),
      await user('agent'),
    ];
    const change = async (by: UserRow, of: UserRow, customer: CustomerRow | null, role: Role | null) => {
      const changed = await resultOf(changeRole(deps, ACTOR, by, of, customer && customer.id, role));
      return Array.isArray(changed) ? changed[0] : 'changed';
    };
    expect(await change(ofOne, inOne, one, 'admin')).toBe('changed');
    expect(await lastEntry()).toEqual({
      action: 'user.role_changed',
      details: {
        user: inOne.name,
        customers: ['One'],
        changes: [{ field: 'role', from: 'viewer', to: 'admin' }],
      },
    });
    for (const [by, of, customer, role] of [
      [ofOne, inOne, other, 'viewer'],
      [ofOne, inOne, null, 'viewer'],
      [ofOne, inBoth, other, 'agent'],
      [ofOne, inBoth, other, null],
      [ofOne, ofOne, one, 'viewer'],
      [admin, owner, null, 'viewer'],
      [admin, admin, null, 'viewer'],
      [owner, owner, null, 'viewer'],
    ] as const)
      expect(await change(by, of, customer, role)).toBe('not_permitted');
    // Like users that do not exist.
    for (const unseen of [ofAll, owner]) expect(await change(ofOne, unseen, one, 'viewer')).toBe('not_found');
    expect(await resultOf(removeUser(deps, ACTOR, owner, owner))).toEqual(['not_permitted']);
    expect(await change(admin, ofAll, one, 'viewer')).toBe('changed');
    expect(await change(admin, ofAll, null, null)).toBe('changed');
    expect(await deps.store.users.find(ofAll.id)).toMatchObject({
      role: null,
      memberships: [{ customerId: one.id, customerName: 'One', role: 'viewer', isSuspended: false }],
    });
    expect(await change(admin, ofAll, null, 'owner')).toBe('not_permitted');
    expect(await resultOf(changeRole(deps, ACTOR, null, ofAll, one.id, 'owner'))).toEqual([
      'invalid_payload',
      'Owners manage the whole gateway. Choose another role for a customer.',
    ]);
    await removeUser(deps, ACTOR, null, ofAll);
    expect(await resultOf(changeRole(deps, ACTOR, null, ofAll, one.id, 'viewer'))).toEqual(['not_found']);
  });

  const owner = async (password: string | null): Promise<UserRow> =>
    addUser(deps, ACTOR, null, { ...given(`owner${++users}`, 'owner', null), password });

  test('an owner with a password always remains', async () => {
    const [last, invited] = [await owner(PASSWORD), await owner(null)];
    const changes = (of: UserRow, by: UserRow | null = null): (() => Promise<unknown>)[] => [
      () => changeRole(deps, ACTOR, by, of, null, 'admin'),
      () => changeRole(deps, ACTOR, by, of, null, null),
      () => resetPassword(deps, ACTOR, by, of, null),
      () => removeUser(deps, ACTOR, by, of),
    ];
    await changeRole(deps, ACTOR, null, last, one.id, 'viewer');
    for (const change of [...changes(last), ...changes(last, invited)])
      expect(await resultOf(change())).toEqual(['last_owner']);
    expect(await resultOf(resetPassword(deps, ACTOR, null, last, `another ${PASSWORD}`))).toBeUndefined();
    await removeUser(deps, ACTOR, null, invited);
    // Two commands at once, each of which leaves the other owner.
    for (const nth of [0, 2, 3, 0, 2, 3]) {
      for (const { id } of await deps.store.users.all())
        await deps.store.users.update(id, { role: 'viewer' });
      const two = [await owner(PASSWORD), await owner(PASSWORD)];
      const results = await Promise.all(two.map((of) => resultOf(changes(of)[nth]?.() ?? of)));
      expect([nth, results.filter(Array.isArray)]).toEqual([nth, [['last_owner']]]);
    }
  });

  test('a role elsewhere ends the link of a user who has set no password, as the manager who added them has it', async () => {
    const set = (link: string, of: UserRow) => setPasswordByLink(deps, ACTOR, link, of, PASSWORD);
    for (const [customer, given, isEnded] of [
      [one, 'agent', false],
      [other, 'viewer', true],
      [null, 'viewer', true],
    ] as const) {
      const of = await user('viewer', one);
      const link = await createLink(deps, of.id);
      const { needsLink } = await changeRole(deps, ACTOR, null, of, customer && customer.id, given);
      expect([given, needsLink, await set(link, of)]).toEqual([given, isEnded, isEnded ? null : of]);
      const next = await createLink(deps, of.id);
      // Taking it away gives nothing.
      if (customer !== one) await changeRole(deps, ACTOR, null, of, customer && customer.id, null);
      expect(await set(next, of)).toEqual(of);
      expect(await changeRole(deps, ACTOR, null, of, null, 'admin')).toMatchObject({ needsLink: false });
    }
  });

  /** The last entry about a user in the audit of a customer, without the name. */
  const lastEntryOf = async ({ id }: CustomerRow, { name }: UserRow): Promise<string[]> => {
    const entries = await deps.store.customerAudit.page(id, {}, 100);
    const entry = entries.find(({ details }) => details.includes(`"${name}"`));
    return entry ? [entry.action, entry.details.replaceAll(name, 'X')] : [];
  };

  /** Everything that an admin of a customer can do with a user of it. */
  const attempts: [string, (by: UserRow, of: UserRow) => Promise<unknown>][] = [
    ...[...ROLES, null].map((role): (typeof attempts)[number] => [
      `role ${role} in one`,
      (by, of) => changeRole(deps, ACTOR, by, of, one.id, role),
    ]),
    ['role agent in other', (by, of) => changeRole(deps, ACTOR, by, of, other.id, 'agent')],
    ['no role in other', (by, of) => changeRole(deps, ACTOR, by, of, other.id, null)],
    ['no role in none', (by, of) => changeRole(deps, ACTOR, by, of, 999, null)],
    ['role viewer in all', (by, of) => changeRole(deps, ACTOR, by, of, null, 'viewer')],
    ['no role in all', (by, of) => changeRole(deps, ACTOR, by, of, null, null)],
    ['password', (by, of) => resetPassword(deps, ACTOR, by, of, null)],
    ['link', (by, of) => replaceLink(deps, ACTOR, by, of)],
    ['removal', (by, of) => removeUser(deps, ACTOR, by, of)],
    ['a second removal', (by, of) => removeUser(deps, ACTOR, by, of)],
    ['role viewer after the removal', (by, of) => changeRole(deps, ACTOR, by, of, one.id, 'viewer')],
  ];

  test.each(MEMBER)(
    'an admin of a customer can do the same with each %s of it, and learns nothing of other roles',
    async (role) => {
      const by = await user('admin', one);
      const member = async (also: (of: UserRow) => Promise<unknown>): Promise<UserRow> => {
        const of = await user(role, one);
        await also(of);
        return (await deps.store.users.find(of.id)) as UserRow;
      };
      const people = [
        await member(async () => {}),
        await member((of) => changeRole(deps, ACTOR, null, of, other.id, 'viewer')),
        await member((of) => changeRole(deps, ACTOR, null, of, other.id, 'admin')),
        await member((of) => changeRole(deps, ACTOR, null, of, null, 'owner')),
      ];
      const others = people.map((of) => of.memberships.filter(({ customerId }) => customerId === other.id));
      const learned = [];
      for (const person of people) {
        const nameless = (value: unknown): string =>
          JSON.stringify(value, (key, field: unknown) => (key === 'id' ? 0 : field)).replaceAll(
            person.name,
            'X',
          );
        const answers: string[] = [];
        for (const [what, attempt] of attempts) {
          const answer = await resultOf(attempt(by, person));
          const seen = await usersSeenBy(deps.store, { user: by, grants: validGrants(by) });
          answers.push(
            nameless([
              what,
              answer ?? 'done',
              seen.find(({ id }) => id === person.id) ?? 'unseen',
              await lastEntryOf(one, person),
            ]),
          );
        }
        learned.push(answers);
      }
      for (const answers of learned) expect(answers).toEqual(learned[0]);
      const words = (learned[0] ?? []).map((answer) => {
        const [what, result] = JSON.parse(answer) as [string, unknown];
        return [what, Array.isArray(result) ? String(result) : 'done'];
      });
      expect(Object.fromEntries(words)).toEqual({
        ...Object.fromEntries(MEMBER.map((one) => [`role ${one} in one`, 'done'])),
        'role owner in one': expect.stringMatching(/^invalid_payload/),
        'role null in one': 'last_role',
        'role agent in other': 'not_permitted',
        'no role in other': 'not_permitted',
        'no role in none': 'not_permitted',
        'role viewer in all': 'not_permitted',
        'no role in all': 'not_permitted',
        password: 'not_permitted',
        link: 'not_permitted',
        removal: 'done',
        'a second removal': 'not_found',
        'role viewer after the removal': 'not_found',
      });
      // Of those with other roles, only the one in this customer is gone.
      const after = await Promise.all(people.map(({ id }) => deps.store.users.find(id)));
      expect(after.map((of) => of && [of.role, of.memberships])).toEqual([
        null,
        [null, others[1]],
        [null, others[2]],
        ['owner', []],
      ]);
    },
  );

  test('the audit of a customer tells no difference between a new user and one with other roles', async () => {
    const [before, added] = [await user('agent', other), await user('agent', one)];
    await changeRole(deps, ACTOR, null, before, one.id, 'agent');
    expect(await lastEntryOf(one, before)).toEqual(await lastEntryOf(one, added));
    await changeRole(deps, ACTOR, null, before, one.id, null);
    expect(await lastEntry()).toEqual({
      action: 'user.removed',
      details: { user: before.name, customers: ['One'] },
    });
    await removeUser(deps, ACTOR, null, added);
    expect(await lastEntry()).toEqual({ action: 'user.removed', details: { user: added.name } });
    expect(await lastEntryOf(one, before)).toEqual(await lastEntryOf(one, added));
    expect(await deps.store.users.find(before.id)).toMatchObject({ memberships: [{ customerId: other.id }] });
  });

  test('a manager of a customer sees its users only, and learns no name of others', async () => {
    const ofOne = await user('admin', one);
    const [inOne, inBoth, inOther] = [
      await user('viewer', one),
      await user('viewer', one, other),
      await addUser(deps, ACTOR, null, given('ben', 'viewer', [other.id])),
    ];
    const owner = await user('owner');
    const seen = async (self: UserRow) =>
      (await usersSeenBy(deps.store, { user: self, grants: validGrants(self) }))
        .map(({ id, memberships }) => [id, memberships.map(({ customerId }) => customerId)])
        .sort();
    expect(await seen(ofOne)).toEqual([ofOne, inOne, inBoth].map(({ id }) => [id, [one.id]]).sort());
    expect((await seen(owner)).map(([id]) => id)).toEqual(
      [ofOne, inOne, inBoth, inOther, owner].map(({ id }) => id).sort(),
    );
    expect(await seen(owner)).toContainEqual([inBoth.id, [one.id, other.id]]);

    const names = [];
    for (const name of ['ben', 'nobody'])
      names.push((await addUser(deps, ACTOR, ofOne, given(name, 'viewer', [one.id]))).name);
    expect(names).toEqual([
      expect.stringMatching(/^ben-[a-z0-9]{4}$/),
      expect.stringMatching(/^nobody-[a-z0-9]{4}$/),
    ]);
    const long = 'n'.repeat(60);
    expect(await resultOf(addUser(deps, ACTOR, ofOne, given(long, 'viewer', [one.id])))).toEqual([
      'invalid_payload',
      expect.stringContaining('59'),
    ]);
    // Another customer and one that does not exist get the same answer.
    const ids = [other.id, 999];
    const answers = ids.map((id) => resultOf(addUser(deps, ACTOR, ofOne, given('eve', 'viewer', [id]))));
    expect(await Promise.all(answers)).toEqual([['not_permitted'], ['not_permitted']]);
    expect(await resultOf(addUser(deps, ACTOR, owner, given('eve', 'viewer', [999])))).toEqual([
      'invalid_payload',
      'There is no such customer.',
    ]);
    expect(await resultOf(addUser(deps, ACTOR, owner, given('eve', 'viewer', [])))).toEqual([
      'invalid_payload',
      'Choose a customer.',
    ]);
  });

  test('only owners manage customers, and a customer with lines or users stays', async () => {
    const by = { owner: validGrants(await user('owner')), admin: validGrants(await user('admin')) };
    for (const work of [
      () => addCustomer(deps, ACTOR, by.admin, { name: 'New', externalId: null }),
      () => editCustomer(deps, ACTOR, by.admin, one, { name: 'New' }),
      () => removeCustomer(deps, ACTOR, by.admin, one),
    ])
      expect(await resultOf<unknown>(work())).toEqual(['not_permitted']);
    expect(
      await resultOf(addCustomer(deps, ACTOR, by.owner, { name: ' ', externalId: 'x\u200b'.repeat(50) })),
    ).toEqual(['invalid_payload', 'Enter a name.', 'An external ID has up to 80 characters.']);
    const taken = ['invalid_payload', 'Another customer has this external ID.'];
    expect(await resultOf(addCustomer(deps, ACTOR, by.owner, { name: 'New', externalId: 'crm-1' }))).toEqual(
      taken,
    );
    expect(await resultOf(editCustomer(deps, ACTOR, by.owner, other, { externalId: 'crm-1' }))).toEqual(
      taken,
    );
    // Two at once, one of which learns that the other was first.
    const third = await addCustomer(deps, ACTOR, by.owner, { name: 'Third', externalId: null });
    for (let round = 0; round < 5; round++) {
      const externalId = `crm-at-once-${round}`;
      const results = await Promise.all([
        resultOf<unknown>(editCustomer(deps, ACTOR, by.owner, third, { externalId })),
        resultOf<unknown>(editCustomer(deps, ACTOR, by.owner, other, { externalId })),
        resultOf<unknown>(addCustomer(deps, ACTOR, by.owner, { name: 'Fourth', externalId })),
      ]);
      expect(results.filter((result) => !Array.isArray(result))).toHaveLength(1);
      expect(results.filter(Array.isArray)).toEqual([taken, taken]);
    }
    await editCustomer(deps, ACTOR, by.owner, one, { name: 'One Ltd', externalId: null, isSuspended: true });
    expect(await lastEntry()).toEqual({
      action: 'customer.edited',
      details: {
        name: 'One Ltd',
        changes: [
          { field: 'name', from: 'One', to: 'One Ltd' },
          { field: 'external id', from: 'crm-1', to: null },
          { field: 'suspended', from: false, to: true },
        ],
      },
    });
    const line = await addLine(deps, ACTOR, null, entered(1, one.id), async () => ({}));
    const ana = await user('viewer', one);
    const removal = () => removeCustomer(deps, ACTOR, by.owner, one);
    await expect(removal()).rejects.toMatchObject({
      errorCode: 'customer_in_use',
      error: {
        error_data: {
          details: `This customer still has lines (Line 1) and users (${ana.name}). Move or remove them first.`,
        },
      },
    });
    await removeUser(deps, ACTOR, null, ana);
    await editLine(deps, ACTOR, null, line.row, { customerId: other.id });
    expect(await lastEntry()).toEqual({
      action: 'line.edited',
      details: { name: 'Line 1', changes: [{ field: 'customer', from: 'One Ltd', to: 'Other' }] },
    });
    // Neither customer reads the other's name.
    const lastOf = async ({ id }: { id: number }) =>
      JSON.parse((await deps.store.customerAudit.page(id, {}, 1))[0]?.details ?? '') as object;
    expect(await lastOf(one)).toEqual({
      name: 'Line 1',
      changes: [{ field: 'customer', from: 'One Ltd', to: null }],
    });
    expect(await lastOf(other)).toEqual({
      name: 'Line 1',
      changes: [{ field: 'customer', from: null, to: 'Other' }],
    });
    await removal();
    expect(await resultOf(removal())).toEqual(['invalid_payload', 'There is no such customer.']);
    expect((await deps.store.customers.all()).map(({ name }) => name)).not.toContain('One Ltd');
  });

  test('no customer is added while a process runs that knows none', async () => {
    const url = await createUrl();
    const store = await open(url);
    await write(
      url,
      `insert into processes (id, name, alive_until) values ('before', 'a', '9999-01-01T00:00:00.000Z')`,
    );
    const added = () => addCustomer({ ...deps, store }, ACTOR, null, { name: 'New', externalId: null });
    expect(await resultOf(added())).toEqual(['older_process']);
    await write(url, `update processes set alive_until = '2020-01-01T00:00:00.000Z'`);
    await store.processes.keepAlive('today', 'b', 60);
    expect(await added()).toMatchObject({ name: 'New' });
  });

  const entered = (number: number, customerId: number | null): EnteredLine => ({
    ...{ name: `Line ${number}`, phoneNumberId: `10654035224299${number}`, phoneNumber: '15550783881' },
    ...{ wabaId: '102290129340999', accessToken: 'a-token', appSecret: 'a-secret', windowMode: 'text' },
    customerId,
  });

  test('lines are added, moved and edited within the customers that the user manages', async () => {
    const ofOne = validGrants(await user('admin', one));
    const ofBoth = validGrants(await user('admin', one, other));
    const add = (by: typeof ofOne, number: number, customerId: number | null) =>
      resultOf(addLine(deps, ACTOR, by, entered(number, customerId), async () => ({})));
    const added = (await add(ofOne, 1, one.id)) as { row: LineRow };
    expect(added.row).toMatchObject({ customer_id: one.id, customer_suspended_at: null });
    expect(await add(ofOne, 2, null)).toEqual(['invalid_payload', 'Choose a customer.']);
    const unknown = ['invalid_payload', 'There is no such customer.'];
    expect([await add(ofOne, 2, other.id), await add(ofOne, 2, 999)]).toEqual([unknown, unknown]);

    // A contact is erased on the lines of the customers in which the user may do this.
    const contact = '16505551234';
    const ofOther = (await add(validGrants(await user('admin', other)), 9, other.id)) as { row: LineRow };
    const forget = async (by: typeof ofOne) => {
      for (const { row } of [added, ofOther])
        await deps.store.optOuts.add({
          line_id: row.id,
          contact,
          at: '2026-01-01T00:00:00.000Z',
          word: null,
        });
      const done = await resultOf(forgetContact(deps, ACTOR, by, contact, [contact]));
      const left = await Promise.all([added, ofOther].map(({ row }) => deps.store.optOuts.countOf(row.id)));
      return 'opt_outs' in done ? [done.opt_outs, left.map((count) => count > 0)] : done;
    };
    expect(await forget(ofOne)).toEqual([1, [false, true]]);
    expect(await forget(ofBoth)).toEqual([2, [false, false]]);
    expect(await forget(validGrants(await user('admin')))).toEqual([2, [false, false]]);
    expect(await forget(validGrants(await user('agent', one)))).toEqual(['not_permitted']);

    const edit = (by: typeof ofOne, row: LineRow, change: Parameters<typeof editLine>[4]) =>
      resultOf(editLine(deps, ACTOR, by, row, change));
    expect(await edit(ofOne, added.row, { customerId: other.id })).toEqual(unknown);
    expect(await edit(ofOne, added.row, { customerId: null })).toEqual([
      'invalid_payload',
      'Choose a customer.',
    ]);
    expect(await edit(ofBoth, added.row, { customerId: other.id })).toMatchObject({
      row: { customer_id: other.id },
    });
    const moved = (await deps.store.lines.find(added.row.id)) as LineRow;
    expect(await edit(ofOne, moved, { name: 'Mine' })).toEqual(['not_permitted']);

    // The number of a line that the user does not see.
    const elsewhere = "This phone number can't be added here. Ask the operator of the gateway.";
    const taken = 'Another line already has this phone number ID.';
    expect(await add(ofOne, 1, one.id)).toEqual(['invalid_payload', elsewhere]);
    expect(await add(ofBoth, 1, one.id)).toEqual(['invalid_payload', taken]);
    const own = (await add(ofOne, 3, one.id)) as { row: LineRow };
    const { phoneNumberId } = entered(1, null);
    expect(await edit(ofOne, own.row, { phoneNumberId })).toEqual(['invalid_payload', elsewhere]);
    expect(await edit(ofBoth, own.row, { phoneNumberId })).toEqual(['invalid_payload', taken]);
    // Two at once, one of which learns that the other was first.
    for (let round = 0; round < 5; round++) {
      const atOnce = { phoneNumberId: `1000000000000${round}` };
      const results = await Promise.all([edit(ofBoth, own.row, atOnce), edit(ofBoth, moved, atOnce)]);
      const refused = results.filter((result) => Array.isArray(result));
      expect(refused.map(([code]) => code)).toEqual(['invalid_payload']);
    }
  });
});

describe.each(DATABASES)('a suspended customer on $name', ({ createUrl }) => {
  const scene = sceneOf(createUrl);
  let line: TestLine;
  let customer: CustomerRow;
  const suspend = (isSuspended: boolean) =>
    scene.change((world) => editCustomer(world, ACTOR, null, customer, { isSuspended }));

  beforeAll(async () => {
    customer = await scene.change((world) =>
      addCustomer(world, ACTOR, null, { name: 'Loja', externalId: null }),
    );
    line = await scene.line({ customerId: customer.id });
    await addPanelUser(scene, 'ana', 'admin', customer.id);
    await addPanelUser(scene, 'olga', 'owner');
  });
  beforeEach(() => suspend(false));
  let onTestEnd = async () => {};
  afterEach(async () => {
    await onTestEnd();
    onTestEnd = async () => {};
  });

  const json = (body: object) => ({ method: 'POST', body: JSON.stringify(body) });

  test('has no API, but its events are stored and forwarded', async () => {
    const receiver = await startPeer();
    onTestEnd = () => receiver.close();
    const headers = { authorization: `Bearer ${line.token}`, 'content-type': 'application/json' };
    const address = `${scene.gateway.url}/v22.0/${line.phoneNumberId}`;
    const added = await call(`${address}/destinations`, { ...json({ url: receiver.url }), headers });
    expect(added.status).toBe(201);
    const message = textTo('16505551234');
    await suspend(true);
    for (const [path, init] of [
      ['/status', {}],
      ['/templates', {}],
      ['/messages', json(message)],
      ['/messages/batch', json({ messages: [message] })],
      ['/destinations', json({ url: receiver.url })],
    ] as const) {
      const { status, body } = await call(address + path, { ...init, headers });
      expect([path, status, body.error_code]).toEqual([path, 403, 'customer_suspended']);
    }
    const own = await call(`${scene.gateway.url}/v22.0/${line.phoneNumberId}`, { headers });
    expect([own.status, own.body.error_code]).toEqual([403, 'customer_suspended']);
    await line.wrote('16505551234', 0);
    // The first request is the handshake.
    const received = await receiver.untilReceived(2);
    expect(received.map(({ body }) => body.includes('wamid.in.'))).toEqual([false, true]);
    expect(await rows(scene.databaseUrl, 'select body from sent_bodies')).toEqual([]);
    await suspend(false);
    expect((await line.send(message)).status).toBe(200);
  });

  test('has no users: sessions and live pages end, and no one of them logs in', async () => {
    const ana = await logIn('ana');
    expect([ana.status, ana.location]).toEqual([303, '/panel']);
    const page = () => visit('/panel/events', ana.cookie);
    expect((await page()).status).toBe(200);
    const stream = await fetch(`${scene.gateway.url}/panel/events`, {
      headers: { cookie: ana.cookie, accept: 'text/event-stream' },
    });
    expect(stream.status).toBe(200);
    await suspend(true);
    // Ends by itself.
    expect(await stream.text()).toContain('event: end');
    expect([(await page()).status, (await page()).headers.get('location')]).toEqual([
      303,
      expect.stringContaining('/panel/log-in'),
    ]);
    const again = await logIn('ana');
    expect([again.status, again.text]).toEqual([403, expect.stringContaining('Your access is suspended.')]);
    // Only who knows the password learns of it.
    const wrong = await logIn('ana', 'wrong');
    expect([wrong.status, wrong.text.includes('suspended')]).toEqual([422, false]);
    expect((await logIn('olga')).status).toBe(303);
    await suspend(false);
    expect((await logIn('ana')).status).toBe(303);
  });

  test('shows its admins the same of a user with and without roles elsewhere', async () => {
    const other = await scene.change((world) =>
      addCustomer(world, ACTOR, null, { name: 'Rival', externalId: null }),
    );
    await addPanelUser(scene, 'uma', 'agent', customer.id);
    await addPanelUser(scene, 'ute', 'agent', customer.id);
    const id = async (name: string) => (await scene.change(({ store }) => store.users.byName(name)))?.id ?? 0;
    const ids = { uma: await id('uma'), ute: await id('ute') };
    const { cookie } = await logIn('ana');
    const seen = async (answer: Response) => [
      answer.status,
      answer.headers.get('location'),
      (await answer.text()).replaceAll(/name="form_token" value="[^"]*"/g, ''),
    ];
    const users = () => visit('/panel/users', cookie).then(seen);
    const before = await users();
    expect(before[2]).toContain('uma');
    expect(before[2]).not.toContain('Reset password');

    await scene.change(async (world) => {
      const { store } = world;
      const uma = (await store.users.byName('uma')) as UserRow;
      await changeRole(world, ACTOR, null, uma, other.id, 'admin');
      await changeRole(world, ACTOR, null, uma, null, 'owner');
    });
    expect((await logIn('uma')).status).toBe(303);
    await scene.change(({ store }) => store.users.update(ids.uma, { totp_sealed: 'x' }));
    expect(await users()).toEqual(before);

    const post = async (path: string, fields: Record<string, string> = {}) => {
      const form_token = formTokenIn(await (await visit('/panel/users', cookie)).text());
      const answer = await fetch(scene.gateway.url + path, {
        method: 'POST',
        redirect: 'manual',
        headers: { cookie, origin: scene.gateway.url },
        body: new URLSearchParams({ ...fields, form_token }),
      });
      return seen(answer);
    };
    const role = { customer: String(customer.id) };
    for (const [path, status, fields] of [
      ['link', 403, {}],
      ['role', 303, { ...role, role: 'developer' }],
      ['role', 409, { ...role, role: 'none' }],
      ['role', 403, { customer: String(other.id), role: 'none' }],
      ['role', 403, { role: 'viewer' }],
      // An unreadable customer is not all customers.
      ['role', 404, { customer: 'x', role: 'viewer' }],
      ['remove', 303, {}],
      ['remove', 404, {}],
      ['role', 404, { ...role, role: 'viewer' }],
    ] as const) {
      const answers = [];
      for (const name of ['uma', 'ute'] as const) {
        const [code, ...texts] = await post(`/panel/users/${ids[name]}/${path}`, fields);
        expect([path, code]).toEqual([path, status]);
        answers.push(
          texts.map((text) =>
            String(text)
              .replaceAll(name, 'NAME')
              .replaceAll(new RegExp(`/users/${ids[name]}\\b`, 'g'), '/users/ID'),
          ),
        );
      }
      expect(answers[0]).toEqual(answers[1]);
    }
    expect((await users())[2]).not.toMatch(/uma|ute/);
    const left = await scene.change(({ store }) => store.users.find(ids.uma));
    expect(left).toMatchObject({ role: 'owner', memberships: [{ customerId: other.id, role: 'admin' }] });
    expect(await scene.change(({ store }) => store.users.find(ids.ute))).toBeNull();
  });

  const visit = (path: string, cookie = '') =>
    fetch(scene.gateway.url + path, { redirect: 'manual', headers: { cookie } });

  async function logIn(name: string, password = PASSWORD) {
    const form = await visit('/panel/log-in');
    const cookie = form.headers.getSetCookie()[0]?.split(';')[0] ?? '';
    const form_token = formTokenIn(await form.text());
    const answer = await fetch(`${scene.gateway.url}/panel/log-in`, {
      method: 'POST',
      redirect: 'manual',
      headers: { cookie, origin: scene.gateway.url },
      body: new URLSearchParams({ name, password, form_token }),
    });
    return {
      status: answer.status,
      location: answer.headers.get('location'),
      cookie:
        answer.headers
          .getSetCookie()
          .find((one) => one.startsWith('panel='))
          ?.split(';')[0] ?? '',
      text: await answer.text(),
    };
  }
});
