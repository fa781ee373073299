import { HOUR, MINUTE, SECOND } from '../time';

/**
 * The wait after each failed attempt: short in the first minutes, when a receiver may be restarting, then over seven days,
 * like the platform's own retries. With the first attempt, this makes 17.
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

/** A failing delivery holds its contact back for this many attempts: at once, after 5 and after 35 seconds. */
export const HOLDING_ATTEMPTS = 3;
/**
 * The contact waits no longer than this after the first failure, also if the receiver asks for more or is silent.
 */
export const LONGEST_HELD = 35 * SECOND;

/**
 * A wait is longer or shorter by up to this fraction, so that deliveries that failed together do not come back together.
 * A wait that holds a contact back is never longer.
 */
const JITTER = 0.2;

/** No attempt is planned further ahead, unless the clock was ahead. */
export const LONGEST_WAIT = Math.max(...WAITS) * (1 + JITTER) + MINUTE;

/** A receiver may ask for a longer wait than the schedule's, up to the schedule's own longest. */
const LONGEST_RETRY_AFTER = 24 * HOUR;

/**
 * Milliseconds from the failed attempt to the next one; null after the last.
 * @param attempts made so far, from 1
 * @param retryAfter what the receiver asked for, in milliseconds
 * @param random from 0 to 1
 */
export function nextWait(attempts: number, retryAfter: number | null, random: number): number | null {
  const wait = WAITS[attempts - 1];
  if (wait === undefined) return null;
  const spread = attempts < HOLDING_ATTEMPTS ? -random : 2 * random - 1;
  return Math.max(wait * (1 + JITTER * spread), Math.min(retryAfter ?? 0, LONGEST_RETRY_AFTER));
}
