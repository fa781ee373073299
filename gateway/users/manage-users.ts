import { invalidField, notPermitted } from '../errors';
import { isWithin, roleMay, ROLES, type Role } from '../rights/roles';
import { type Tables } from '../store/store';
import { type Actor } from '../store/tables/audit';
import { type UserRow } from '../store/tables/users';
import { audited, changesIn, type AuditedDeps } from '../store/with-audit';
import { isoTime, type Clock } from '../time';
import { fact } from '../wording/facts';
import { accountName } from './account-name';
import { hashPassword } from './password';
import { hashOfText } from './secret-text';
import { userInput, type UserInput } from './user-input';

/** Dependencies within a transaction. */
interface UserDeps {
  store: Pick<Tables, 'users' | 'sessions' | 'links'>;
  clock: Clock;
}

/** The user who makes a change; null for a command, which may change every user. */
type By = UserRow | null;

/**
 * Call it first within the transaction, so that the answer stays true until the end.
 * @throws Refusal `not_permitted` if the user may not manage users of all these roles
 */
async function mayManage(users: Tables['users'], by: By, roles: Role[]): Promise<void> {
  if (!by) return;
  const managers = await users.held(ROLES.filter((role) => roleMay(role, 'people.manage')));
  const self = managers.find(({ id }) => id === by.id);
  if (!self || !roles.every((role) => isWithin(role, self.role))) throw notPermitted();
}

/** Validates and hashes a password. @param password null: a one-time link will set it @throws Refusal */
async function hashOf(name: string, password: string | null): Promise<string | null> {
  return hashedOrNull(userInput({ name, password }).password);
}

const hashedOrNull = async (password: string | null): Promise<string | null> =>
  password === null ? null : hashPassword(password);

/** @throws Refusal with all issues, by field */
export async function addUser(
  deps: AuditedDeps,
  actor: Actor,
  by: By,
  given: Required<UserInput>,
): Promise<UserRow> {
  const { name, role, password } = userInput(given);
  const passwordHash = await hashedOrNull(password);
  return audited<UserRow>(
    deps,
    actor,
    (user) => ({ action: 'user.added', details: { user: user.name, role } }),
    async ({ store }) => {
      await mayManage(store.users, by, [role]);
      const user = await insertUser({ ...deps, store }, name, role, passwordHash);
      if (!user) throw invalidField('name', 'name', fact('user_name.taken', {}));
      return user;
    },
  );
}

/** Adds a user without an audit entry. @returns null if the name is taken */
export const insertUser = (
  { store, clock }: UserDeps,
  name: string,
  role: Role,
  passwordHash: string | null,
): Promise<UserRow | null> =>
  store.users.insert({
    name: accountName(name),
    role,
    password_hash: passwordHash,
    created_at: isoTime(clock()),
  });

/**
 * Creates the first user, an owner.
 * @returns null if the link is used, or if a user exists
 * @throws Refusal with all issues, by field
 */
export async function setUpFirstUser(
  deps: AuditedDeps,
  actor: Actor,
  link: string,
  password: string,
): Promise<UserRow | null> {
  const passwordHash = await hashOf(actor.who, password);
  return audited<UserRow | null>(
    deps,
    actor,
    (user) => user && { action: 'user.set_up', details: { user: user.name, role: 'owner' } },
    async ({ store }) => {
      const isTaken = await store.links.take(hashOfText(link), isoTime(deps.clock()));
      if (!isTaken || (await store.users.any())) return null;
      await store.links.removeOf(null);
      return insertUser({ ...deps, store }, actor.who, 'owner', passwordHash);
    },
  );
}

/** @returns null if the link is used @throws Refusal if the password is not allowed */
export async function setPasswordByLink(
  deps: AuditedDeps,
  actor: Actor,
  link: string,
  user: UserRow,
  password: string,
): Promise<UserRow | null> {
  const passwordHash = await hashOf(user.name, password);
  return audited<UserRow | null>(
    deps,
    actor,
    (set) => set && { action: 'user.password_set', details: { user: set.name, with: 'one-time link' } },
    async ({ store }) => {
      if (!(await store.links.take(hashOfText(link), isoTime(deps.clock())))) return null;
      await setPassword(store, user.id, passwordHash, null);
      return user;
    },
  );
}

/**
 * Changes the user's own password.
 * @param session stays valid; the user's other sessions end
 * @throws Refusal if the password is not allowed
 */
