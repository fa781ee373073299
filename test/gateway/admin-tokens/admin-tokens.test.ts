import { adminTokenRegistry } from '../../../gateway/admin-tokens/admin-token-registry';
import { type AdminTokenInput } from '../../../gateway/admin-tokens/admin-token-input';
import {
  adminTokensSeenBy,
  createAdminToken,
  revokeAdminToken,
} from '../../../gateway/admin-tokens/manage-admin-tokens';
import { addCustomer, editCustomer } from '../../../gateway/customers/manage-customers';
import { Refusal } from '../../../gateway/errors';
import { lineRegistry } from '../../../gateway/lines/line-registry';
import { hashOf } from '../../../gateway/primitives/token-format';
import { grantOf, rightsOf, type Grant } from '../../../gateway/rights/grants';
import { PERMISSIONS, PERMISSIONS_OF, type Role } from '../../../gateway/rights/roles';
import { followRegistry } from '../../../gateway/store/follow-registry';
import { type Store } from '../../../gateway/store/store';
import { type Actor } from '../../../gateway/store/tables/audit';
import { type CustomerRow } from '../../../gateway/store/tables/customers';
import { type AuditedDeps } from '../../../gateway/store/with-audit';
import { createVault } from '../../../gateway/store/vault';
import { DAY } from '../../../gateway/time';
import { DATABASES } from '../../support/databases';
import { addLine, openStores } from '../store/support';

const ACTOR: Actor = { who: 'a test', through: 'command', address: null };
const KEY = 'a key for tests, and for nothing else';
const NOW = Date.parse('2026-03-10T12:00:00.000Z');
const SUBJECT = { name: 'Sync' };

