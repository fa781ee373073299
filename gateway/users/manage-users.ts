import { invalidField, lastOwner, lastRole, notPermitted, userNotFound } from '../errors';
import { existingCustomers } from '../customers/manage-customers';
import { mayGive, rolesOf, validGrants, type Grant, type RoleGrant } from '../rights/grants';
import { type MemberRole, type Role } from '../rights/roles';
import { type Tables } from '../store/store';
import { type Actor, type AuditEntry } from '../store/tables/audit';
import { type CustomerRow } from '../store/tables/customers';
import { type UserRow } from '../store/tables/users';
import { audited, changesIn, type AuditedDeps } from '../store/with-audit';
import { isoTime, type Clock } from '../time';
import { fact } from '../wording/facts';
import { accountName } from './account-name';
import { randomLetters } from './secret-text';
import { type Session } from './sessions';
import { hashedOrNull, hashOf, setPassword, switchOff } from './set-password';
import { userInput, type UserInput } from './user-input';

/** Dependencies within a transaction. */
interface UserDeps {
  store: Pick<Tables, 'users' | 'sessions' | 'links'>;
  clock: Clock;
}

/**
 * Who makes a change: a user, whose roles are read within the transaction; the grants of a token; or null for a command,
 * which may change every user.
 */
export type Manager = UserRow | readonly Grant[] | null;

/** Whether a user with these grants may manage users in all customers. */
export const managesAll = (grants: readonly Grant[]): boolean =>
  mayGive(grants, { customerId: null, role: 'viewer' });

/**
 * A user as a manager sees them: with the roles in the customers whose users the manager manages, so that nothing tells
 * of roles elsewhere. Null if there are none.
 */
export function userSeenBy(grants: readonly Grant[], user: UserRow): UserRow | null {
  if (managesAll(grants)) return user;
  const memberships = user.memberships.filter(({ customerId }) =>
    mayGive(grants, { customerId, role: 'viewer' }),
  );
  return memberships.length ? { ...user, role: null, memberships } : null;
}

/** The users that a manager sees, the manager included. */
export async function usersSeenBy(
  { users }: Pick<Tables, 'users'>,
  { user: self, grants }: Pick<Session, 'user' | 'grants'>,
): Promise<UserRow[]> {
  return (await users.all()).flatMap((user) =>
    user.id === self.id ? self : (userSeenBy(grants, user) ?? []),
  );
}

/**
 * Whether a manager may change a user: nobody may change themselves, or a user with a role above their own.
 * @param seen the user as the manager sees them
 */
export const managesUser = (by: UserRow, seen: UserRow): boolean =>
  by.id !== seen.id && mayGiveAll(validGrants(by), rolesOf(seen));

export const mayGiveAll = (giver: readonly Grant[], given: readonly RoleGrant[]): boolean =>
  given.every((one) => mayGive(giver, one));

export const isUser = (by: Manager): by is UserRow => by !== null && 'id' in by;

/**
 * Call it first within the transaction, so that the answer stays true until the end.
 * @returns the user as stored now, and as `by` sees them
 * @throws Refusal if `by` may not change the user. A user that `by` does not see answers like a removed one
 */
async function managed(
  users: Tables['users'],
  by: Manager,
  { id }: UserRow,
): Promise<{ user: UserRow; seen: UserRow }> {
  const locked = await users.lock(isUser(by) ? [by.id, id] : [id]);
  const user = locked.find((one) => one.id === id);
  if (!user) throw userNotFound();
  if (!by) return { user, seen: user };
  const grants = grantsNow(by, locked);
  const seen = userSeenBy(grants, user);
  if (!seen) throw userNotFound();
  const isSelf = isUser(by) && by.id === id;
  if (isSelf || !mayGiveAll(grants, rolesOf(seen))) throw notPermitted();
  return { user, seen };
}

/** @param locked the users that were locked @throws Refusal if the user who makes the change no longer exists */
function grantsNow(by: Exclude<Manager, null>, locked: readonly UserRow[]): readonly Grant[] {
  if (!isUser(by)) return by;
  const self = locked.find(({ id }) => id === by.id);
  if (!self) throw notPermitted();
  return validGrants(self);
}

/**
 * Like `managed`, for a new log-in, with which one could act with all roles of the user. Managers of some customers are
 * refused for each user: a refusal for some users would tell that they have roles elsewhere.
 */
export async function managedEverywhere(users: Tables['users'], by: Manager, user: UserRow): Promise<void> {
  await managed(users, by, user);
  await checkGiven(users, by, [{ customerId: null, role: 'viewer' }]);
}

/**
 * Call it before an owner loses the role or the password, after `managed`, which keeps who is an owner.
 * @throws Refusal if no other owner has a password
 */
async function keepAnOwner(users: Tables['users'], user: UserRow): Promise<void> {
  if (await isLastOwner(users, user)) throw lastOwner();
}

