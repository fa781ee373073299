import { SECOND } from '../../time';

/** How much is in flight to a destination at first, so that none is flooded; and at most, to one that keeps up with it. */
export const FIRST_LIMIT = 8;
export const MOST_LIMIT = 32;

/** An answer that takes longer is slow. */
export const SLOW = SECOND;

/** A destination to which nothing went for so long begins anew. */
const IDLE = 30 * SECOND;

/**
 * How much may be in flight to one destination at once. It grows by one with each quick success while all of it is in
 * use, and falls back to where it began when the destination is slow, fails or was idle. After an outage it begins at
 * one, so that a receiver that has just come back is not flooded.
 */
export class ConcurrencyLimit {
  #limit = FIRST_LIMIT;
  #usedAt = Number.NEGATIVE_INFINITY;

  now(now: number): number {
    if (now - this.#usedAt > IDLE) this.#limit = Math.min(this.#limit, FIRST_LIMIT);
    return this.#limit;
  }

  /** @param inFlight with the one that has been answered */
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
