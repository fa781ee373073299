import { rateLimit } from './rate-limit';
import { SECOND, type Clock } from '../time';

export type Warn = (fields: object, message: string) => void;

/** The limit on log lines that an attacker can cause. */
const LINES = { burst: 60, interval: SECOND };

/** Logs warnings that outsiders can cause. After omitted lines, the next line has their number (`untold`). */
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
