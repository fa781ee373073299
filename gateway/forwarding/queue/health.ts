import { type DestinationRow } from '../../store/tables/destinations';
import { DAY, isoTime, isoTimeOrNull, MINUTE, SECOND } from '../../time';
import { CircuitBreaker } from './circuit-breaker';
import { ConcurrencyLimit, SLOW } from './concurrency-limit';
import { type Outcome } from '../deliver';
import { fact, type Fact } from '../../wording/facts';
import { failureOf } from '../failures';
import { LONGEST_WAIT } from '../retry-schedule';

/**
 * After this long of nothing but failures it is told that it fails, however few events come: with the third attempt of
 * the first event, half a minute after its first (`retry-schedule.ts`).
 */
const FAILING_LONG = 20 * SECOND;

/**
 * After this long it is told of one that is hardly ever tried as well: attempts may be a day apart. Alerts begin with the
 * same time (`alerts/kinds.ts`).
 */
export const FAILING_AFTER = 2 * MINUTE;

/**
 * After this long of nothing but failures it is paused, and its events wait until someone resumes it. Whoever does, or
 * asks for what waits to be tried, gives it as long again. Between two failures no more counts than the longest wait of
 * the schedule: longer, the gateway was off, nothing was to be sent, or the clock was set.
 */
const FAILING_TOO_LONG = 5 * DAY;

/** What is kept of how a destination fares. */
export type Note = Pick<DestinationRow, 'failing_since' | 'last_failure' | 'last_tried_at' | 'next_try_at'>;

/** The same of one that works, for all that is known. */
export const WORKS: Note = {
  failing_since: null,
  last_failure: null,
  last_tried_at: null,
  next_try_at: null,
};

/** What of it a process has to know that begins to send there. */
export type Fares = Pick<Note, 'failing_since' | 'last_tried_at'>;

/** What follows from an outcome for the destination. */
export interface Verdict {
  /** The breaker has opened by that, or has been opened again. */
  opened: boolean;
  /** What is to be kept; null where that is the same as before. */
  note: Note | null;
  /** Why it is to be paused; null where it is not. */
  pauseBecause: Fact | null;
}

export const NOTHING_NEW: Verdict = { opened: false, note: null, pauseBecause: null };

/** How one destination fares, as far as the process knows that sends to it. */
export class DestinationHealth {
  readonly breaker = new CircuitBreaker();
  readonly #limit = new ConcurrencyLimit();
  /** The first failure since the last success, in milliseconds; null where the last attempt succeeded. */
  #failingSince: number | null;
  /** Whether it is kept that it fails; null where nobody knows. */
  #isNoted: boolean | null;
  /** Whether it has accepted anything since this process sends to it: who asks the database knows no better then. */
  #hasAccepted = false;
  /** Whether its last answer came quickly; null where it was never asked. */
  #isQuick: boolean | null = null;

  /** How much counts of the time until it is paused, in milliseconds. */
  #counted = 0;
  /** Up to when that is counted, in milliseconds; null where the last attempt succeeded. */
  #countedTo: number | null = null;

  /**
   * @param kept how it fares, as it is kept
   * @param askedAt when somebody last asked for what waits to be tried (ISO time)
   */
  constructor(kept: Fares = WORKS, askedAt: string | null = null) {
    const { failing_since: since, last_tried_at: triedAt } = kept;
    this.#failingSince = since === null ? null : Date.parse(since);
    this.#isNoted = since !== null;
    if (since === null) return;
    const from = Math.max(Date.parse(since), Date.parse(askedAt ?? since));
    this.#countedTo = Math.max(from, Date.parse(triedAt ?? since));
    this.#counted = this.#countedTo - from;
  }

  get isQuick(): boolean | null {
    return this.#isQuick;
  }

  /** How much may be in flight at once. */
  limit(now: number): number {
    const { probesAt } = this.breaker;
    return probesAt === null ? this.#limit.now(now) : Number(now >= probesAt);
  }

  /** @param inFlight with the one that has been answered */
  judge(eventId: string, outcome: Outcome, inFlight: number, now: number): Verdict {
    this.#isQuick = outcome.httpStatus !== null && outcome.durationMs <= SLOW;
    return outcome.outcome === 'delivered'
      ? this.#succeeded(outcome, inFlight, now)
      : this.#failed(eventId, outcome, now);
  }

  /** Somebody asks for what waits to be tried at once. */
  asked(now: number): void {
    this.#counted = 0;
    this.#countedTo = now;
    this.breaker.probeNow(now);
  }

  /** What was to be kept of it could not be: with the next outcome that is tried again. */
  notKept(): void {
    this.#isNoted = null;
  }

  /**
   * Takes over what its attempts tell, those of other processes and of the time before a restart too.
   * @param first when the first of the failures began since it last accepted something; milliseconds
   * @param reason of the last of them
   * @returns what is to be kept; null where it is known, or fails for a short time only
   */
  remember(first: number, reason: string, now: number): Note | null {
    if (!this.#hasAccepted) this.#failingSince = Math.min(first, this.#failingSince ?? first);
    const since = this.#failingSince;
    if (since === null || this.#isNoted || now - since < FAILING_AFTER) return null;
    this.#isNoted = true;
    return { ...WORKS, failing_since: isoTime(since), last_failure: reason };
  }

  #succeeded({ durationMs }: Outcome, inFlight: number, now: number): Verdict {
    if (this.breaker.probesAt === null) this.#limit.succeeded(durationMs, inFlight, now);
    else this.#limit.recovered(now);
    this.breaker.succeeded();
    this.#failingSince = null;
    this.#counted = 0;
    this.#countedTo = null;
    this.#hasAccepted = true;
    const note = this.#isNoted === false ? null : WORKS;
    this.#isNoted = false;
    return { ...NOTHING_NEW, note };
  }

  #failed(eventId: string, outcome: Outcome, now: number): Verdict {
    const { retryAfter, startedAt } = outcome;
    const since = (this.#failingSince ??= now);
    this.#counted += Math.min(Math.max(now - (this.#countedTo ?? now), 0), LONGEST_WAIT);
    this.#countedTo = now;
    const pauseBecause = reasonToPause(outcome, since, this.#counted);
    this.#limit.failed();
    // What is to be paused is left alone by that until all know of it; where it cannot be paused, a probe tries again.
    const opened = this.breaker.failed(eventId, now, retryAfter, startedAt, pauseBecause !== null);
    if (pauseBecause !== null) return opened ? { opened, note: null, pauseBecause } : NOTHING_NEW;
    // With few events it may never open; and each that gets no answer takes a third of a minute to show it.
    const isLong = this.breaker.probesAt === null && now - since >= FAILING_LONG;
    const isTold = opened || outcome.outcome === 'timeout' || isLong;
    if (!isTold || (this.#isNoted && !opened)) return NOTHING_NEW;
    this.#isNoted = true;
    const note = {
      failing_since: isoTime(since),
      last_failure: failureOf(outcome),
      last_tried_at: opened ? isoTime(startedAt) : null,
      next_try_at: isoTimeOrNull(this.breaker.probesAt),
    };
    return { opened, note, pauseBecause };
  }
}

/**
 * Null where nothing speaks for it.
 * @param since when it has been failing
 * @param counted for how long that counts, in milliseconds
 */
function reasonToPause(outcome: Outcome, since: number, counted: number): Fact | null {
  if (outcome.httpStatus === 410) return fact('paused.gone', {});
  if (counted < FAILING_TOO_LONG) return null;
  return fact('paused.undeliverable', { since: isoTime(since), last: failureOf(outcome) });
}
