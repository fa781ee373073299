import { SECOND } from '../../time';
import { isDatabaseUnavailable } from '../unavailable';

/** Knows whether commits succeed: reads still succeed on a full disk. */
export interface Writability {
  /** Wraps `commit` and notes whether it succeeds. */
  noted<Op, Result>(commit: (ops: Op[]) => Promise<Result[]>): (ops: Op[]) => Promise<Result[]>;
  /**
   * Resolves at once if the last commit succeeded. After `doubtWrites`, and some time after a failed commit,
   * callers share one small write, and resolve if it succeeds.
   * @throws the error of the write
   */
  canWrite(): Promise<void>;
  /** Reports another sign that commits may fail: a connection broke, or a heartbeat was not written. */
  doubtWrites(): void;
}

/** How long a failed commit counts by itself: on a full disk a small write may succeed although others fail. */
const LATELY = 3 * SECOND;

/** @param tryOut writes something small */
export function writability(tryOut: () => Promise<void>): Writability {
  let failure: { error: unknown; at: number } | null = null;
  let trying: Promise<void> | null = null;
  let doubts = 0;
  /** Doubts that a write which began after them has settled. */
  let settled = 0;

  async function tryAgain(): Promise<void> {
    const [noted, before] = [failure, doubts];
    try {
      await tryOut();
      if (failure === noted) failure = null;
      settled = Math.max(settled, before);
    } catch (error) {
      if (isDatabaseUnavailable(error)) failure = { error, at: performance.now() };
      throw error;
    } finally {
      trying = null;
    }
  }

  return {
    noted: (commit) => async (ops) => {
      const before = doubts;
      try {
        const results = await commit(ops);
        failure = null;
        settled = Math.max(settled, before);
        return results;
      } catch (error) {
        if (isDatabaseUnavailable(error)) failure = { error, at: performance.now() };
        throw error;
      }
    },
    async canWrite() {
      if (failure && performance.now() - failure.at < LATELY) throw failure.error;
      if (failure || settled < doubts) await (trying ??= tryAgain());
    },
    doubtWrites() {
      doubts += 1;
    },
  };
}