/** Whether no other owner has a password. */
export async function isLastOwner(users: Tables['users'], { id }: UserRow): Promise<boolean> {
  const withPassword = (await users.all()).filter(
    (user) => user.role === 'owner' && user.password_hash !== null,
  );
  return withPassword.length === 1 && withPassword[0]?.id === id;
}

/** Like `managed`, for roles that are given. */
export async function checkGiven(
  users: Tables['users'],
  by: Manager,
  given: readonly RoleGrant[],
): Promise<void> {
  if (!by) return;
  if (!mayGiveAll(grantsNow(by, isUser(by) ? await users.lock([by.id]) : []), given)) throw notPermitted();
}

/** Random letters that are added to a name given by a manager of some customers. */
export const ADDED_LETTERS = 4;
/** Names that are tried before giving up. */
const NAMES = 10;

/**
 * Adds a user with one role in some or all customers. If `by` does not manage all customers, random letters are added
 * to the name, so that nobody learns which names other customers use.
 * @throws Refusal with all issues, by field
 */
export async function addUser(
  deps: AuditedDeps,
  actor: Actor,
  by: Manager,
  given: Required<UserInput>,
): Promise<UserRow> {
  const isNamed = !by || managesAll(isUser(by) ? validGrants(by) : by);
  const { name, role, customerIds, password } = userInput(given, isNamed ? 0 : ADDED_LETTERS + 1);
  const passwordHash = await hashedOrNull(password);
  return audited<UserRow>(
    deps,
    actor,
    (user) => userEntry(user, 'added', { role, ...customersOf(user) }),
    async ({ store }) => {
      const roles = (customerIds ?? [null]).map((customerId) => ({ customerId, role }));
      await checkGiven(store.users, by, roles);
      await existingCustomers(store, customerIds ?? []);
      return insertWithRoles({ ...deps, store }, namesFor(name, isNamed), roles, passwordHash);
    },
  );
}

/** The names to try, in order. @param isNamed whether the user gets exactly this name */
export const namesFor = (name: string, isNamed: boolean): string[] =>
  isNamed ? [name] : Array.from({ length: NAMES }, () => `${name}-${randomLetters(ADDED_LETTERS)}`);

/** Adds a user under the first free name, without an audit entry. @throws Refusal if all names are taken */
export async function insertWithRoles(
  { store, clock }: UserDeps,
  names: readonly string[],
  roles: readonly RoleGrant[],
  passwordHash: string | null,
): Promise<UserRow> {
  const inAll = roles.find(({ customerId }) => customerId === null)?.role ?? null;
  for (const name of names) {
    const user = await insertUser({ store, clock }, name, inAll, passwordHash);
    if (!user) continue;
    for (const { customerId, role } of roles)
      if (customerId !== null) await store.users.setMembership(user.id, customerId, role as MemberRole);
    return (await store.users.find(user.id)) ?? user;
  }
  throw invalidField('name', 'name', fact('user_name.taken', {}));
}

/** An entry for the audits of the user's customers, each of which names that customer only. */
export const userEntry = (
  user: UserRow,
  verb: string,
  details: Record<string, unknown> = {},
): AuditEntry => ({
  action: `user.${verb}`,
  details: { user: user.name, ...details },
  customers: user.memberships.map(({ customerId, customerName }) => ({
    id: customerId,
    details: { user: user.name, ...details, ...('customers' in details && { customers: [customerName] }) },
  })),
});

const customersOf = ({ memberships }: UserRow) =>
  memberships.length ? { customers: memberships.map(({ customerName }) => customerName) } : {};

/**
 * An entry for a user who got a first role in some customers, or lost all of them, and has others. In the audits of
 * these customers it equals the entry of a new or removed user.
 * @param customers the customers, by which the entry in the audit of the gateway differs from that of a removed user
 */
const entryOfMember = (
  { name: user }: UserRow,
  details: { role?: Role },
  customers: readonly { id: number; name: string | null }[],
): AuditEntry => ({
  action: details.role ? 'user.added' : 'user.removed',
  details: { user, ...details, customers: customers.map(({ name }) => name) },
  customers: customers.map(({ id, name }) => ({
    id,
    details: { user, ...details, ...(details.role && { customers: [name] }) },
  })),
});

/** Adds a user without an audit entry. @param role in all customers @returns null if the name is taken */
export const insertUser = (
  { store, clock }: UserDeps,
  name: string,
  role: Role | null,
  passwordHash: string | null,
): Promise<UserRow | null> =>
  store.users.insert({
    name: accountName(name),
    role,
    password_hash: passwordHash,
    created_at: isoTime(clock()),
  });

/**
 * Ends all sessions and turns the authenticator app off.
 * @param password null: a one-time link will set it
 * @throws Refusal if the password is not allowed
 */
