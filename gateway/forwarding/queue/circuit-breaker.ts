import { DAY, MINUTE, SECOND } from '../../time';

/** Different events that have to fail. */
const EVENTS_TO_OPEN = 5;

/** How long it stays open, each time that it opens without a success in between; the last is repeated. */
export const OPEN_FOR = [5 * SECOND, 30 * SECOND, 1 * MINUTE, 2 * MINUTE, 5 * MINUTE];

/** A receiver may ask to be left alone for longer, up to this. */
const LONGEST_RETRY_AFTER = 30 * MINUTE;

/** After this long of nothing but failures a destination is paused, and its events wait until someone resumes it. */
export const FAILING_TOO_LONG = 5 * DAY;

/**
 * Whether a destination is worth an attempt now.
 *
 * Closed, it lets attempts through. Once several different events have failed and none has succeeded in between, it
 * opens: nothing goes out, and no delivery uses up an attempt. (One event that its receiver never takes opens
 * nothing: it has its own schedule.) After a wait it lets one delivery through as a probe. A probe that fails uses up
 * no attempt either, and the next wait is longer. Any success closes it.
 *
 * The process that owns a destination has one for it, in memory: after a restart it is closed. Only since when a
 * destination has been failing is kept, because after days of nothing but failures it is paused.
 */
export class CircuitBreaker {
  readonly #failed = new Set<string>();
  #timesOpened = 0;
  #openUntil: number | null = null;
  #failingSince: number | null;

  /** @param failingSince as it was when the process before this one ended (ms) */
  constructor(failingSince: number | null) {
    this.#failingSince = failingSince;
  }

  get isOpen(): boolean {
    return this.#openUntil !== null;
  }

  /** When the next probe is due, in milliseconds; null while it is closed. */
  get probesAt(): number | null {
    return this.#openUntil;
  }

  /** The first failure since the last success, in milliseconds; null where the last attempt succeeded. */
  get failingSince(): number | null {
    return this.#failingSince;
  }

  /** Where it is open, a probe is due now. */
  probeNow(now: number): void {
    if (this.#openUntil !== null) this.#openUntil = Math.min(this.#openUntil, now);
  }

  succeeded(): void {
    this.#failed.clear();
    this.#timesOpened = 0;
    this.#openUntil = null;
    this.#failingSince = null;
  }

  /**
   * An attempt has failed, or a probe.
   * @param retryAfter how long the receiver asks to be left alone, in milliseconds, or null
   * @param began when it was sent; what was on its way when the breaker opened tells nothing new
   * @returns whether it has opened by that, or has been opened again
   */
  failed(eventId: string, now: number, retryAfter: number | null, began = now): boolean {
    this.#failingSince ??= now;
    if (this.#failed.size < EVENTS_TO_OPEN) this.#failed.add(eventId);
    if (this.#failed.size < EVENTS_TO_OPEN || (this.#openUntil !== null && began < this.#openUntil))
      return false;
    const wait = OPEN_FOR[Math.min(this.#timesOpened, OPEN_FOR.length - 1)] ?? 0;
    this.#timesOpened++;
    this.#openUntil = now + Math.max(wait, Math.min(retryAfter ?? 0, LONGEST_RETRY_AFTER));
    return true;
  }
}
