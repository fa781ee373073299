import { SECOND } from '../../time';

/** Attempts in flight to a destination: at first, so that it is not flooded, and at most. */
export const FIRST_LIMIT = 8;
export const MOST_LIMIT = 32;

/** A response that takes longer counts as slow. */
export const SLOW = SECOND;

/** After this long without an attempt, the limit is reset. */
const IDLE = 30 * SECOND;

/**
 * How many attempts may be in flight to one destination. The limit grows by one with each quick success while it is
 * fully used. It is reset when the destination is slow, fails or was idle. After an outage it starts at one, so that
 * the recovering receiver is not flooded.
 */
export class ConcurrencyLimit {
  #limit = FIRST_LIMIT;
  #usedAt = Number.NEGATIVE_INFINITY;

  now(now: number): number {
    if (now - this.#usedAt > IDLE) this.#limit = Math.min(this.#limit, FIRST_LIMIT);
    return this.#limit;
  }

  /** @param inFlight attempts in flight, including the one that succeeded */
  succeeded(durationMs: number, inFlight: number, now: number): void {
    const wasFull = inFlight >= this.now(now);
    this.#usedAt = now;
    if (durationMs > SLOW) this.#limit = Math.min(this.#limit, FIRST_LIMIT);
    else if (wasFull) this.#limit = Math.min(this.#limit + 1, MOST_LIMIT);
  }

  failed(): void {
    this.#limit = Math.min(this.#limit, FIRST_LIMIT);
  }

  /** Called on the first success after an outage. */
  recovered(now: number): void {
    this.#usedAt = now;
    this.#limit = 1;
  }
}
