import { existingCustomers } from '../customers/manage-customers';
import { adminTokenNotFound, customerMissing, customerUnknown, invalidField, lineUnknown } from '../errors';
import { mayFor, mayIn, type By, type OwnedLine } from '../rights/grants';
import { type Permission } from '../rights/roles';
import { type Tables } from '../store/store';
import { type AdminTokenRow } from '../store/tables/admin-tokens';
import { type Actor, type AuditEntry } from '../store/tables/audit';
import { ownedLine, type LineRow } from '../store/tables/lines';
import { audited, type AuditedDeps } from '../store/with-audit';
import { DAY, isoTime } from '../time';
import { fact } from '../wording/facts';
import {
  ADMIN_TOKENS,
  allowedOf,
  givableFor,
  namesAllowed,
  permissionsOf,
  reachOf,
  type AdminReach,
  type Allowed,
} from './admin-token';
import { adminTokenInput, type AdminTokenInput, type AdminTokenValues } from './admin-token-input';

export interface MadeAdminToken {
  /** Never stored; the caller shows it once. */
  token: string;
  row: AdminTokenRow;
}

/** What a token reaches, by name. */
interface Reached {
  customers: { id: number; name: string }[];
  lines: LineRow[];
}

/**
 * Creates an admin token. `by` needs each of its permissions, and `tokens.manage`, in its whole reach; and `gateway` for
 * one that reaches all customers.
 * @throws Refusal with all issues, by field. What `by` does not reach answers like what does not exist
 */
export async function createAdminToken(
  deps: AuditedDeps,
  actor: Actor,
  by: By,
  given: AdminTokenInput,
): Promise<MadeAdminToken> {
  const values = adminTokenInput(given);
  const made = await audited<MadeAdminToken & Reached>(
    deps,
    actor,
    ({ row, customers, lines }) => entryOf('created', row, { customers, lines }),
    async ({ store }) => {
      const reached = await reachedBy(store, by, values);
      const allowed = allowedFor(by, values, reached.lines.map(ownedLine));
      const { token, hash, lastFour } = ADMIN_TOKENS.create();
      const now = deps.clock();
      const row = await store.adminTokens.insert({
        ...{ hash, last_four: lastFour, name: values.name, created_by: actor.who },
        permissions: JSON.stringify(namesAllowed(allowed)),
        customer_ids: values.customerIds && JSON.stringify(values.customerIds),
        line_ids: values.lineIds && JSON.stringify(values.lineIds),
        created_at: isoTime(now),
        expires_at: isoTime(now + values.days * DAY),
      });
      return { token, row, ...reached };
    },
  );
  return { token: made.token, row: made.row };
}

/** @throws Refusal if something does not exist, or if `by` may not make tokens for it */
async function reachedBy(
  store: Pick<Tables, 'customers' | 'lines'>,
  by: By,
  { customerIds, lineIds }: AdminReach,
): Promise<Reached> {
  if (lineIds) {
    const lines = await store.lines.some([...lineIds]);
    const isUnknown = by !== null && lines.some((row) => !mayFor(by, 'tokens.manage', ownedLine(row)));
    if (lines.length < lineIds.length || isUnknown) throw lineUnknown();
    return { customers: [], lines };
  }
  if (by && !customerIds && !mayMakeForAll(by)) throw customerMissing();
  if (by && customerIds?.some((id) => !mayIn(by, 'tokens.manage', id))) throw customerUnknown();
  return { customers: await existingCustomers(store, customerIds ?? []), lines: [] };
}

/** The chosen permissions, by default all that `by` can give. @throws Refusal if `by` lacks some of them */
function allowedFor(by: By, { allowed, ...reach }: AdminTokenValues, lines: readonly OwnedLine[]): Allowed {
  const lacks = (permission: Permission) => by !== null && !holds(by, permission, reach, lines);
  if (!allowed)
    return {
      permissions: new Set(givableFor(reach).filter((permission) => !lacks(permission))),
      scopes: [],
    };
  const above = [...permissionsOf(allowed)].filter(lacks);
  if (above.length) throw invalidField('permissions', 'above', fact('permissions.above', { names: above }));
  return allowed;
}

