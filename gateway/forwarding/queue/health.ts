import { type DestinationRow } from '../../store/tables/destinations';
import { isoTime, isoTimeOrNull, SECOND } from '../../time';
import { CircuitBreaker, FAILING_TOO_LONG } from './circuit-breaker';
import { ConcurrencyLimit, SLOW } from './concurrency-limit';
import { type Outcome } from '../deliver';

/**
 * After this long of nothing but failures it is told that it fails, however few events come: with the third attempt of
 * the first event, half a minute after its first (`retry-schedule.ts`).
 */
const FAILING_LONG = 20 * SECOND;

/** What an answer most often means where nobody sees at once. */
const MEANINGS: Record<number, string> = {
  401: 'a log-in or a header is asked for that is not sent',
  403: 'a log-in or a header is asked for that is not sent',
  404: 'nothing is at this address; so answers n8n while the workflow is not active',
};

/** In a few words why an attempt failed. */
export function reasonOf({ outcome, httpStatus }: Pick<Outcome, 'outcome' | 'httpStatus'>): string {
  if (httpStatus === null) return outcome;
  const meaning = MEANINGS[httpStatus];
  return meaning ? `HTTP ${httpStatus}: ${meaning}` : `HTTP ${httpStatus}`;
}

/** The same for customers, in words that do not tell which names there are in the gateway's network. */
export const neutral = (reason: string | null): string | null =>
  reason?.replace(/\b(dns|address_refused)\b/, 'connection') ?? null;

/** What follows from an outcome for the destination. */
export interface Verdict {
  /** The breaker has opened by that, or has been opened again. */
  opened: boolean;
  /** The destination was told to fail, and takes events again. */
  worksAgain: boolean;
  /** What is to be kept of how it fares; null where that is the same as before. */
  note: Pick<DestinationRow, 'failing_since' | 'last_failure' | 'last_tried_at' | 'next_try_at'> | null;
  /** Why it is to be paused; null where it is not. */
  pauseBecause: string | null;
}

export const NOTHING_NEW: Verdict = { opened: false, worksAgain: false, note: null, pauseBecause: null };

/** How one destination fares, as far as the process knows that sends to it. */
export class DestinationHealth {
  readonly breaker: CircuitBreaker;
  readonly #limit = new ConcurrencyLimit();
  /** Whether it is kept that it fails. */
  #isNoted: boolean;
  /** Whether its last answer came quickly; null where it was never asked. */
  #isQuick: boolean | null = null;

  /** @param failingSince as it is kept (ISO time) */
  constructor(failingSince: string | null = null) {
    this.breaker = new CircuitBreaker(failingSince === null ? null : Date.parse(failingSince));
    this.#isNoted = failingSince !== null;
  }

  get isQuick(): boolean | null {
    return this.#isQuick;
  }

  /** How much may be in flight at once. */
  limit(now: number): number {
    return this.breaker.isOpen ? Number(now >= (this.breaker.probesAt ?? 0)) : this.#limit.now(now);
  }

  /** @param inFlight with the one that has been answered */
  judge(eventId: string, outcome: Outcome, inFlight: number, now: number): Verdict {
    this.#isQuick = outcome.httpStatus !== null && outcome.durationMs <= SLOW;
    return outcome.outcome === 'delivered'
      ? this.#succeeded(outcome, inFlight, now)
      : this.#failed(eventId, outcome, now);
  }

  /** What was to be kept of it could not be: with the next outcome that is tried again. */
  notKept(): void {
    this.#isNoted = !this.#isNoted;
  }

  #succeeded({ durationMs }: Outcome, inFlight: number, now: number): Verdict {
    if (this.breaker.isOpen) this.#limit.recovered(now);
    else this.#limit.succeeded(durationMs, inFlight, now);
    this.breaker.succeeded();
    const worksAgain = this.#isNoted;
    this.#isNoted = false;
    const note = worksAgain
      ? { failing_since: null, last_failure: null, last_tried_at: null, next_try_at: null }
      : null;
    return { opened: false, worksAgain, note, pauseBecause: null };
  }

  #failed(eventId: string, outcome: Outcome, now: number): Verdict {
    this.#limit.failed();
    const opened = this.breaker.failed(eventId, now, outcome.retryAfter, outcome.startedAt);
    const since = this.breaker.failingSince ?? now;
    // With few events it may never open; and each that gets no answer takes a third of a minute to show it.
    const isTold =
      opened || outcome.outcome === 'timeout' || (!this.breaker.isOpen && now - since >= FAILING_LONG);
    const reason = reasonOf(outcome);
    const isNews = isTold && (opened || !this.#isNoted);
    if (isNews) this.#isNoted = true;
    const note = isNews
      ? {
          failing_since: isoTime(since),
          last_failure: reason,
          last_tried_at: opened ? isoTime(outcome.startedAt) : null,
          next_try_at: isoTimeOrNull(this.breaker.probesAt),
        }
      : null;
    if (outcome.httpStatus === 410)
      return { opened, worksAgain: false, note, pauseBecause: 'It answered 410 Gone.' };
    const pauseBecause =
      isTold && now - since >= FAILING_TOO_LONG
        ? `Nothing could be delivered since ${isoTime(since)} (last: ${reason}). Its events are kept.`
        : null;
    return { opened, worksAgain: false, note, pauseBecause };
  }
}
