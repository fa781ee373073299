import { SECOND } from '../../time';
import { isDatabaseUnavailable } from '../unavailable';

/** Tracks whether commits succeed. On a full disk, reads still do. */
export interface Writability {
  /** Wraps `commit` and records whether it succeeds. */
  noted<Op, Result>(commit: (ops: Op[]) => Promise<Result[]>): (ops: Op[]) => Promise<Result[]>;
  /**
   * Returns immediately if the last commit succeeded. After `doubtWrites`, or some time after a failed commit,
   * callers share one small trial write.
   * @returns rejects with the error of that write. It throws nothing, because callers await it beside other promises
   */
  canWrite(): Promise<void> | void;
  /** Reports other signs that commits may fail, such as a broken connection or a failed heartbeat. */
  doubtWrites(): void;
}

/** How long a failed commit counts without a trial: on a full disk, a small write may succeed while others fail. */
const LATELY = 3 * SECOND;

/** @param tryOut a small trial write */
export function writability(tryOut: () => Promise<void>): Writability {
  let failure: { error: unknown; at: number } | null = null;
  let trying: Promise<void> | null = null;
  let doubts = 0;
  /** The number of doubts that are settled by a write that began after them. */
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
    canWrite() {
      if (failure && performance.now() - failure.at < LATELY) return Promise.reject(failure.error as Error);
      if (failure || settled < doubts) return (trying ??= tryAgain());
    },
    doubtWrites() {
      doubts += 1;
    },
  };
}
