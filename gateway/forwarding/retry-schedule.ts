import { HOUR, MINUTE, SECOND } from '../time';

/**
 * The wait after each failed attempt: short at first, when a receiver may be restarting, then over seven days, like
 * the platform's own retries. Including the first, this makes 17 attempts.
 */
export const WAITS = [
  5 * SECOND,
  30 * SECOND,
  2 * MINUTE,
  10 * MINUTE,
  30 * MINUTE,
  1 * HOUR,
  2 * HOUR,
  4 * HOUR,
  8 * HOUR,
  12 * HOUR,
  24 * HOUR,
  24 * HOUR,
  24 * HOUR,
  24 * HOUR,
  24 * HOUR,
  20 * HOUR,
];

/** A failing delivery blocks its contact for this many attempts: immediately, after 5 and after 35 seconds. */
export const HOLDING_ATTEMPTS = 3;
/**
 * The contact is blocked for at most this long after the first failure, even if the receiver requests more or does
 * not respond.
 */
export const LONGEST_HELD = 35 * SECOND;

/**
 * Each wait varies by up to this fraction, so that deliveries that failed together are not retried together. A wait
 * that blocks a contact is never longer.
 */
const JITTER = 0.2;

/** No attempt is planned further ahead, unless the clock was ahead. */
export const LONGEST_WAIT = Math.max(...WAITS) * (1 + JITTER) + MINUTE;

/** The longest wait that a receiver can request: the longest of the schedule. */
const LONGEST_RETRY_AFTER = 24 * HOUR;

/**
 * Milliseconds from the failed attempt to the next one; null after the last.
 * @param attempts made so far, from 1
 * @param retryAfter the wait that the receiver requests, in milliseconds
 * @param random from 0 to 1
 */
export function nextWait(attempts: number, retryAfter: number | null, random: number): number | null {
  const wait = WAITS[attempts - 1];
  if (wait === undefined) return null;
  const spread = attempts < HOLDING_ATTEMPTS ? -random : 2 * random - 1;
  return Math.max(wait * (1 + JITTER * spread), Math.min(retryAfter ?? 0, LONGEST_RETRY_AFTER));
}
