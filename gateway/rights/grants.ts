import { type Reach } from './reach';
import { isWithin, roleMay, type MemberRole, type Permission, type Role } from './roles';

/** A role in one customer. */
export interface Grant {
  /** Null: in all customers, and for the lines that belong to none. */
  customerId: number | null;
  role: Role;
}

/** The grants of the user who makes a change; null for a command, which may change everything. */
export type By = readonly Grant[] | null;

/** The role of a user in one customer, as stored. */
export interface Membership extends Grant {
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

/** All grants of a user, those in suspended customers included. */
export const grantsOf = ({ role, memberships }: Roles): Grant[] => [
  ...(role ? [{ customerId: null, role }] : []),
  ...memberships,
];

/** The grants that a user can use: those in suspended customers don't count. */
export const validGrants = ({ role, memberships }: Roles): Grant[] =>
  grantsOf({ role, memberships: memberships.filter(({ isSuspended }) => !isSuspended) });

/** Whether grants include a permission in a customer. @param customerId null: in all customers */
export const mayIn = (grants: readonly Grant[], permission: Permission, customer: number | null): boolean =>
  grants.some(
    ({ customerId, role }) => (customerId === null || customerId === customer) && roleMay(role, permission),
  );

/** Whether a user with these grants may give or take away a grant: nobody may go above their own role. */
export const mayGive = (giver: readonly Grant[], given: Grant): boolean =>
  giver.some(
    ({ customerId, role }) =>
      (customerId === null || customerId === given.customerId) &&
      roleMay(role, 'people.manage') &&
      isWithin(given.role, role),
  );

/** The part of a line that decides who may see it. */
interface OwnedLine {
  id: number;
  /** Null if the line belongs to no customer. */
  customerId: number | null;
}

/** What a user's grants allow. Grants add up. */
export interface Rights {
  /** @param line only for this line; without it: for at least one customer */
  may(permission: Permission, line?: OwnedLine): boolean;
  /** The lines for which the user has the permission. */
  reach(permission: Permission): Reach;
  /** The customers for which the user has the permission. */
  customers(permission: Permission): 'all' | ReadonlySet<number>;
}

/** @param lines all lines of the gateway, read at each call */
export function rightsOf(grants: readonly Grant[], lines: () => readonly OwnedLine[]): Rights {
  const customers: Rights['customers'] = (permission) => {
    // What concerns the whole gateway is never allowed by a role in one customer.
    const isOfAll = permission === 'gateway';
    const allowing = grants.filter(
      ({ customerId, role }) => roleMay(role, permission) && (customerId === null || !isOfAll),
    );
    const ids = allowing.flatMap(({ customerId }) => customerId ?? []);
    return ids.length < allowing.length ? 'all' : new Set(ids);
  };
  const holds = (allowed: ReturnType<typeof customers>, { customerId }: OwnedLine): boolean =>
    allowed === 'all' || (customerId !== null && allowed.has(customerId));
  return {
    customers,
    may(permission, line) {
      const allowed = customers(permission);
      return line ? holds(allowed, line) : allowed === 'all' || allowed.size > 0;
    },
    reach(permission) {
      const allowed = customers(permission);
      if (allowed === 'all') return 'all';
      if (!allowed.size) return [];
      return lines()
        .filter((line) => holds(allowed, line))
        .map(({ id }) => id);
    },
  };
}
