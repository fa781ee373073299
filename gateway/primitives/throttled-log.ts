import { performance } from 'node:perf_hooks';
import { SECOND } from '../time';

/** Limits repeats while the database is unavailable or the disk is full, when everything keeps failing. */
const A_WHILE = 5 * SECOND;

type Logged = (fields: object, message: string) => void;

/** Logs each message once per interval, with the fields of its first occurrence. @param interval milliseconds */
export function throttledLog(log: Logged, interval = A_WHILE): Logged {
  const loggedAt = new Map<string, number>();
  return (fields, message) => {
    const now = performance.now();
    if (now - (loggedAt.get(message) ?? Number.NEGATIVE_INFINITY) < interval) return;
    loggedAt.set(message, now);
    log(fields, message);
  };
}
