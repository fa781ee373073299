import { MINUTE, SECOND } from '../../time';

/** Different events that have to fail. */
const EVENTS_TO_OPEN = 5;

/** How long it stays open, each time that it opens without a success in between; the last is repeated. */
export const OPEN_FOR = [5 * SECOND, 30 * SECOND, 1 * MINUTE, 2 * MINUTE, 5 * MINUTE];

/** A receiver may ask to be left alone for longer, up to this. */
const LONGEST_RETRY_AFTER = 30 * MINUTE;

/**
 * Whether a destination is worth an attempt now.
 *
 * Closed, it lets attempts through. Once several different events have failed and none has succeeded in between, or one
 * has in a way that is enough, it opens: nothing goes out, and no delivery uses up an attempt. (One event that its receiver
 * never takes opens nothing: it has its own schedule.) After a wait it lets one delivery through as a probe. A probe that fails uses up
 * no attempt either, and the next wait is longer. Any success closes it.
 *
 * The process that owns a destination has one for it, in memory: after a restart it is closed.
 */
export class CircuitBreaker {
  readonly #failed = new Set<string>();
  #timesOpened = 0;
  #probesAt: number | null = null;
  /** When a probe that somebody asked for would have been made by itself. */
  #wasDueAt: number | null = null;

  /** When the next probe is due, in milliseconds; null while it is closed. */
  get probesAt(): number | null {
    return this.#probesAt;
  }

  /** Where it is open, a probe is due now. Where that fails, the next one is made when it would have been. */
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
   * An attempt has failed, or a probe.
   * @param retryAfter how long the receiver asks to be left alone, in milliseconds, or null
   * @param began when it was sent; what was on its way when the breaker opened tells nothing new
   * @param isEnough whether it opens by that alone: the destination is about to be paused
   * @returns whether it has opened by that, or has been opened again
   */
  failed(eventId: string, now: number, retryAfter: number | null, began = now, isEnough = false): boolean {
    if (this.#failed.size < EVENTS_TO_OPEN) this.#failed.add(eventId);
    if (this.#failed.size < EVENTS_TO_OPEN && !isEnough && this.#probesAt === null) return false;
    if (this.#probesAt !== null && began < this.#probesAt) return false;
    this.#probesAt = now + Math.max(this.#wait(now), Math.min(retryAfter ?? 0, LONGEST_RETRY_AFTER));
    return true;
  }

  /** Until the next probe: each time longer, unless somebody asked for the one that has failed. */
  #wait(now: number): number {
    const [least = 0] = OPEN_FOR;
    const wasDueAt = this.#wasDueAt;
    this.#wasDueAt = null;
    if (wasDueAt !== null) return Math.max(wasDueAt - now, least);
    return OPEN_FOR[Math.min(this.#timesOpened++, OPEN_FOR.length - 1)] ?? least;
  }
}
