import { validGrants, type Grant } from '../rights/grants';
import { type SessionRow } from '../store/tables/sessions';
import { type Store } from '../store/store';
import { type UserRow } from '../store/tables/users';
import { DAY, HOUR, isoTime, MINUTE, type Clock } from '../time';
import { type KnownBrowser } from './known-browser';
import { hashOfText, randomText } from './secret-text';

/**
 * A session ends after 30 minutes without a page view; live updates don't count. It ends after 12 hours in any
 * case: one log-in per working day is enough.
 */
const IDLE_END = 30 * MINUTE;
const ABSOLUTE_END = 12 * HOUR;
/** How long an ended session is remembered, so that its user can be told why it ended. */
const KNOWN_AFTER_END = DAY;
/** How long a confirmed password counts as recent. */
const CONFIRMED_FOR = 10 * MINUTE;
/** Most time between the password and the code of the authenticator app. */
const CODE_WITHIN = 5 * MINUTE;
/** "Last seen" is stored at most this often. */
const SEEN_INTERVAL = MINUTE;

export interface SessionDeps {
  store: Pick<Store, 'users' | 'sessions'>;
  clock: Clock;
  /** Whether the gateway requires an authenticator app of every user. */
  requiresApp: boolean;
}

/** A logged-in user, or a user whose code is still missing. */
export interface Session {
  /** The value of the cookie. */
  key: string;
  row: SessionRow;
  user: UserRow;
  /** Never empty. */
  grants: readonly Grant[];
  /** Whether the user must set up an authenticator app before anything else. */
  needsApp: boolean;
}

/** Where a request comes from. */
export interface RequestOrigin {
  address: string;
  /** The browser's `User-Agent`. */
  browser: string;
  /** Null if no user has logged in with this browser. */
  known: KnownBrowser | null;
  /** The route pattern of the requested page. */
  route: string;
}

/** The person at an OpenID Connect provider who logged in. */
export interface LoggedInPerson {
  issuer: string;
  subject: string;
  /** The provider's session; null if unknown. */
  session: string | null;
  /** When the person last entered a password there, in milliseconds; null if unknown. */
  authenticatedAt: number | null;
  /** Whether the provider confirmed a second factor that replaces the code of the authenticator app. */
  hasSecondFactor: boolean;
}

/**
 * Starts a session with a new key, whatever the browser's cookie was.
 * @param awaitsCode whether the authenticator code is still missing; until then the session gives no access
 * @param person null for a log-in with a password
 * @returns the value of the cookie
 */
export async function beginSession(
  { store, clock }: Pick<SessionDeps, 'store' | 'clock'>,
  user: UserRow,
  from: Pick<RequestOrigin, 'address' | 'browser'>,
  awaitsCode: boolean,
  person: LoggedInPerson | null = null,
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
    confirmed_at: person ? isoTime(Math.min(person.authenticatedAt ?? 0, clock())) : now,
    awaits_code: awaitsCode ? 1 : 0,
    address: from.address,
    browser: from.browser.slice(0, 300),
    notice: null,
    ...(person && {
      issuer: person.issuer,
      subject: person.subject,
      provider_session: person.session,
      has_second_factor: Number(person.hasSecondFactor),
    }),
  });
  if (!awaitsCode) await store.users.update(user.id, { last_log_in_at: now });
  return key;
}

/** The person at a provider who began a session; null if a password did. */
export const personIn = ({ issuer, subject, ...row }: SessionRow): LoggedInPerson | null =>
  issuer === null || subject === null
    ? null
    : {
        issuer,
        subject,
        session: row.provider_session,
        authenticatedAt: Date.parse(row.confirmed_at),
        hasSecondFactor: row.has_second_factor === 1,
      };

/** Finds the session of a cookie; null if it ended or never existed, or if all customers of the user are suspended. */
export async function findSession(
  { store, clock, requiresApp }: SessionDeps,
  key: string | undefined,
): Promise<Session | null> {
  if (!key || !/^[\w-]{43}$/.test(key)) return null;
  const row = await store.sessions.find(hashOfText(key));
  if (!row || endOf(row, clock()) !== null) return null;
  const user = await store.users.find(row.user_id);
  const grants = user ? validGrants(user) : [];
  if (!user || !grants.length) return null;
  const needsApp = user.totp_sealed === null && isAppRequired(requiresApp, user, row);
  return { key, row, user, grants, needsApp };
}

/** Whether this session needs an authenticator app, which can then not be switched off. */
export const isAppRequired = (byGateway: boolean, user: UserRow, row: SessionRow): boolean =>
  (byGateway || user.requiresApp) && !row.has_second_factor;

/** Why a session ended: too long idle, or too old. Null if it is valid. */
export function endOf(row: SessionRow, now: number): 'idle' | 'age' | null {
  if (Date.parse(row.seen_at) <= now - IDLE_END) return 'idle';
  const isOld = Date.parse(row.created_at) <= now - (row.awaits_code ? CODE_WITHIN : ABSOLUTE_END);
  return isOld ? 'age' : null;
}

/** An expired session that is still remembered. */
export interface EndedSession {
  userId: number;
  end: 'idle' | 'age';
}

/**
 * Finds the expired session of a cookie; null if the session is valid, was ended by a user, or is no longer
 * stored.
 */
export async function findEndedSession(
  { store, clock }: Pick<SessionDeps, 'store' | 'clock'>,
  key: string | undefined,
): Promise<EndedSession | null> {
  if (!key || !/^[\w-]{43}$/.test(key)) return null;
  const row = await store.sessions.find(hashOfText(key));
  if (!row || row.awaits_code) return null;
  const end = endOf(row, clock());
  return end && { userId: row.user_id, end };
}

/** Restarts the idle time after a request by the user. */
export async function markSeen(
  { store, clock }: Pick<SessionDeps, 'store' | 'clock'>,
  { row }: Session,
): Promise<void> {
  if (Date.parse(row.seen_at) > clock() - SEEN_INTERVAL) return;
  await store.sessions.update(row.hash, { seen_at: isoTime(clock()) });
}

/** Whether the password was confirmed recently. */
export const isConfirmed = ({ row }: Session, now: number): boolean =>
  Date.parse(row.confirmed_at) > now - CONFIRMED_FOR;
