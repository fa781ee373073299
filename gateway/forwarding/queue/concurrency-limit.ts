import { SECOND } from '../../time';

/** Attempts in flight to a destination at first, so that it is not flooded, and at most, if it keeps up. */
export const FIRST_LIMIT = 8;
export const MOST_LIMIT = 32;

/** An answer that takes longer is slow. */
export const SLOW = SECOND;

/** After this long without an attempt, the limit starts again. */
const IDLE = 30 * SECOND;

/**
 * How many attempts may be in flight to one destination. The limit grows by one with each quick success while all of it
 * is in use. It falls back to the first limit when the destination is slow, fails or was idle. After an outage it begins
 * at one, so that a receiver that has just come back is not flooded.
 */
export class ConcurrencyLimit {
  #limit = FIRST_LIMIT;
  #usedAt = Number.NEGATIVE_INFINITY;

  now(now: number): number {
    if (now - this.#usedAt > IDLE) this.#limit = Math.min(this.#limit, FIRST_LIMIT);
    return this.#limit;
  }

  /** @param inFlight attempts in flight, including the answered one */
  succeeded(durationMs: number, inFlight: number, now: number): void {
    const wasFull = inFlight >= this.now(now);
    this.#usedAt = now;
    if (durationMs > SLOW) this.#limit = Math.min(this.#limit, FIRST_LIMIT);
    else if (wasFull) this.#limit = Math.min(this.#limit + 1, MOST_LIMIT);
  }

  failed(): void {
    this.#limit = Math.min(this.#limit, FIRST_LIMIT);
  }

  /** The first success after an outage. */
  recovered(now: number): void {
    this.#usedAt = now;
    this.#limit = 1;
  }
}
