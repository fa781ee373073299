import { rolesOf, type Grant } from '../rights/grants';
import { type Store } from '../store/store';
import { type Actor } from '../store/tables/audit';
import { type SessionRow } from '../store/tables/sessions';
import { type UserRow } from '../store/tables/users';
import { audited, type AuditedDeps } from '../store/with-audit';
import { type Clock } from '../time';
import { isUser, managedEverywhere, mayGiveAll, type Manager } from './manage-users';
import { hashOfText } from './secret-text';
import { endOf } from './sessions';

/** The public id of a session. Pages and answers never contain the stored hash. */
export const sessionId = ({ hash }: Pick<SessionRow, 'hash'>): string => hashOfText(hash).slice(0, 16);

/** The sessions of a user that have not ended, last seen first. */
export const sessionsOf = async (
  { store, clock }: { store: Pick<Store, 'sessions'>; clock: Clock },
  { id }: Pick<UserRow, 'id'>,
): Promise<SessionRow[]> => (await store.sessions.ofUser(id)).filter((row) => endOf(row, clock()) === null);

/**
 * Whether somebody with these grants sees and ends the sessions of a user, as they may reset the password: they manage
 * users in all customers, and no role of the user is above their own.
 */
export const mayEndSessions = (grants: readonly Grant[], user: UserRow): boolean =>
  mayGiveAll(grants, [{ customerId: null, role: 'viewer' }, ...rolesOf(user)]);

/** Which sessions end: one, by its id; or all but one, by the hash of the one that stays. */
export type Ending = { id: string } | { except: string | null };

/**
 * Ends sessions of a user: one's own, or those of a user whose password `by` may reset. Live pages and downloads end
 * within a second.
 * @returns the number of ended sessions
 * @throws Refusal if `by` may not reset the user's password
 */
export function endSessions(
  deps: AuditedDeps,
  actor: Actor,
  by: Manager,
  user: UserRow,
  ending: Ending,
): Promise<number> {
  const isOwn = isUser(by) && by.id === user.id;
  return audited(
    deps,
    actor,
    (sessions: number) =>
      sessions ? { action: 'user.sessions_ended', details: { user: user.name, sessions } } : null,
    async ({ store }) => {
      if (!isOwn) await managedEverywhere(store.users, by, user);
      const ended = (await sessionsOf({ store, clock: deps.clock }, user)).filter((row) =>
        'id' in ending ? sessionId(row) === ending.id : row.hash !== ending.except,
      );
      for (const { hash } of ended) await store.sessions.remove(hash);
      return ended.length;
    },
  );
}
