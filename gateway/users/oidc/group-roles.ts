import { rolesOf, type RoleGrant } from '../../rights/grants';
import { ROLES, type MemberRole } from '../../rights/roles';
import { type Tables } from '../../store/store';
import { type CustomerRow } from '../../store/tables/customers';
import { type UserRow } from '../../store/tables/users';
import { isLastOwner } from '../manage-users';
import { type GroupRole, type Provider } from './provider-input';

/**
 * The roles that a person's groups give. If several groups give roles in the same customer, the highest counts. Rows about
 * customers that don't exist give nothing.
 */
export function rolesOfGroups(
  { roles }: Pick<Provider, 'roles'>,
  groups: readonly string[],
  customers: readonly CustomerRow[],
): RoleGrant[] {
  const given = new Map<number | null, RoleGrant>();
  const rank = ({ role }: RoleGrant) => ROLES.indexOf(role);
  for (const { group, role, customer } of roles) {
    const customerId = customer === null ? null : customerOf(customers, customer);
    if (!groups.includes(group) || customerId === undefined) continue;
    const grant = { customerId, role };
    const known = given.get(customerId);
    if (!known || rank(grant) < rank(known)) given.set(customerId, grant);
  }
  return [...given.values()];
}

const customerOf = (
  customers: readonly CustomerRow[],
  named: NonNullable<GroupRole['customer']>,
): number | undefined =>
  customers.find(({ id, external_id: externalId }) =>
    'id' in named ? id === named.id : externalId === named.externalId,
  )?.id;

/** A role that the groups changed. @param role null: taken away */
export interface ChangedRole {
  customerId: number | null;
  role: RoleGrant['role'] | null;
}

/**
 * Gives a user the roles of the person's groups, and takes away those that earlier groups gave. A role that somebody set
 * in the panel for the same customer stays as it is.
 * @param before the roles that the groups gave at the last log-in
 * @returns the roles that the groups give now, and what changed
 */
export async function applyRoles(
  users: Tables['users'],
  user: UserRow,
  before: readonly RoleGrant[],
  wanted: readonly RoleGrant[],
): Promise<{ given: RoleGrant[]; changed: ChangedRole[] }> {
  const current = new Map(rolesOf(user).map(({ customerId, role }) => [customerId, role]));
  // The last owner with a password stays one, so that somebody can always repair the settings.
  const isKept = user.role === 'owner' && (await isLastOwner(users, user));
  const isByGroups = ({ customerId }: RoleGrant) =>
    !(isKept && customerId === null) &&
    before.some((one) => one.customerId === customerId && one.role === current.get(customerId));
  const given = wanted.filter((one) => !current.has(one.customerId) || isByGroups(one));
  const changed = [
    ...before
      .filter((one) => isByGroups(one) && !wanted.some(({ customerId }) => customerId === one.customerId))
      .map(({ customerId }) => ({ customerId, role: null })),
    ...given.filter(({ customerId, role }) => current.get(customerId) !== role),
  ];
  for (const { customerId, role } of changed)
    if (customerId === null) await users.update(user.id, { role });
    else await users.setMembership(user.id, customerId, role as MemberRole | null);
  return { given, changed };
}
