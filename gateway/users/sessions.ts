import { type SessionRow } from '../store/tables/sessions';
import { type Store } from '../store/store';
import { type UserRow } from '../store/tables/users';
import { DAY, HOUR, isoTime, MINUTE, type Clock } from '../time';
import { type KnownBrowser } from './known-browser';
import { hashOfText, randomText } from './secret-text';

/**
 * A session ends after half an hour in which nobody asked for a page (a screen that was left; pages that only watch do
 * not count), and after twelve hours in any case: a working day, so that one log-in a day is all it takes.
 */
export const IDLE_END = 30 * MINUTE;
export const ABSOLUTE_END = 12 * HOUR;
/** So long it is known of a session that it ended, and why, for whoever comes back to it. */
const KNOWN_AFTER_END = DAY;
/** The password counts as given for so long, for what asks for it again. */
const CONFIRMED_FOR = 10 * MINUTE;
/** Between the password and the code of the authenticator app. */
const CODE_WITHIN = 5 * MINUTE;
/** "Last seen" is exact to this. */
const SEEN_INTERVAL = MINUTE;

export interface SessionDeps {
  store: Pick<Store, 'users' | 'sessions'>;
  clock: Clock;
}

/** Somebody who is logged in, or whose code is still to come. */
export interface Session {
  /** What the cookie holds. */
  key: string;
  row: SessionRow;
  user: UserRow;
}

/** From where somebody comes. */
export interface RequestOrigin {
  address: string;
  /** What the browser calls itself. */
  browser: string;
  /** Where somebody has logged in with it before. */
  known: KnownBrowser | null;
  /** The page that is asked for, as its route is written. */
  route: string;
}

/**
 * Begins a session under a new key, whatever the browser brought along.
 * @param awaitsCode the code of the authenticator app is still to come: it opens nothing yet
 * @returns what the cookie is to hold
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

/** The session of a cookie; null where it has ended or never was. */
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

/** Why a session is over: nobody was there, or it lasted as long as one may. Null: it is not. */
export function endOf(row: SessionRow, now: number): 'idle' | 'age' | null {
  if (Date.parse(row.seen_at) <= now - IDLE_END) return 'idle';
  const isOld = Date.parse(row.created_at) <= now - (row.awaits_code ? CODE_WITHIN : ABSOLUTE_END);
  return isOld ? 'age' : null;
}

/** A session that has ended by itself. */
export interface EndedSession {
  userId: number;
  end: 'idle' | 'age';
}

/** The session that a cookie still names; null where it goes on, was ended by somebody, or is forgotten. */
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

/** Somebody asked for something: the half hour begins anew. */
export async function markSeen({ store, clock }: SessionDeps, { row }: Session): Promise<void> {
  if (Date.parse(row.seen_at) > clock() - SEEN_INTERVAL) return;
  await store.sessions.update(row.hash, { seen_at: isoTime(clock()) });
}

/** Whether the password was given a moment ago. */
export const isConfirmed = ({ row }: Session, now: number): boolean =>
  Date.parse(row.confirmed_at) > now - CONFIRMED_FOR;