describe.each(DATABASES)('admin tokens on $name', ({ createUrl }) => {
  const open = openStores();
  let url: string;
  let deps: AuditedDeps;
  let now: number;
  let [one, other] = [] as unknown as [CustomerRow, CustomerRow];
  /** A line of each customer, and one of none. */
  let lines: { one: number; other: number; none: number };

  beforeEach(async () => {
    now = NOW;
    url = await createUrl();
    const store = await open(url);
    deps = { store, vault: createVault(KEY), registry: { refresh: async () => {} }, clock: () => now };
    one = await addCustomer(deps, ACTOR, null, { name: 'One', externalId: null });
    other = await addCustomer(deps, ACTOR, null, { name: 'Other', externalId: null });
    lines = {
      one: await addLine(store, '1'),
      other: await addLine(store, '2'),
      none: await addLine(store, '3'),
    };
    await store.lines.update(lines.one, { customer_id: one.id });
    await store.lines.update(lines.other, { customer_id: other.id });
  });

  const role = (name: Role, customer: CustomerRow | null = null): Grant[] => [
    grantOf({ customerId: customer && customer.id, role: name }),
  ];
  const create = (by: Grant[] | null, given: Omit<AdminTokenInput, 'name'>) =>
    createAdminToken(deps, ACTOR, by, { ...SUBJECT, ...given });

  /** The permissions of a new token, or the sentences about the refused fields. */
  async function made(by: Grant[] | null, given: Omit<AdminTokenInput, 'name'>): Promise<string[]> {
    try {
      return JSON.parse((await create(by, given)).row.permissions) as string[];
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      return (error.issues ?? []).map(({ path, message }) => `${path}: ${message}`);
    }
  }

  /** The registries of a process that follows changes. */
  async function followed(store: Store) {
    const registry = lineRegistry(store, deps.vault, deps.clock, { error: () => undefined });
    const tokens = adminTokenRegistry(store, registry, deps.clock);
    const { refresh } = await followRegistry(
      store,
      async (changes) => {
        await Promise.all([registry.load(changes), tokens.load(changes)]);
      },
      () => undefined,
    );
    return { tokens, refresh };
  }

  test('have by default all permissions that their maker can give in the reach', async () => {
    const ofCustomer = PERMISSIONS.filter((permission) => permission !== 'gateway');
    expect(await made(null, {})).toEqual(PERMISSIONS);
    expect(await made(role('owner'), {})).toEqual(PERMISSIONS);
    expect(await made(role('owner'), { customerIds: [one.id] })).toEqual(ofCustomer);
    const developers = PERMISSIONS.filter((permission) => PERMISSIONS_OF.developer.has(permission));
    const both = [...role('admin', one), ...role('developer', other)];
    expect(await made(both, { customerIds: [one.id] })).toEqual(ofCustomer);
    expect(await made(both, { customerIds: [one.id, other.id] })).toEqual(developers);
    expect(await made(both, { lineIds: [lines.one, lines.other] })).toEqual(developers);
    const { row } = await create(null, { expiresInDays: '30' });
    expect(Date.parse(row.expires_at)).toBe(NOW + 30 * DAY);
  });

  test('are refused beyond the permissions and the reach of their maker', async () => {
    const admin = role('admin', one);
    const missing = 'customer: There is no such customer.';
    const noLine = 'line: There is no such line.';
    for (const [by, given, expected] of [
      [admin, {}, 'customer: Choose a customer.'],
      [role('admin'), {}, 'customer: Choose a customer.'],
      [admin, { customerIds: [one.id, other.id] }, missing],
      [admin, { customerIds: [999] }, missing],
      [role('viewer', one), { customerIds: [one.id] }, missing],
      [admin, { lineIds: [lines.one, lines.none] }, noLine],
      [admin, { lineIds: [lines.other] }, noLine],
      [admin, { lineIds: [999] }, noLine],
      [
        role('developer', one),
        { customerIds: [one.id], permissions: ['events.read', 'lines.manage'] },
        'permissions: You do not have lines.manage for everything that the token reaches.',
      ],
      [
        [{ customerId: one.id, permissions: new Set(['tokens.manage'] as const) }],
        { customerIds: [one.id], permissions: ['read'] },
        'permissions: You do not have events.read, templates.read for everything that the token reaches.',
      ],
      [
        null,
        { customerIds: [one.id], permissions: ['gateway'] },
        'permissions: A token that reaches only some customers or lines cannot have gateway.',
      ],
      [
        null,
        { customerIds: [one.id], lineIds: [lines.one] },
        'line_ids: Choose customers or lines, not both.',
      ],
      [null, { expiresInDays: 366 }, 'expires_in_days: Enter a number of days from 1 to 365.'],
    ] as const)
      expect(await made(by as Grant[] | null, given)).toEqual([expect.stringContaining(expected)]);
  });

  test('are seen and revoked only by those who could make them', async () => {
    const tokens = {
      all: await create(null, { permissions: ['events.read'] }),
      one: await create(null, { customerIds: [one.id], permissions: ['events.read'] }),
      manage: await create(null, { customerIds: [one.id], permissions: ['lines.manage'] }),
      both: await create(null, { customerIds: [one.id, other.id], permissions: ['send'] }),
      line: await create(null, { lineIds: [lines.one], permissions: ['send', 'read'] }),
      none: await create(null, { lineIds: [lines.none], permissions: ['send'] }),
    };
    const namesSeenBy = async (by: Grant[] | null) => {
      const seen = new Set((await adminTokensSeenBy(deps.store, by)).map(({ id }) => id));
      return Object.entries(tokens).flatMap(([name, { row }]) => (seen.has(row.id) ? [name] : []));
    };
    expect(await namesSeenBy(role('owner'))).toEqual(Object.keys(tokens));
    expect(await namesSeenBy(role('admin'))).toEqual(['one', 'manage', 'both', 'line', 'none']);
    expect(await namesSeenBy(role('admin', one))).toEqual(['one', 'manage', 'line']);
    expect(await namesSeenBy(role('developer', one))).toEqual(['one', 'line']);
    expect(await namesSeenBy(role('viewer', one))).toEqual([]);
    for (const unseen of [tokens.all, tokens.both, tokens.none])
      await expect(revokeAdminToken(deps, ACTOR, role('admin', one), unseen.row.id)).rejects.toMatchObject({
        errorCode: 'not_found',
      });
    expect(await revokeAdminToken(deps, ACTOR, role('admin', one), tokens.line.row.id)).toBe(true);
    expect(await revokeAdminToken(deps, ACTOR, role('admin', one), tokens.line.row.id)).toBe(false);
  });

  test('work in every process until they expire, are revoked or all their customers are suspended', async () => {
    const processes = [await followed(deps.store), await followed(await open(url))];
    const opened = async (token: string) => {
      await Promise.all(processes.map(({ refresh }) => refresh()));
      const found = processes.map(({ tokens }) => tokens.openedBy(hashOf(token)));
      expect(found[1]).toEqual(found[0]);
      return found[0] ?? null;
    };
    const both = await create(null, { customerIds: [one.id, other.id], permissions: ['events.read'] });
    const line = await create(null, { lineIds: [lines.one, lines.none], permissions: ['send', 'read'] });
    expect(await opened(both.token)).toMatchObject({ id: both.row.id, isSuspended: false, name: 'Sync' });
    await editCustomer(deps, ACTOR, null, one, { isSuspended: true });
    const grants = (await opened(both.token))?.grants ?? [];
    expect(grants.map(({ customerId }) => customerId)).toEqual([other.id]);
    const all = [lines.one, lines.other, lines.none].map((id) => ({ id, customerId: null }));
    const ofLines = rightsOf((await opened(line.token))?.grants ?? [], () => all);
    expect(ofLines.reach('events.read')).toEqual([lines.none]);
    expect(ofLines.customers('events.read')).toEqual(new Set());
    expect(ofLines.reach('lines.manage')).toEqual([]);
    await editCustomer(deps, ACTOR, null, other, { isSuspended: true });
    expect(await opened(both.token)).toMatchObject({ grants: [], isSuspended: true });
    await editCustomer(deps, ACTOR, null, other, { isSuspended: false });
    expect(await opened(both.token)).toMatchObject({ isSuspended: false });
    await revokeAdminToken(deps, ACTOR, null, line.row.id);
    expect(await opened(line.token)).toBeNull();
    now += 365 * DAY;
    expect(await opened(both.token)).toBeNull();
  });

  test('are in the audit of each customer that they reach, with nothing of others and without the token', async () => {
    const ofCustomers = await create(null, { customerIds: [one.id, other.id], permissions: ['send'] });
    const ofLines = await create(null, { lineIds: [lines.other, lines.none], permissions: ['send'] });
    await revokeAdminToken(deps, ACTOR, null, ofCustomers.row.id);
    const entries = async (customer: CustomerRow) =>
      (await deps.store.customerAudit.page(customer.id, {}, 10)).flatMap(({ action, details }) =>
        action.startsWith('admin_token') ? [[action, JSON.parse(details) as Record<string, unknown>]] : [],
      );
    const [ending, ofLine] = [ofCustomers, ofLines].map(({ token }) => `…${token.slice(-4)}`);
    const expires_at = ofLines.row.expires_at;
    expect(await entries(one)).toEqual([
      ['admin_token.revoked', { token: ending, name: 'Sync', customers: ['One'] }],
      [
        'admin_token.created',
        { token: ending, name: 'Sync', permissions: ['send'], expires_at, customers: ['One'] },
      ],
    ]);
    expect(await entries(other)).toEqual([
      ['admin_token.revoked', { token: ending, name: 'Sync', customers: ['Other'] }],
      [
        'admin_token.created',
        { token: ofLine, name: 'Sync', permissions: ['send'], expires_at, lines: [expect.any(String)] },
      ],
      [
        'admin_token.created',
        { token: ending, name: 'Sync', permissions: ['send'], expires_at, customers: ['Other'] },
      ],
    ]);
    const whole = JSON.stringify(await deps.store.audit.page({}, 20));
    expect(whole).not.toContain(ofLines.token.slice(4, 20));
  });
});
