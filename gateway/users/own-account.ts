import { appRequired } from '../errors';
import { type Actor } from '../store/tables/audit';
import { type UserRow } from '../store/tables/users';
import { audited, type AuditedDeps } from '../store/with-audit';
import { isoTime } from '../time';
import { insertUser } from './manage-users';
import { hashOfText } from './secret-text';
import { isAppRequired, type Session, type SessionDeps } from './sessions';
import { hashOf, setPassword, switchOff } from './set-password';

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

/** @throws Refusal if the app is required */
export async function switchAppOff(
  deps: AuditedDeps & Pick<SessionDeps, 'requiresApp'>,
  actor: Actor,
  { user, row }: Pick<Session, 'user' | 'row'>,
): Promise<void> {
  if (isAppRequired(deps.requiresApp, user, row)) throw appRequired();
  await audited(deps, actor, { action: 'user.app_switched_off', details: { user: user.name } }, ({ store }) =>
    switchOff(store.users, user.id),
  );
}

export const renewRecoveryCodes = (
  deps: AuditedDeps,
  actor: Actor,
  user: UserRow,
  hashes: string[],
): Promise<void> =>
  audited(deps, actor, { action: 'user.recovery_codes_made', details: { user: user.name } }, ({ store }) =>
    store.users.replaceRecoveryCodes(user.id, hashes),
  );
