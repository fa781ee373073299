import { addCustomer, removeCustomer } from '../../../gateway/customers/manage-customers';
import { Refusal } from '../../../gateway/errors';
import { type Role } from '../../../gateway/rights/roles';
import { validGrants } from '../../../gateway/rights/grants';
import { type Actor } from '../../../gateway/store/tables/audit';
import { type CustomerRow } from '../../../gateway/store/tables/customers';
import { type UserRow } from '../../../gateway/store/tables/users';
import { createVault } from '../../../gateway/store/vault';
import { type AuditedDeps } from '../../../gateway/store/with-audit';
import { HOUR } from '../../../gateway/time';
import { acceptInvitation } from '../../../gateway/users/invitations/accept-invitation';
import {
  invitationsSeenBy,
  invite,
  renewInvitation,
  revokeInvitation,
} from '../../../gateway/users/invitations/invite';
import { NOT_LOGGED_IN } from '../../../gateway/users/log-in-watch';
import { addUser, changeRole } from '../../../gateway/users/manage-users';
import { DATABASES } from '../../support/databases';
import { PASSWORD } from '../../support/panel/visitor';
import { openStores } from '../store/support';

const ACTOR: Actor = { who: 'a test', through: 'command', address: null };
const STRANGER: Actor = { who: NOT_LOGGED_IN, through: 'panel', address: '192.0.2.1' };

/** The `error_code` of a refused change; the result of another one. */
async function resultOf<T>(change: Promise<T>): Promise<T | string> {
  try {
    return await change;
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return error.errorCode;
  }
}

