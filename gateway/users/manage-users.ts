import { type Tables } from '../store/store';
import { type Role } from '../store/schema';
import { type UserRow } from '../store/tables/users';
import { isoTime, type Clock } from '../time';
import { accountName } from './account-name';
import { hashOfText } from './secret-text';

/** Works inside a change that the audit tells of: see `store/with-audit.ts`. */
export interface UserDeps {
  store: Pick<Tables, 'users' | 'sessions' | 'links'>;
  clock: Clock;
}

/** Why a name is not taken, in a sentence; null where it is. */
export function faultOfName(name: string): string | null {
  if (!name) return 'Choose a name.';
  return /^[\p{L}\p{N}][\p{L}\p{N}._@+-]{0,63}$/u.test(name)
    ? null
    : 'A name has up to 64 letters and digits, and may have . _ - + @ between them.';
}

/** @param passwordHash null: it is still to be set, by a one-time link @returns null where somebody has that name */
export const addUser = (
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

/** The first user, an operator. @returns null where the link is used up, or somebody was faster */
export async function setUpFirstUser(
  deps: UserDeps,
  link: string,
  name: string,
  passwordHash: string,
): Promise<UserRow | null> {
  const { store, clock } = deps;
  if (!(await store.links.take(hashOfText(link), isoTime(clock()))) || (await store.users.any())) return null;
  await store.links.removeOf(null);
  return addUser(deps, name, 'operator', passwordHash);
}

/** @returns null where the link is used up */
export async function setPasswordByLink(
  deps: UserDeps,
  link: string,
  user: UserRow,
  passwordHash: string,
): Promise<UserRow | null> {
  const { store, clock } = deps;
  if (!(await store.links.take(hashOfText(link), isoTime(clock())))) return null;
  await setPassword(deps, user.id, passwordHash, null);
  return user;
}

/**
 * Sets a password, or none, until a link sets one; all sessions of the user end but for one, and so do links that would set
 * another.
 */
export async function setPassword(
  { store }: UserDeps,
  id: number,
  passwordHash: string | null,
  except: string | null,
): Promise<void> {
  await store.users.update(id, { password_hash: passwordHash });
  await store.sessions.removeOfUser(id, except);
  await store.links.removeOf(id);
}

/** Removes a user with all that opens the panel to him. */
export async function removeUser({ store }: UserDeps, id: number): Promise<void> {
  await store.sessions.removeOfUser(id, null);
  await store.links.removeOf(id);
  await store.users.remove(id);
}
