import { MINUTE, SECOND } from '../../time';

/** Different events that have to fail before it opens. */
const EVENTS_TO_OPEN = 5;

/** How long the breaker stays open the first time, the second time and so on, until a success; the last is repeated. */
export const OPEN_FOR = [5 * SECOND, 30 * SECOND, 1 * MINUTE, 2 * MINUTE, 5 * MINUTE];

/** A receiver may ask to be left alone for longer, up to this. */
const LONGEST_RETRY_AFTER = 30 * MINUTE;

/**
 * Decides whether a destination is worth an attempt now.
 *
 * A closed breaker lets attempts through. It opens when several different events have failed without a success in between,
 * or after one failure if the destination is about to be paused. (One event that its receiver never accepts opens nothing:
 * it has its own schedule.) While the breaker is open, nothing goes out and no delivery uses up an attempt. After a wait,
 * one delivery goes out as a probe. A failed probe uses up no attempt either, and makes the next wait longer. Any success
 * closes the breaker.
 *
 * Only the process that owns a destination has its breaker, in memory: after a restart it is closed.
 */
export class CircuitBreaker {
  readonly #failed = new Set<string>();
  #timesOpened = 0;
  #probesAt: number | null = null;
  /** When the next probe was due before a user requested one now; null if none did. */
  #wasDueAt: number | null = null;

  /** When the next probe is due, in milliseconds; null while it is closed. */
  get probesAt(): number | null {
    return this.#probesAt;
  }

  /** Makes a probe due now if the breaker is open. If the probe fails, the next one keeps its time. */
  probeNow(now: number): void {
    if (this.#probesAt === null || this.#probesAt <= now) return;
    this.#wasDueAt ??= this.#probesAt;
    this.#probesAt = now;
  }

  succeeded(): void {
    this.#failed.clear();
    this.#wasDueAt = null;
    this.#timesOpened = 0;
    this.#probesAt = null;
  }

  /**
   * An attempt or a probe has failed.
   * @param retryAfter how long the receiver asks to be left alone, in milliseconds, or null
   * @param began when it was sent; a failure of something sent before the breaker opened is ignored
   * @param isEnough whether this failure alone opens it, because the destination is about to be paused
   * @returns whether the failure has opened the breaker, also again after a probe
   */
  failed(eventId: string, now: number, retryAfter: number | null, began = now, isEnough = false): boolean {
    if (this.#failed.size < EVENTS_TO_OPEN) this.#failed.add(eventId);
    if (this.#failed.size < EVENTS_TO_OPEN && !isEnough && this.#probesAt === null) return false;
    if (this.#probesAt !== null && began < this.#probesAt) return false;
    this.#probesAt = now + Math.max(this.#wait(now), Math.min(retryAfter ?? 0, LONGEST_RETRY_AFTER));
    return true;
  }

  /** The time until the next probe: longer each time, unless a user requested the failed one. */
  #wait(now: number): number {
    const [least = 0] = OPEN_FOR;
    const wasDueAt = this.#wasDueAt;
    this.#wasDueAt = null;
    if (wasDueAt !== null) return Math.max(wasDueAt - now, least);
    return OPEN_FOR[Math.min(this.#timesOpened++, OPEN_FOR.length - 1)] ?? least;
  }
}
