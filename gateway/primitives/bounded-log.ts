import { rateLimit } from './rate-limit';
import { SECOND, type Clock } from '../time';

export type Warn = (fields: object, message: string) => void;

/** Who attacks writes no more of the log than this. */
const LINES = { burst: 60, interval: SECOND };

/**
 * Logs warnings that strangers can cause. If there are too many, the next line has the number of omitted ones
 * (`untold`).
 */
export function boundedLog(log: { warn: Warn }, clock: Clock): Warn {
  const lines = rateLimit(LINES, clock);
  let untold = 0;
  return (fields, message) => {
    if (lines.take('').wait) return void untold++;
    const left = untold ? { untold } : {};
    untold = 0;
    log.warn({ ...fields, ...left }, message);
  };
}