export async function resetPassword(
  deps: AuditedDeps,
  actor: Actor,
  by: Manager,
  user: UserRow,
  password: string | null,
): Promise<void> {
  const passwordHash = await hashOf(user.name, password);
  await audited(deps, actor, userEntry(user, 'password_reset'), async ({ store }) => {
    await managedEverywhere(store.users, by, user);
    if (passwordHash === null) await keepAnOwner(store.users, user);
    await setPassword(store, user.id, passwordHash, null);
    await switchOff(store.users, user.id);
  });
}

/** Makes a new link for a user without a password. The previous link stops working. */
export const replaceLink = (deps: AuditedDeps, actor: Actor, by: Manager, user: UserRow): Promise<void> =>
  audited(deps, actor, userEntry(user, 'link_replaced'), async ({ store }) => {
    await managedEverywhere(store.users, by, user);
    await store.links.removeOf(user.id);
  });

/** Clears the user's failed log-ins. Only for a command. */
export const unlockUser = (deps: AuditedDeps, actor: Actor, user: UserRow): Promise<void> =>
  audited(deps, actor, { action: 'user.unlocked', details: { user: user.name } }, ({ store }) =>
    store.users.update(user.id, { unlocked_at: isoTime(deps.clock()) }),
  );

interface RoleChange {
  before: Role | null;
  after: UserRow;
  customer: CustomerRow | undefined;
  needsLink: boolean;
}

/**
 * Gives a user another role in one customer or in all, or takes it away. A role in a further customer, or in all, ends
 * the link for a password that is not set yet: the manager who has the link could act with the new role.
 * @param customerId null: the role in all customers
 * @param given null removes the role
 * @returns the user with the new role, as `by` sees them, and whether they need a new link
 * @throws Refusal if the role or the customer is unknown, or if it is the only role that `by` sees
 */
export async function changeRole(
  deps: AuditedDeps,
  actor: Actor,
  by: Manager,
  user: UserRow,
  customerId: number | null,
  given: string | null,
): Promise<{ user: UserRow; needsLink: boolean }> {
  const customerIds = customerId === null ? null : [customerId];
  const role = given === null ? null : userInput({ role: given, customerIds }).role;
  const { after, needsLink } = await audited<RoleChange>(
    deps,
    actor,
    ({ before, customer }) => {
      if (before === role) return null;
      if (customer && !(before && role)) return entryOfMember(user, role ? { role } : {}, [customer]);
      return {
        action: 'user.role_changed',
        details: {
          user: user.name,
          ...(customer && { customers: [customer.name] }),
          changes: changesIn({ role: [before, role] }),
        },
        ...(customer && { customers: [{ id: customer.id }] }),
      };
    },
    async ({ store }) => {
      const { user: current, seen } = await managed(store.users, by, user);
      // Also for a role that is taken away, because it may be one that `by` does not see.
      await checkGiven(store.users, by, [{ customerId, role: role ?? 'viewer' }]);
      const [customer] = await existingCustomers(store, customerIds ?? []);
      const roles = rolesOf(seen);
      const before = roles.find((one) => one.customerId === customerId)?.role ?? null;
      if (!role && before && roles.length === 1) throw lastRole();
      if (customerId === null && role !== 'owner') await keepAnOwner(store.users, user);
      if (customerId === null) await store.users.update(user.id, { role });
      else if (role || before)
        await store.users.setMembership(user.id, customerId, role as MemberRole | null);
      const isFurther = role !== null && role !== before && (customerId === null || before === null);
      const needsLink = isFurther && current.password_hash === null;
      if (needsLink) await store.links.removeOf(user.id);
      return { before, customer, needsLink, after: (await managed(store.users, by, user)).seen };
    },
  );
  return { user: after, needsLink };
}

/**
 * Takes away the roles that `by` sees. A user with no others is removed, with all sessions and links; `by` can't tell the
 * difference.
 */
export async function removeUser(deps: AuditedDeps, actor: Actor, by: Manager, user: UserRow): Promise<void> {
  await audited<{ seen: UserRow; isRemoved: boolean }>(
    deps,
    actor,
    ({ seen, isRemoved }) =>
      isRemoved
        ? userEntry(seen, 'removed')
        : entryOfMember(
            seen,
            {},
            seen.memberships.map(({ customerId: id, customerName: name }) => ({ id, name })),
          ),
    async ({ store }) => {
      const { user: current, seen } = await managed(store.users, by, user);
      const isRemoved = rolesOf(seen).length === rolesOf(current).length;
      if (isRemoved) {
        await keepAnOwner(store.users, user);
        await store.sessions.removeOfUser(user.id, null);
        await store.links.removeOf(user.id);
        await store.users.remove(user.id);
      } else
        for (const { customerId } of seen.memberships)
          await store.users.setMembership(user.id, customerId, null);
      return { seen, isRemoved };
    },
  );
}