export async function changePassword(
  deps: AuditedDeps,
  actor: Actor,
  user: UserRow,
  password: string,
  session: string,
): Promise<void> {
  const passwordHash = await hashOf(user.name, password);
  await audited(deps, actor, { action: 'user.password_set', details: { user: user.name } }, ({ store }) =>
    setPassword(store, user.id, passwordHash, session),
  );
}

/**
 * Ends all sessions and turns the authenticator app off.
 * @param password null: a one-time link will set it
 * @throws Refusal if the password is not allowed
 */
export async function resetPassword(
  deps: AuditedDeps,
  actor: Actor,
  by: By,
  user: UserRow,
  password: string | null,
): Promise<void> {
  const passwordHash = await hashOf(user.name, password);
  const entry = { action: 'user.password_reset', details: { user: user.name } };
  await audited(deps, actor, entry, async ({ store }) => {
    await mayManage(store.users, by, [user.role]);
    await setPassword(store, user.id, passwordHash, null);
    await switchOff(store.users, user.id);
  });
}

/** Makes a new link for a user without a password. The previous link stops working. */
export const replaceLink = (deps: AuditedDeps, actor: Actor, by: By, user: UserRow): Promise<void> =>
  audited(deps, actor, { action: 'user.link_replaced', details: { user: user.name } }, async ({ store }) => {
    await mayManage(store.users, by, [user.role]);
    await store.links.removeOf(user.id);
  });

/** Clears the user's failed log-ins. */
export const unlockUser = (deps: AuditedDeps, actor: Actor, user: UserRow): Promise<void> =>
  audited(deps, actor, { action: 'user.unlocked', details: { user: user.name } }, ({ store }) =>
    store.users.update(user.id, { unlocked_at: isoTime(deps.clock()) }),
  );

/** @returns the new role @throws Refusal if the role is unknown */
export async function changeRole(
  deps: AuditedDeps,
  actor: Actor,
  by: By,
  user: UserRow,
  given: string,
): Promise<Role> {
  const { role } = userInput({ role: given });
  await audited(
    deps,
    actor,
    {
      action: 'user.role_changed',
      details: { user: user.name, changes: changesIn({ role: [user.role, role] }) },
    },
    async ({ store }) => {
      await mayManage(store.users, by, [user.role, role]);
      await store.users.update(user.id, { role });
    },
  );
  return role;
}

/** Removes a user with all sessions and links. */
export const removeUser = (deps: AuditedDeps, actor: Actor, by: By, user: UserRow): Promise<void> =>
  audited(deps, actor, { action: 'user.removed', details: { user: user.name } }, async ({ store }) => {
    await mayManage(store.users, by, [user.role]);
    await store.sessions.removeOfUser(user.id, null);
    await store.links.removeOf(user.id);
    await store.users.remove(user.id);
  });

/** @param sealed the app's secret @param step time step of the code that proved the app works */
export const switchAppOn = (
  deps: AuditedDeps,
  actor: Actor,
  user: UserRow,
  app: { sealed: string; step: number; recoveryHashes: string[] },
  session: string,
): Promise<void> =>
  audited(
    deps,
    actor,
    { action: 'user.app_switched_on', details: { user: user.name } },
    async ({ store }) => {
      await store.users.update(user.id, { totp_sealed: app.sealed, totp_step: app.step });
      await store.users.replaceRecoveryCodes(user.id, app.recoveryHashes);
      await store.sessions.removeOfUser(user.id, session);
    },
  );

export const switchAppOff = (deps: AuditedDeps, actor: Actor, user: UserRow): Promise<void> =>
  audited(deps, actor, { action: 'user.app_switched_off', details: { user: user.name } }, ({ store }) =>
    switchOff(store.users, user.id),
  );

export const renewRecoveryCodes = (
  deps: AuditedDeps,
  actor: Actor,
  user: UserRow,
  hashes: string[],
): Promise<void> =>
  audited(deps, actor, { action: 'user.recovery_codes_made', details: { user: user.name } }, ({ store }) =>
    store.users.replaceRecoveryCodes(user.id, hashes),
  );

async function switchOff(users: Tables['users'], id: number): Promise<void> {
  await users.update(id, { totp_sealed: null, totp_step: null });
  await users.replaceRecoveryCodes(id, []);
}

/**
 * Sets or removes the password. Ends the user's sessions except one, and revokes links that could set a
 * password.
 */
async function setPassword(
  store: UserDeps['store'],
  id: number,
  passwordHash: string | null,
  except: string | null,
): Promise<void> {
  await store.users.update(id, { password_hash: passwordHash });
  await store.sessions.removeOfUser(id, except);
  await store.links.removeOf(id);
}