/** Whether grants include a permission in a whole reach. @param lines at least the existing ones of the reach */
function holds(
  by: NonNullable<By>,
  permission: Permission,
  { customerIds, lineIds }: AdminReach,
  lines: readonly OwnedLine[],
): boolean {
  if (!lineIds) return (customerIds ?? [null]).every((id) => mayIn(by, permission, id));
  // Of a removed line nobody knows any more whose it was.
  const lineOf = (id: number) => lines.find((line) => line.id === id) ?? { id, customerId: null };
  return lineIds.every((id) => mayFor(by, permission, lineOf(id)));
}

/** Whether `by` could make the token, and so may see and revoke it. @param lines all lines */
function managesToken(by: By, row: AdminTokenRow, lines: readonly OwnedLine[]): boolean {
  if (!by) return true;
  const reach = reachOf(row);
  const isOfAll = !reach.lineIds && !reach.customerIds;
  const needed = [...permissionsOf(allowedOf(row)), 'tokens.manage' as const];
  return needed.every((permission) => holds(by, permission, reach, lines)) && (!isOfAll || mayMakeForAll(by));
}

const mayMakeForAll = (by: NonNullable<By>): boolean =>
  mayIn(by, 'gateway', null) && mayIn(by, 'tokens.manage', null);

/** The admin tokens that `by` could make, newest first, the invalid ones included. */
export async function adminTokensSeenBy(
  { adminTokens, lines }: Pick<Tables, 'adminTokens' | 'lines'>,
  by: By,
): Promise<AdminTokenRow[]> {
  const [rows, all] = await Promise.all([adminTokens.all(), lines.all()]);
  const owned = all.map(ownedLine);
  return rows.filter((row) => managesToken(by, row, owned));
}

/**
 * Revokes an admin token, which every process then refuses immediately.
 * @returns whether the token was valid before
 * @throws Refusal if there is none that `by` could make
 */
export async function revokeAdminToken(
  deps: AuditedDeps,
  actor: Actor,
  by: By,
  id: number,
): Promise<boolean> {
  const revoked = await audited<(Reached & { row: AdminTokenRow }) | null>(
    deps,
    actor,
    (done) => done && entryOf('revoked', done.row, done),
    async ({ store }) => {
      const row = await store.adminTokens.find(id);
      const lines = await store.lines.all();
      if (!row || !managesToken(by, row, lines.map(ownedLine))) throw adminTokenNotFound();
      if (!(await store.adminTokens.revoke(id, isoTime(deps.clock())))) return null;
      const { customerIds, lineIds } = reachOf(row);
      const customers = (await store.customers.all()).filter((one) => customerIds?.includes(one.id));
      return { row, customers, lines: lines.filter((line) => lineIds?.includes(line.id)) };
    },
  );
  return revoked !== null;
}

/** An entry for the audits of the customers that the token reaches, each of which names its own part only. */
function entryOf(verb: 'created' | 'revoked', row: AdminTokenRow, { customers, lines }: Reached): AuditEntry {
  const details = {
    token: `…${row.last_four}`,
    name: row.name,
    ...(verb === 'created' && {
      permissions: namesAllowed(allowedOf(row)),
      expires_at: row.expires_at,
    }),
  };
  const namesOf = (rows: readonly { name: string }[]) => rows.map(({ name }) => name);
  const ofCustomer = ({ id, name }: { id: number; name: string }) => ({
    id,
    details: { ...details, customers: [name] },
  });
  const byCustomer = Map.groupBy(lines, (line) => line.customer_id);
  return {
    action: `admin_token.${verb}`,
    details: {
      ...details,
      ...(customers.length && { customers: namesOf(customers) }),
      ...(lines.length && { lines: namesOf(lines) }),
    },
    customers: [
      ...customers.map(ofCustomer),
      ...[...byCustomer].flatMap(([id, own]) =>
        id === null ? [] : { id, details: { ...details, lines: namesOf(own) } },
      ),
    ],
  };
}
