import { type DestinationRow } from '../../store/tables/destinations';
import { DAY, isoTime, isoTimeOrNull, MINUTE, SECOND } from '../../time';
import { CircuitBreaker } from './circuit-breaker';
import { ConcurrencyLimit, SLOW } from './concurrency-limit';
import { type Outcome } from '../deliver';
import { fact, type Fact } from '../../wording/facts';
import { failureOf } from '../failures';
import { LONGEST_WAIT } from '../retry-schedule';

/**
 * A destination is marked as failing after this long without a success, even with few events. That is the third
 * attempt of the first event, half a minute after its first (`retry-schedule.ts`).
 */
const FAILING_LONG = 20 * SECOND;

/**
 * A rarely tried destination is also marked as failing after this long, because its attempts may be a day apart.
 * Alerts begin after the same time (`alerts/kinds.ts`).
 */
export const FAILING_AFTER = 2 * MINUTE;

/**
 * A destination is paused after this long without a success. Its events wait until a user resumes it; a resume or a
 * "try now" restarts the time. Between two failures, at most the schedule's longest wait counts: a longer gap means
 * that the gateway was off, had nothing to send, or had its clock set.
 */
const FAILING_TOO_LONG = 5 * DAY;

/** The stored part of a destination's health. */
export type Note = Pick<
  DestinationRow,
  'failing_since' | 'last_failure' | 'failing_seconds' | 'last_tried_at' | 'next_try_at'
>;

/** The note of a destination that works as far as is known. */
export const WORKS: Note = {
  failing_since: null,
  last_failure: null,
  failing_seconds: 0,
  last_tried_at: null,
  next_try_at: null,
};

/** The stored health that a new owner of a destination starts from. */
export type Fares = Pick<Note, 'failing_since' | 'failing_seconds' | 'last_tried_at'>;

/** The effect of an outcome on the destination. */
export interface Verdict {
  /** The breaker opened, or reopened after a probe. */
  opened: boolean;
  /** The note to store; null if unchanged. */
  note: Note | null;
  /** Why the destination is to be paused; null to keep it active. */
  pauseBecause: Fact | null;
}

export const NOTHING_NEW: Verdict = { opened: false, note: null, pauseBecause: null };

/** The health of one destination, as the owning process knows it. */
export class DestinationHealth {
  readonly breaker = new CircuitBreaker();
  readonly #limit = new ConcurrencyLimit();
  /** The first failure since the last success, in milliseconds; null if the last attempt succeeded. */
  #failingSince: number | null;
  /** Whether the stored note marks the destination as failing; null if unknown. */
  #isNoted: boolean | null;
  /**
   * Whether the destination accepted any event since this process owns it. If so, this process knows more than the
   * database.
   */
  #hasAccepted = false;
  /** Whether the last response was quick; null if the destination was never called. */
  #isQuick: boolean | null = null;

  /** Milliseconds that count toward the automatic pause. */
  #counted = 0;
  /** The time up to which `#counted` counts, in milliseconds; null if the last attempt succeeded. */
  #countedTo: number | null = null;

  /**
   * @param kept the stored state
   * @param askedAt the last "try now" request (ISO time)
   */
  constructor(kept: Fares = WORKS, askedAt: string | null = null) {
    const { failing_since: since, failing_seconds: counted, last_tried_at: triedAt } = kept;
    this.#failingSince = since === null ? null : Date.parse(since);
    this.#isNoted = since !== null;
    if (since === null) return;
    const tried = Date.parse(triedAt ?? since);
    const asked = Date.parse(askedAt ?? since);
    this.#countedTo = Math.max(tried, asked);
    this.#counted = asked > tried ? 0 : counted * SECOND;
  }

  get isQuick(): boolean | null {
    return this.#isQuick;
  }

  /** How many attempts may be in flight. */
  limit(now: number): number {
    const { probesAt } = this.breaker;
    return probesAt === null ? this.#limit.now(now) : Number(now >= probesAt);
  }

  /** @param inFlight attempts in flight, including the answered one */
  judge(eventId: string, outcome: Outcome, inFlight: number, now: number): Verdict {
    this.#isQuick = outcome.httpStatus !== null && outcome.durationMs <= SLOW;
    return outcome.outcome === 'delivered'
      ? this.#succeeded(outcome, inFlight, now)
      : this.#failed(eventId, outcome, now);
  }

  /** Called when a user requests a try now. */
  asked(now: number): void {
    this.#counted = 0;
    this.#countedTo = now;
    this.breaker.probeNow(now);
  }

  /** Called when the last note could not be stored: the next outcome creates another. */
  notKept(): void {
    this.#isNoted = null;
  }

  /**
   * Learns from the recorded attempts, including those of other processes and before a restart.
   * @param first when the first failure since the last success began, in milliseconds
   * @param reason of the last failure
   * @returns the note to store; null if it is already stored, or if the destination has failed only for a short time
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
    // The open breaker stops sending until every process knows about the pause. If storing the pause fails, a probe
    // tries again.
    const opened = this.breaker.failed(eventId, now, retryAfter, startedAt, pauseBecause !== null);
    if (pauseBecause !== null) return opened ? { opened, note: null, pauseBecause } : NOTHING_NEW;
    // With few events the breaker may never open, and each attempt without a response takes 20 seconds.
    const isLong = this.breaker.probesAt === null && now - since >= FAILING_LONG;
    const isTold = opened || outcome.outcome === 'timeout' || isLong;
    if (!isTold || (this.#isNoted && !opened)) return NOTHING_NEW;
    this.#isNoted = true;
    const note = {
      failing_since: isoTime(since),
      last_failure: failureOf(outcome),
      failing_seconds: opened ? Math.floor(this.#counted / SECOND) : 0,
      last_tried_at: opened ? isoTime(startedAt) : null,
      next_try_at: isoTimeOrNull(this.breaker.probesAt),
    };
    return { opened, note, pauseBecause };
  }
}

/**
 * @param since when the destination began to fail
 * @param counted milliseconds that count toward the pause
 * @returns null if the destination stays active
 */
function reasonToPause(outcome: Outcome, since: number, counted: number): Fact | null {
  if (outcome.httpStatus === 410) return fact('paused.gone', {});
  if (counted < FAILING_TOO_LONG) return null;
  return fact('paused.undeliverable', { since: isoTime(since), last: failureOf(outcome) });
}
