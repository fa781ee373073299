import { Issues } from '../primitives/issues';
import { fact } from '../wording/facts';
import { ALLOWABLE, allowedBy, givableFor, type AdminReach, type Allowed } from './admin-token';

/** The submitted fields of a new admin token. */
export interface AdminTokenInput {
  name: string;
  /** Names of permissions and scopes; all permissions that the maker can give if omitted. */
  permissions?: readonly string[] | null;
  /** The customers that it reaches; null for all, unless it has `lineIds`. */
  customerIds?: readonly number[] | null;
  /** The lines that it reaches, instead of customers. */
  lineIds?: readonly number[] | null;
  /** Days for which it is valid, which may be typed; a year if omitted. */
  expiresInDays?: number | string;
}

/** The validated fields. */
export interface AdminTokenValues extends AdminReach {
  name: string;
  /** Null: what the maker can give. */
  allowed: Allowed | null;
  days: number;
}

export const LONGEST_NAME = 60;
export const MOST_DAYS = 365;

/**
 * Validates the fields of a new admin token, for every interface.
 * @throws Refusal with all issues, by field
 */
export function adminTokenInput(given: AdminTokenInput): AdminTokenValues {
  const { permissions = null, expiresInDays = MOST_DAYS } = given;
  const name = given.name.trim();
  const reach = { customerIds: distinct(given.customerIds), lineIds: distinct(given.lineIds) };
  const issues = new Issues();
  issues.addName(name, LONGEST_NAME);
  issues.addChoices('permissions', ALLOWABLE, permissions);
  for (const [field, ids] of [
    ['customer_ids', reach.customerIds],
    ['line_ids', reach.lineIds],
  ] as const)
    if (ids?.length === 0) issues.add(field, 'minItems', fact('choice.none', {}));
  if (reach.customerIds && reach.lineIds) issues.add('line_ids', 'reach', fact('reach.both', {}));
  const allowed = permissions && allowedBy(permissions);
  const givable = givableFor(reach);
  const narrow = [...(allowed?.permissions ?? [])].filter((permission) => !givable.includes(permission));
  if (narrow.length) issues.add('permissions', 'reach', fact('permissions.narrow', { names: narrow }));
  const range = fact('days.range', { most: MOST_DAYS });
  const days = issues.addWhole('expires_in_days', expiresInDays, [1, MOST_DAYS], range);
  issues.check();
  return { ...reach, name, allowed, days };
}

const distinct = (ids: readonly number[] | null | undefined): readonly number[] | null =>
  ids ? [...new Set(ids)] : null;
