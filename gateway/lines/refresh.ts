import { refusalOfFailure } from '../cloud-api/failures';
import { type Store } from '../store/store';
import { type Asker, type Refreshed } from '../store/tables/lines';
import { isoTime, SECOND, type Clock } from '../time';
import { type Line } from './line';

/**
 * The minimum time between the starts of two refreshes of a line, for all tokens and processes. It applies between
 * two requested by users, and before each one started by the gateway itself, so that the gateway never makes a user
 * wait.
 */
export const REFRESH_COOLDOWN = 60 * SECOND;

/** The result of a requested refresh. */
export type RefreshReport =
  | { requested: false }
  | { requested: true; performed: true }
  /** `retry_after` in seconds. */
  | { requested: true; performed: false; reason: 'cooldown'; retry_after: number }
  | { requested: true; performed: false; reason: 'upstream_error' | 'no_credentials' };

/** Characters of the platform's error message that are stored. */
const LONGEST_WORDS = 300;

export type Refresher = ReturnType<typeof refresher>;

/**
 * Reads from the platform, at most once per cooldown. Callers during a refresh share its result. A user who shares
 * one starts a cooldown too.
 */
export function refresher(store: Store, clock: Clock) {
  /** Refreshes in progress, from the check of the cooldown to their end. */
  const running = new Map<string, { asker: Asker; report: Promise<RefreshReport> }>();
  /** Requests to the platform in progress. */
  const calls = new Map<string, Promise<void>>();

  function call(key: string, line: Line, of: Refreshed, perform: () => Promise<void>): Promise<void> {
    const onItsWay = calls.get(key);
    if (onItsWay) return onItsWay;
    const begun = perform()
      .catch(async (error: unknown) => {
        await store.lines.refreshFailed(line.id, of, of === 'status' ? refusedCredentials(error) : null);
        throw error;
      })
      .finally(() => calls.delete(key));
    calls.set(key, begun);
    return begun;
  }

  /** When the platform refused the line's credentials, and its error message; null for other failures. */
  function refusedCredentials(error: unknown): { at: string; because: string } | null {
    if (refusalOfFailure(error)?.errorCode !== 'upstream_auth_failed') return null;
    return { at: isoTime(clock()), because: (error as Error).message.slice(0, LONGEST_WORDS) };
  }

  async function start(
    key: string,
    line: Line,
    of: Refreshed,
    asker: Asker,
    perform: () => Promise<void>,
  ): Promise<RefreshReport> {
    const now = clock();
    const since = isoTime(now - REFRESH_COOLDOWN);
    if (await store.lines.startRefresh(line.id, of, asker, isoTime(now), since)) {
      await call(key, line, of, perform);
      return { requested: true, performed: true };
    }
    const last = Date.parse((await store.lines.refreshedAt(line.id, of, asker)) ?? isoTime(now));
    // Another process's clock may be ahead.
    const left = Math.min(last + REFRESH_COOLDOWN - now, REFRESH_COOLDOWN);
    const wait = Math.max(1, Math.ceil(left / SECOND));
    return { requested: true, performed: false, reason: 'cooldown', retry_after: wait };
  }

  /** Registers a running refresh, so that later callers share it. */
  function shared(key: string, asker: Asker, report: Promise<RefreshReport>): Promise<RefreshReport> {
    const begun = { asker, report };
    running.set(key, begun);
    const end = () => running.get(key) === begun && running.delete(key);
    report.then(end, end);
    return report;
  }

  return {
    /**
     * @param asker a user, or the gateway itself
     * @param perform reads from the platform and stores the result
     * @param nothingStored whether no stored data exists: a failure of the platform is then returned as 502
     * @throws Refusal in that case; and the error of `perform` if it is not a failure of the platform
     */
    async refresh(
      line: Line,
      of: Refreshed,
      asker: Asker,
      perform: () => Promise<void>,
      nothingStored: boolean,
    ): Promise<RefreshReport> {
      if (line.accessToken === null) return { requested: true, performed: false, reason: 'no_credentials' };
      const key = `${of} ${line.id}`;
      const before = running.get(key);
      const joins = before && (asker === 'gateway' || before.asker === 'person');
      try {
        return await (joins ? before.report : shared(key, asker, start(key, line, of, asker, perform)));
      } catch (error) {
        const refused = refusalOfFailure(error);
        if (refused === null) throw error;
        if (nothingStored) throw refused.as(502);
        return { requested: true, performed: false, reason: 'upstream_error' };
      }
    },
  };
}
