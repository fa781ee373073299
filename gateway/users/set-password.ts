import { type Tables } from '../store/store';
import { hashPassword } from './password';
import { userInput } from './user-input';

/** Validates and hashes a password. @param password null: a one-time link will set it @throws Refusal */
export async function hashOf(name: string, password: string | null): Promise<string | null> {
  return hashedOrNull(userInput({ name, password }).password);
}

export const hashedOrNull = async (password: string | null): Promise<string | null> =>
  password === null ? null : hashPassword(password);

/** Switches the authenticator app off. */
export async function switchOff(users: Tables['users'], id: number): Promise<void> {
  await users.update(id, { totp_sealed: null, totp_step: null });
  await users.replaceRecoveryCodes(id, []);
}

/**
 * Sets or removes the password. Ends the user's sessions except one, and revokes links that could set a
 * password.
 */
export async function setPassword(
  store: Pick<Tables, 'users' | 'sessions' | 'links'>,
  id: number,
  passwordHash: string | null,
  except: string | null,
): Promise<void> {
  await store.users.update(id, { password_hash: passwordHash });
  await store.sessions.removeOfUser(id, except);
  await store.links.removeOf(id);
}