describe.each(DATABASES)('invitations on $name', ({ createUrl }) => {
  const open = openStores();
  let deps: AuditedDeps;
  let now: number;
  let [one, other] = [] as unknown as [CustomerRow, CustomerRow];
  beforeEach(async () => {
    now = Date.parse('2026-03-10T12:00:00.000Z');
    deps = {
      ...{ store: await open(await createUrl()), vault: createVault('a key for tests, and nothing else') },
      ...{ registry: { refresh: async () => {} }, clock: () => now },
    };
    one = await addCustomer(deps, ACTOR, null, { name: 'One', externalId: null });
    other = await addCustomer(deps, ACTOR, null, { name: 'Other', externalId: null });
  });

  let users = 0;
  const user = (role: Role, ...customers: CustomerRow[]): Promise<UserRow> =>
    addUser(deps, ACTOR, null, {
      ...{ name: `user${++users}`, role, password: null },
      customerIds: customers.length ? customers.map(({ id }) => id) : null,
    });
  const to = (role: string, customerIds: number[] | null, email: string | null = null) => ({
    ...{ name: null, email, role, customerIds },
  });
  const accept = (key: string, name = 'ben') =>
    resultOf(acceptInvitation(deps, STRANGER, key, { name, password: PASSWORD }));
  const rolesOf = ({ role, memberships }: UserRow) => [
    role,
    memberships.map(({ customerId, role: inCustomer }) => [customerId, inCustomer]),
  ];

  test('give exactly the invited roles, once, of two who open the link at the same time', async () => {
    const admin = await user('admin');
    const { key, row } = await invite(deps, ACTOR, admin, to('agent', [one.id, other.id]));
    expect(JSON.stringify(await deps.store.invitations.all())).not.toContain(key);
    const results = await Promise.all([accept(key, 'ben'), accept(key, 'bia')]);
    const joined = results.filter((result) => typeof result !== 'string');
    expect(results.filter((result) => typeof result === 'string')).toEqual(['invitation_gone']);
    expect(joined.map(rolesOf)).toEqual([
      [
        null,
        [
          [one.id, 'agent'],
          [other.id, 'agent'],
        ],
      ],
    ]);
    // The name tells nothing of other users.
    expect(joined[0]?.name).toMatch(/^b(en|ia)-[a-z0-9]{4}$/);
    expect(await deps.store.invitations.find(row.id)).toBeNull();
    const [entry] = await deps.store.customerAudit.page(one.id, {}, 1);
    expect([entry?.action, entry?.who, entry?.details.includes('Other')]).toEqual([
      ...['user.joined', NOT_LOGGED_IN],
      false,
    ]);
    const inAll = await invite(deps, ACTOR, null, to('owner', null));
    expect(await accept(inAll.key, 'Olga')).toMatchObject({ name: 'olga', role: 'owner', memberships: [] });
  });

  test('end after 72 hours, by a new link, and when they are revoked', async () => {
    const first = await invite(deps, ACTOR, null, to('viewer', null));
    now += 72 * HOUR;
    expect(await accept(first.key)).toBe('invitation_gone');
    const second = await renewInvitation(deps, ACTOR, null, first.row);
    const third = await renewInvitation(deps, ACTOR, null, first.row);
    for (const { key } of [first, second]) expect(await accept(key)).toBe('invitation_gone');
    now += 72 * HOUR - 1;
    await revokeInvitation(deps, ACTOR, null, third.row);
    expect(await accept(third.key)).toBe('invitation_gone');
    expect(await resultOf(revokeInvitation(deps, ACTOR, null, third.row))).toBe('not_found');
  });

  test('are void once the inviter may no longer give the role, or the customer is gone', async () => {
    const admin = await user('admin', one);
    const made = () => invite(deps, ACTOR, admin, to('admin', [one.id]));
    const [before, after] = [await made(), await made()];
    await changeRole(deps, ACTOR, null, admin, one.id, 'agent');
    expect(await accept(before.key)).toBe('invitation_void');
    await changeRole(deps, ACTOR, null, admin, one.id, 'admin');
    // A refused invitation is not used up.
    expect(typeof (await accept(before.key))).toBe('object');
    await deps.store.users.remove(admin.id);
    expect(await accept(after.key)).toBe('invitation_void');
    // Somebody else who renews it vouches for it.
    const renewed = await renewInvitation(deps, ACTOR, null, after.row);
    expect(typeof (await accept(renewed.key))).toBe('object');
    const third = await addCustomer(deps, ACTOR, null, { name: 'Third', externalId: null });
    const gone = await invite(deps, ACTOR, null, to('viewer', [third.id]));
    await removeCustomer(deps, ACTOR, null, third);
    expect(await accept(gone.key)).toBe('invitation_void');
  });

  test('go up to the own role, and are seen by those who manage all of their customers', async () => {
    const [admin, ofOne, agent] = [await user('admin'), await user('admin', one), await user('agent', one)];
    for (const [by, given] of [
      [admin, to('owner', null)],
      [ofOne, to('viewer', null)],
      [ofOne, to('viewer', [one.id, other.id])],
      [ofOne, to('viewer', [999])],
      [agent, to('viewer', [one.id])],
    ] as const)
      expect(await resultOf(invite(deps, ACTOR, by, given))).toBe('not_permitted');
    for (const given of [to('owner', [one.id]), to('god', null), to('viewer', []), to('viewer', null, 'ben')])
      expect(await resultOf(invite(deps, ACTOR, null, given))).toBe('invalid_payload');
    const [inOne, inBoth] = [
      (await invite(deps, ACTOR, ofOne, to('agent', [one.id]))).row,
      (await invite(deps, ACTOR, admin, to('agent', [one.id, other.id]))).row,
    ];
    const seen = async (by: UserRow) =>
      (await invitationsSeenBy(deps.store, validGrants(by))).map(({ id }) => id);
    expect([await seen(admin), await seen(ofOne), await seen(agent)]).toEqual([
      [inBoth.id, inOne.id],
      [inOne.id],
      [],
    ]);
    expect(await resultOf(revokeInvitation(deps, ACTOR, ofOne, inBoth))).toBe('not_permitted');
  });

  test('are accepted for the own user, who keeps what allows more', async () => {
    const ana = await user('admin', one);
    const take = async (role: Role, customerIds: number[] | null) => {
      const { key } = await invite(deps, ACTOR, null, to(role, customerIds));
      return rolesOf(await acceptInvitation(deps, ACTOR, key, { user: ana }));
    };
    expect(await take('viewer', [one.id, other.id])).toEqual([
      null,
      [
        [one.id, 'admin'],
        [other.id, 'viewer'],
      ],
    ]);
    expect((await take('agent', null))[0]).toBe('agent');
  });
});
