import { type Reach } from './reach';
import { PERMISSIONS_OF, type MemberRole, type Permission, type Role } from './roles';

/** Permissions in one customer or in all. */
interface CustomerGrant {
  /** Null: in all customers, and for the lines that belong to none. */
  customerId: number | null;
  lineIds?: undefined;
  permissions: ReadonlySet<Permission>;
}

/** Permissions for some lines, and in no customer. */
interface LinesGrant {
  customerId?: undefined;
  lineIds: ReadonlySet<number>;
  permissions: ReadonlySet<Permission>;
}

export type Grant = CustomerGrant | LinesGrant;

/** A role in one customer or in all. */
export interface RoleGrant {
  /** As in `CustomerGrant`. */
  customerId: number | null;
  role: Role;
}

/** The grants of the user or token that makes a change; null for a command, which may change everything. */
export type By = readonly Grant[] | null;

/** The role of a user in one customer, as stored. */
export interface Membership extends RoleGrant {
  customerId: number;
  role: MemberRole;
  /** Null if the reader may not see the customer. */
  customerName: string | null;
  isSuspended: boolean;
}

/** The stored roles of a user. */
export interface Roles {
  /** In all customers; null if the user has only memberships. */
  role: Role | null;
  memberships: readonly Membership[];
}

/** All roles of a user, those in suspended customers included. */
export const rolesOf = ({ role, memberships }: Roles): RoleGrant[] => [
  ...(role ? [{ customerId: null, role }] : []),
  ...memberships,
];

export const grantOf = ({ customerId, role }: RoleGrant): CustomerGrant => ({
  customerId,
  permissions: PERMISSIONS_OF[role],
});

/** The grants that a user can use: those in suspended customers don't count. */
export const validGrants = ({ role, memberships }: Roles): CustomerGrant[] =>
  rolesOf({ role, memberships: memberships.filter(({ isSuspended }) => !isSuspended) }).map(grantOf);

/** Whether grants include a permission in a customer. @param customerId null: in all customers */
export const mayIn = (grants: readonly Grant[], permission: Permission, customer: number | null): boolean =>
  grants.some(
    ({ customerId, permissions }) =>
      (customerId === null || customerId === customer) && permissions.has(permission),
  );

/** Whether grants include a permission for a line. */
export const mayFor = (
  grants: readonly Grant[],
  permission: Permission,
  { id, customerId: customer }: OwnedLine,
): boolean =>
  mayIn(grants, permission, customer) ||
  grants.some(({ lineIds, permissions }) => lineIds?.has(id) && permissions.has(permission));

/** Whether somebody with these grants may give or take away a role: nobody may go above their own permissions. */
export const mayGive = (giver: readonly Grant[], { customerId: customer, role }: RoleGrant): boolean =>
  giver.some(
    ({ customerId, permissions }) =>
      (customerId === null || customerId === customer) &&
      permissions.has('people.manage') &&
      [...PERMISSIONS_OF[role]].every((one) => permissions.has(one)),
  );

/** The part of a line that decides who may see it. */
export interface OwnedLine {
  id: number;
  /** Null if the line belongs to no customer. */
  customerId: number | null;
}

/** What grants allow. Grants add up. */
export interface Rights {
  /** @param line only for this line; without it: for at least one customer or line */
  may(permission: Permission, line?: OwnedLine): boolean;
  /** The lines for which the permission is given. */
  reach(permission: Permission): Reach;
  /** The customers for which the permission is given. */
  customers(permission: Permission): 'all' | ReadonlySet<number>;
}

/** @param lines all lines of the gateway, read at each call */
export function rightsOf(grants: readonly Grant[], lines: () => readonly OwnedLine[]): Rights {
  const customers: Rights['customers'] = (permission) => {
    // What concerns the whole gateway is never allowed by a role in one customer.
    const isOfAll = permission === 'gateway';
    const allowing = grants.filter(
      ({ customerId, permissions }) => permissions.has(permission) && (customerId === null || !isOfAll),
    );
    if (allowing.some(({ customerId }) => customerId === null)) return 'all';
    return new Set(allowing.flatMap(({ customerId }) => customerId ?? []));
  };
  const may: Rights['may'] = (permission, line) => {
    const ofAll = customers(permission) === 'all';
    if (ofAll || permission === 'gateway') return ofAll;
    return line
      ? mayFor(grants, permission, line)
      : grants.some(({ permissions }) => permissions.has(permission));
  };
  return {
    customers,
    may,
    reach(permission) {
      if (customers(permission) === 'all') return 'all';
      if (!may(permission)) return [];
      return lines()
        .filter((line) => may(permission, line))
        .map(({ id }) => id);
    },
  };
}
