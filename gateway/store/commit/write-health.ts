import { SECOND } from '../../time';
import { isDatabaseUnavailable } from '../unavailable';

/** Knows whether commits succeed: a full disk is read from as ever. */
export interface Writability {
  /** As `commit`; what comes of it is noted. */
  noted<Op, Result>(commit: (ops: Op[]) => Promise<Result[]>): (ops: Op[]) => Promise<Result[]>;
  /** Resolves where the last commit succeeded, and some time after one that failed where another write does. @throws what is wrong */
  canWrite(): Promise<void>;
}

/** So long a commit that failed speaks for itself: on a full disk a small write may succeed where no other does. */
const LATELY = 3 * SECOND;

/** @param tryOut writes something small */
export function writability(tryOut: () => Promise<void>): Writability {
  let failure: { error: unknown; at: number } | null = null;
  return {
    noted: (commit) => async (ops) => {
      try {
        const results = await commit(ops);
        failure = null;
        return results;
      } catch (error) {
        if (isDatabaseUnavailable(error)) failure = { error, at: performance.now() };
        throw error;
      }
    },
    async canWrite() {
      const noted = failure;
      if (!noted) return;
      if (performance.now() - noted.at < LATELY) throw noted.error;
      await tryOut();
      if (failure === noted) failure = null;
    },
  };
}
