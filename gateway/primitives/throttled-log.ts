import { performance } from 'node:perf_hooks';
import { SECOND } from '../time';

/** While the database is away or the disk is full, everything fails again and again. */
const A_WHILE = 5 * SECOND;

type Logged = (fields: object, message: string) => void;

/** Logs each message once in a while, with the fields of the first time. @param interval milliseconds */
export function throttledLog(log: Logged, interval = A_WHILE): Logged {
  const loggedAt = new Map<string, number>();
  return (fields, message) => {
    const now = performance.now();
    if (now - (loggedAt.get(message) ?? Number.NEGATIVE_INFINITY) < interval) return;
    loggedAt.set(message, now);
    log(fields, message);
  };
}
