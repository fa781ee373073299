import { tokenFormat } from '../primitives/token-format';
import { type Grant } from '../rights/grants';
import { PERMISSIONS, type Permission } from '../rights/roles';
import { SCOPES, type Scope } from '../store/schema';
import { type AdminTokenRow } from '../store/tables/admin-tokens';

export const ADMIN_TOKENS = tokenFormat('gwa_');

/** What an admin token reaches: all lines and customers if both are null, otherwise some customers or some lines. */
export interface AdminReach {
  customerIds: readonly number[] | null;
  lineIds: readonly number[] | null;
}

/** What an admin token allows: permissions of people, and scopes for the operations of lines. */
export interface Allowed {
  permissions: ReadonlySet<Permission>;
  scopes: readonly Scope[];
}

/** A valid admin token, as held by the registry. */
export interface AdminToken extends AdminReach, Allowed {
  kind: 'admin';
  id: number;
  name: string;
  lastFour: string;
  /** Those of suspended customers are left out. */
  grants: readonly Grant[];
  /** Whether all customers of its reach are suspended. */
  isSuspended: boolean;
  /** Admin tokens have no choice of answers. */
  answers: null;
  /** ISO time. */
  expiresAt: string;
}

/** The names that a token can have among its permissions. */
export const ALLOWABLE = [...PERMISSIONS, ...SCOPES] as const;

/** @param names of permissions and scopes */
export function allowedBy(names: readonly string[]): Allowed {
  const scopes = SCOPES.filter((scope) => names.includes(scope));
  const permissions = new Set(PERMISSIONS.filter((permission) => names.includes(permission)));
  return { permissions, scopes };
}

/** The permissions with those that a scope implies: a program that reads messages can also list the lines. */
export const permissionsOf = ({ permissions, scopes }: Allowed): ReadonlySet<Permission> =>
  scopes.includes('read') ? new Set([...permissions, 'events.read', 'templates.read']) : permissions;

/** What a token may do in its reach. */
export function grantsOf({ customerIds, lineIds }: AdminReach, allowed: Allowed): Grant[] {
  const permissions = permissionsOf(allowed);
  if (lineIds) return lineIds.length ? [{ lineIds: new Set(lineIds), permissions }] : [];
  return (customerIds ?? [null]).map((customerId) => ({ customerId, permissions }));
}

export const namesAllowed = ({ permissions, scopes }: Allowed): string[] => [...permissions, ...scopes];

/** The permissions that can be given for a reach: some concern the whole gateway, or a whole customer. */
export const givableFor = ({ customerIds, lineIds }: AdminReach): Permission[] =>
  PERMISSIONS.filter((permission) => {
    if (lineIds) return !OF_GATEWAY.has(permission) && !OF_CUSTOMERS.has(permission);
    return customerIds === null || !OF_GATEWAY.has(permission);
  });

const OF_GATEWAY = new Set<Permission>(['gateway']);
const OF_CUSTOMERS = new Set<Permission>(['people.manage', 'audit.read', 'contacts.erase']);

export const reachOf = ({ customer_ids: customers, line_ids: lines }: AdminTokenRow): AdminReach => ({
  customerIds: customers === null ? null : (JSON.parse(customers) as number[]),
  lineIds: lines === null ? null : (JSON.parse(lines) as number[]),
});

export const allowedOf = ({ permissions }: AdminTokenRow): Allowed =>
  allowedBy(JSON.parse(permissions) as string[]);

/** Whether a token reaches a line. */
export function reachesLine(
  { customerIds, lineIds }: AdminReach,
  { id, customerId }: { id: number; customerId: number | null },
): boolean {
  if (lineIds) return lineIds.includes(id);
  return customerIds === null || (customerId !== null && customerIds.includes(customerId));
}
