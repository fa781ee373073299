import { refusalOfFailure } from '../cloud-api/failures';
import { Refusal } from '../errors';
import { type Store } from '../store/database';
import { type Refreshed } from '../store/lines';
import { isoTime, SECOND, type Clock } from '../time';
import { type Line } from './line';

/** Between the starts of two refreshes of one line, for all its tokens and all processes. */
export const REFRESH_COOLDOWN = 60 * SECOND;

/** What became of a refresh that was asked for. */
export type RefreshReport =
  | { requested: false }
  | { requested: true; performed: true }
  /** `retry_after` in seconds. */
  | { requested: true; performed: false; reason: 'cooldown'; retry_after: number }
  | { requested: true; performed: false; reason: 'upstream_error' | 'no_credentials' };

export type Refresher = ReturnType<typeof refresher>;

/** Asks upstream again, at most once in a cooldown; those who ask while one runs get its outcome. */
export function refresher(store: Store, clock: Clock) {
  const running = new Map<string, Promise<RefreshReport>>();

  async function start(line: Line, of: Refreshed, perform: () => Promise<void>): Promise<RefreshReport> {
    const now = clock();
    if (!(await store.lines.startRefresh(line.id, of, isoTime(now), isoTime(now - REFRESH_COOLDOWN)))) {
      const last = Date.parse((await store.lines.refreshedAt(line.id, of)) ?? isoTime(now));
      // Another process's clock may be ahead of this one's.
      const left = Math.min(last + REFRESH_COOLDOWN - now, REFRESH_COOLDOWN);
      const wait = Math.max(1, Math.ceil(left / SECOND));
      return { requested: true, performed: false, reason: 'cooldown', retry_after: wait };
    }
    try {
      await perform();
    } catch (error) {
      await store.lines.refreshFailed(line.id, of);
      throw error;
    }
    return { requested: true, performed: true };
  }

  return {
    /**
     * @param perform asks upstream and stores what it tells
     * @param nothingStored whether there is nothing to answer with instead: then upstream's failure is the answer, as 502
     * @throws Refusal then, and what `perform` fails with where that is not upstream's failure
     */
    async refresh(
      line: Line,
      of: Refreshed,
      perform: () => Promise<void>,
      nothingStored: boolean,
    ): Promise<RefreshReport> {
      if (line.accessToken === null) return { requested: true, performed: false, reason: 'no_credentials' };
      const key = `${of} ${line.id}`;
      const attempt = running.get(key) ?? start(line, of, perform).finally(() => running.delete(key));
      running.set(key, attempt);
      try {
        return await attempt;
      } catch (error) {
        const refused = refusalOfFailure(error);
        if (refused === null) throw error;
        if (nothingStored) throw new Refusal(502, refused.errorCode, refused.error);
        return { requested: true, performed: false, reason: 'upstream_error' };
      }
    },
  };
}
