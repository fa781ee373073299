import { HOUR, MINUTE, SECOND } from '../time';

/**
 * How long to wait after each failed attempt: dense in the first minutes, when a receiver restarts, then over seven
 * days, as the platform itself repeats. With the first attempt at once these are 17 attempts.
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

/** A failing delivery holds its lane back for this many attempts: at once, after 5 and after 35 seconds. */
export const HOLDING_ATTEMPTS = 3;
/**
 * From its first failure on the others wait no longer than this, also where its receiver asks for more or is silent.
 */
export const LONGEST_HELD = 35 * SECOND;

/**
 * By up to this part of itself a wait is longer or shorter, so that what failed together does not come back together;
 * one that holds a lane back is never longer.
 */
const JITTER = 0.2;

/** No attempt is planned further ahead than this; one that is was planned by a clock that was ahead. */
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
