import { type Reach } from './reach';
import { roleMay, type Permission, type Role } from './roles';

/** A role in one customer. */
export interface Grant {
  /** Null: in all customers, and for the lines that belong to none. */
  customerId: number | null;
  role: Role;
}

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
    const allowing = grants.filter(({ role }) => roleMay(role, permission));
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
      return lines()
        .filter((line) => holds(allowed, line))
        .map(({ id }) => id);
    },
  };
}
