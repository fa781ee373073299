import { MINUTE, SECOND } from '../../time';

/** The number of different events that must fail before the breaker opens. */
const EVENTS_TO_OPEN = 5;

/** How long the breaker stays open after each consecutive failure; the last value is repeated. */
export const OPEN_FOR = [5 * SECOND, 30 * SECOND, 1 * MINUTE, 2 * MINUTE, 5 * MINUTE];

/** The longest wait that a receiver can request. */
const LONGEST_RETRY_AFTER = 30 * MINUTE;

/**
 * Decides whether a destination may get an attempt now.
 *
 * A closed breaker allows all attempts. It opens when several different events fail without a success in between, or
 * after one failure if the destination is about to be paused. A single event that its receiver always rejects does
 * not open it: that event follows its own schedule. While the breaker is open, deliveries wait without using up
 * attempts. After the wait, one delivery is sent as a probe. A failed probe uses up no attempt either, and makes the
 * next wait longer. Any success closes the breaker.
 *
 * The breaker is in the memory of the process that owns the destination, and is closed after a restart.
 */
export class CircuitBreaker {
  readonly #failed = new Set<string>();
  #timesOpened = 0;
  #probesAt: number | null = null;
  /** The regular time of the next probe while a user's request replaces it; null if there is no request. */
  #wasDueAt: number | null = null;

  /** When the next probe is due, in milliseconds; null while the breaker is closed. */
  get probesAt(): number | null {
    return this.#probesAt;
  }

  /** Makes a probe due now if the breaker is open. If this probe fails, the next one keeps its regular time. */
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
   * Called when an attempt or a probe fails.
   * @param retryAfter the wait that the receiver requests, in milliseconds, or null
   * @param began when the attempt was sent; a failure sent before the breaker opened is ignored
   * @param isEnough whether this failure alone opens the breaker, because the destination is about to be paused
   * @returns whether the failure opened the breaker, or reopened it after a probe
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
