import { SECOND } from '../../time';
import { isDatabaseUnavailable } from '../unavailable';

/** Knows whether commits succeed: a full disk is read from as ever. */
export interface Writability {
  /** As `commit`; what comes of it is noted. */
  noted<Op, Result>(commit: (ops: Op[]) => Promise<Result[]>): (ops: Op[]) => Promise<Result[]>;
  /**
   * Resolves at once if the last commit succeeded. After `doubtWrites`, and some time after a commit that failed, callers
   * share one small write, and resolve if it succeeds. @throws what is wrong
   */
  canWrite(): Promise<void>;
  /** Another sign that commits may fail: a connection broke, or a heartbeat was not written. */
  doubtWrites(): void;
}

/** So long a commit that failed speaks for itself: on a full disk a small write may succeed where no other does. */
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
