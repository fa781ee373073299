import { DAY, MINUTE, SECOND } from '../time';

/**
 * Whether a destination is worth an attempt now, and how many at once.
 *
 * Closed, it lets attempts through. Once several different events have failed and none has succeeded in between, it
 * opens: nothing goes out, and no delivery uses up an attempt. (One event that its receiver never takes opens
 * nothing: it has its own schedule.) After a wait it lets one delivery through as a probe. A probe that fails uses up
 * no attempt either, and the next wait is longer. Any success closes it; then attempts go one at a time, and with each
 * further success one more at once, so that a receiver that has just come back is not flooded.
 *
 * The process that owns a destination has one for it, in memory: after a restart it is closed. Only since when a
 * destination has been failing is kept, because after days of nothing but failures it is paused.
 */
export interface Breaker {
  /** How many attempts may be on their way at once: none while it is open, one when a probe is due. @param now milliseconds */
  places(now: number): number;
  isOpen(): boolean;
  /** When the next probe is due, in milliseconds; null while it is closed. */
  probesAt(): number | null;
  /** The first failure since the last success, in milliseconds; null where the last attempt succeeded. */
  failingSince(): number | null;
  /** Where it is open, a probe is due now. */
  probeNow(now: number): void;
  succeeded(): void;
  /**
   * An attempt has failed, or a probe.
   * @param retryAfter how long the receiver asks to be left alone, in milliseconds, or null
   * @param began when it was sent; what was on its way when the breaker opened tells nothing new
   * @returns whether it has opened by that, or has been opened again
   */
  failed(eventId: string, now: number, retryAfter: number | null, began?: number): boolean;
}

/** In flight at once to one destination, so that none is flooded. */
export const MOST_PLACES = 8;

/** Different events that have to fail. */
const EVENTS_TO_OPEN = 5;

/** How long it stays open, each time that it opens without a success in between; the last is repeated. */
export const OPEN_FOR = [5 * SECOND, 30 * SECOND, 1 * MINUTE, 2 * MINUTE, 5 * MINUTE];

/** A receiver may ask to be left alone for longer, up to this. */
const LONGEST_RETRY_AFTER = 30 * MINUTE;

/** After this long of nothing but failures a destination is paused, and its events wait until someone resumes it. */
export const FAILING_TOO_LONG = 5 * DAY;

/** @param failingSince as it was when the process before this one ended */
export function createBreaker(failingSince: number | null): Breaker {
  const failed = new Set<string>();
  let timesOpened = 0;
  let openUntil: number | null = null;
  let places = MOST_PLACES;

  return {
    places: (now) => (openUntil === null ? places : now >= openUntil ? 1 : 0),
    isOpen: () => openUntil !== null,
    probesAt: () => openUntil,
    failingSince: () => failingSince,

    probeNow(now) {
      if (openUntil !== null) openUntil = Math.min(openUntil, now);
    },

    succeeded() {
      places = openUntil === null ? Math.min(MOST_PLACES, places + 1) : 1;
      failed.clear();
      timesOpened = 0;
      openUntil = null;
      failingSince = null;
    },

    failed(eventId, now, retryAfter, began = now) {
      failingSince ??= now;
      if (failed.size < EVENTS_TO_OPEN) failed.add(eventId);
      if (failed.size < EVENTS_TO_OPEN || (openUntil !== null && began < openUntil)) return false;
      const wait = OPEN_FOR[Math.min(timesOpened, OPEN_FOR.length - 1)] ?? 0;
      timesOpened++;
      openUntil = now + Math.max(wait, Math.min(retryAfter ?? 0, LONGEST_RETRY_AFTER));
      return true;
    },
  };
}
