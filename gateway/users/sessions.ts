import { type SessionRow } from '../store/tables/sessions';
import { type Store } from '../store/store';
import { type UserRow } from '../store/tables/users';
import { DAY, HOUR, isoTime, MINUTE, type Clock } from '../time';
import { type KnownBrowser } from './known-browser';
import { hashOfText, randomText } from './secret-text';

/**
 * A session ends after half an hour without a page view (live updates do not count), and after twelve hours in any case:
 * a working day, so that one log-in a day is enough.
 */
export const IDLE_END = 30 * MINUTE;
export const ABSOLUTE_END = 12 * HOUR;
/** How long an ended session stays known, so that its user learns why it ended. */
const KNOWN_AFTER_END = DAY;
/** How long a password counts as just confirmed. */
const CONFIRMED_FOR = 10 * MINUTE;
/** The time between the password and the code of the authenticator app, at most. */
const CODE_WITHIN = 5 * MINUTE;
/** The precision of "last seen". */
const SEEN_INTERVAL = MINUTE;

export interface SessionDeps {
  store: Pick<Store, 'users' | 'sessions'>;
  clock: Clock;
}

/** A user who is logged in, or whose code is still awaited. */
export interface Session {
  /** The cookie's value. */
  key: string;
  row: SessionRow;
  user: UserRow;
}

/** The address of a request. */
export interface RequestOrigin {
  address: string;
  /** The browser's own description of itself. */
  browser: string;
  /** Null if no user has logged in with this browser before. */
  known: KnownBrowser | null;
  /** The requested page, as its route pattern. */
  route: string;
}

/**
 * Begins a session with a new key, whatever the browser's cookie was.
 * @param awaitsCode whether the code of the authenticator app is still required: until then the session gives
 * no access
 * @returns the value of the cookie
 */
export async function beginSession(
  { store, clock }: SessionDeps,
  user: UserRow,
  from: Pick<RequestOrigin, 'address' | 'browser'>,
  awaitsCode: boolean,
): Promise<string> {
  const key = randomText();
  const now = isoTime(clock());
  const forgotten = clock() - KNOWN_AFTER_END;
  await store.sessions.removeEnded(isoTime(forgotten - IDLE_END), isoTime(forgotten - ABSOLUTE_END));
  await store.sessions.insert({
    hash: hashOfText(key),
    user_id: user.id,
    created_at: now,
    seen_at: now,
    confirmed_at: now,
    awaits_code: awaitsCode ? 1 : 0,
    address: from.address,
    browser: from.browser.slice(0, 300),
    notice: null,
  });
  if (!awaitsCode) await store.users.update(user.id, { last_log_in_at: now });
  return key;
}

/** The session of a cookie; null if it has ended or never existed. */
export async function findSession(
  { store, clock }: SessionDeps,
  key: string | undefined,
): Promise<Session | null> {
  if (!key || !/^[\w-]{43}$/.test(key)) return null;
  const row = await store.sessions.find(hashOfText(key));
  if (!row || endOf(row, clock()) !== null) return null;
  const user = await store.users.find(row.user_id);
  return user && { key, row, user };
}

/** Why a session has ended: it was idle, or it reached the maximum age. Null: it has not. */
export function endOf(row: SessionRow, now: number): 'idle' | 'age' | null {
  if (Date.parse(row.seen_at) <= now - IDLE_END) return 'idle';
  const isOld = Date.parse(row.created_at) <= now - (row.awaits_code ? CODE_WITHIN : ABSOLUTE_END);
  return isOld ? 'age' : null;
}

/** A session that has expired. */
export interface EndedSession {
  userId: number;
  end: 'idle' | 'age';
}

/** The expired session of a cookie; null if it is still valid, was ended by a user, or is forgotten. */
export async function findEndedSession(
  { store, clock }: SessionDeps,
  key: string | undefined,
): Promise<EndedSession | null> {
  if (!key || !/^[\w-]{43}$/.test(key)) return null;
  const row = await store.sessions.find(hashOfText(key));
  if (!row || row.awaits_code) return null;
  const end = endOf(row, clock());
  return end && { userId: row.user_id, end };
}

/** Restarts the idle time, because the user requested something. */
export async function markSeen({ store, clock }: SessionDeps, { row }: Session): Promise<void> {
  if (Date.parse(row.seen_at) > clock() - SEEN_INTERVAL) return;
  await store.sessions.update(row.hash, { seen_at: isoTime(clock()) });
}

/** Whether the password was confirmed a moment ago. */
export const isConfirmed = ({ row }: Session, now: number): boolean =>
  Date.parse(row.confirmed_at) > now - CONFIRMED_FOR;
