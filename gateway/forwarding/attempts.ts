import { type HttpClient } from '../http/http-client';
import { type Store } from '../store/store';
import { type Vault } from '../store/vault';
import { type AttemptRecord } from '../store/commit/writes';
import { isFaultOfData } from '../store/fault-of-data';
import { isoTime, SECOND, type Clock } from '../time';
import { callbackOf, isUnwanted, nextWaitOfAnswer, outcomeOfAnswer } from './answers';
import { deliver, type Outcome } from './deliver';
import { isOfQuestions, type Destination } from './destination';
import { type DestinationLeases } from './destination-leases';
import { type Fact } from '../wording/facts';
import { say } from '../wording/say';
import { failureOf } from './failures';
import { type DestinationQueue } from './queue/destination-queue';
import { type Verdict } from './queue/health';
import { type HeldDelivery } from './queue/held-deliveries';
import { type Release } from './queue/in-flight';
import { nextWait } from './retry-schedule';
import { type Turn } from './queue/turn';

export interface AttemptDeps {
  store: Store;
  /** Decrypts the callback URLs and secrets of questions. */
  vault: Vault;
  /** Sends an answer whose delivery was given up to the line's destinations. */
  releaseAnswer(eventId: string): Promise<void>;
  leases: Pick<DestinationLeases, 'isSure'>;
  /** Notified when an attempt ends, and when recording works again. */
  turn: Pick<Turn<unknown>, 'freed' | 'wake'>;
  http: HttpClient;
  clock: Clock;
  /** Phone number id of a line, for `X-Gateway-Line`. */
  lineName(lineId: number): string;
  /** Pauses a destination, which changes the registry. */
  pause(destination: Destination, reason: Fact): Promise<void>;
  /** Whether the platform confirms the gateway's clock. One that is far ahead would pause every failing destination. */
  isClockConfirmed(): Promise<boolean>;
  /**
   * Counts an attempt. @param waited milliseconds from the event's arrival to its first attempt; null for a later one and
   * for a failed probe
   */
  attempted(outcome: string, milliseconds: number, waited: number | null): void;
  log: Record<'debug' | 'warn' | 'error', (fields: object, message: string) => void>;
}

/** The wait before recording an attempt is retried. */
const RECORD_AGAIN = SECOND;
/** Characters stored of each response after the first: 16 attempts for each of many events add up. */
const LATER_ANSWER = 1024;

/** The attempts of this process. Each is made once; recording it is retried until it succeeds. */
export class Attempts {
  readonly #deps: AttemptDeps;
  readonly #running = new Set<Promise<void>>();
  #unrecordable = 0;
  #isStopping = false;

  constructor(deps: AttemptDeps) {
    this.#deps = deps;
  }

  /** Whether recording fails. An attempt made now might be repeated after a restart. */
  get isStuck(): boolean {
    return this.#unrecordable > 0;
  }

  /** Resolves when all attempts are recorded, or when recording fails again. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    await Promise.all(this.#running);
  }

  /**
   * Makes one attempt and reports the result to the queue. @param release frees its place in flight; called on the
   * response
   */
  make(queue: DestinationQueue, delivery: HeldDelivery, release: Release): void {
    const attempt = this.#make(queue, delivery, release).then(() => void this.#running.delete(attempt));
    this.#running.add(attempt);
  }

  async #make(queue: DestinationQueue, delivery: HeldDelivery, release: Release): Promise<void> {
    const { attempted, turn, log } = this.#deps;
    const isProbe = queue.state === 'open';
    const number = delivery.attempts + 1;
    const sent = await this.#send(queue, delivery, number, isProbe);
    release();
    turn.freed();
    if (!sent) return queue.returned(delivery);
    const { outcome, destination } = sent;
    const { outcome: word, httpStatus, durationMs, startedAt } = outcome;
    const isAnswer = isOfQuestions(destination);
    // A missing callback URL does not make its server unhealthy.
    const judged = isAnswer && isUnwanted(outcome) ? { ...outcome, outcome: 'delivered' as const } : outcome;
    const isUsed = !isProbe || judged.outcome === 'delivered';
    attempted(word, durationMs, number === 1 && isUsed ? startedAt - delivery.dueAt : null);
    const { eventId } = delivery;
    log.debug(
      {
        eventId,
        destination: destination.id,
        attempt: number,
        isProbe,
        outcome: word,
        httpStatus,
        durationMs,
      },
      'attempt',
    );
    const verdict = queue.answered(delivery, judged);
    const hasNews = !isAnswer && (verdict.note !== null || verdict.pauseBecause !== null);
    const kept = hasNews ? this.#keepHealth(queue, destination, verdict, outcome) : null;
    if (!isUsed) {
      await kept;
      return queue.returned(delivery);
    }
    const record = recordOf(destination.id, delivery, number, outcome, isAnswer);
    const moved = await this.#record(record);
    if (kept) await kept;
    if (record.state === 'dead' && moved) {
      const of = { eventId, destination: destination.id, attempt: number };
      log.warn({ ...of, reason: failureOf(outcome) }, 'event given up: it can be replayed');
      if (isAnswer) await this.#releaseAnswer(of);
    }
    queue.recorded(delivery, number, record.state === 'pending' ? Date.parse(record.due_at) : null, moved);
  }

  async #releaseAnswer(of: { eventId: string }): Promise<void> {
    await this.#deps
      .releaseAnswer(of.eventId)
      .catch((error: unknown) =>
        this.#deps.log.error(
          { ...of, error },
          'answer not sent to the destinations yet: tried again within a minute',
        ),
      );
  }

  /** @returns null if the delivery is not sent */
  async #send(
    queue: DestinationQueue,
    { eventId, body: held, isAutomationPaused, lateAnswerTo }: HeldDelivery,
    attempt: number,
    isProbe: boolean,
  ): Promise<{ outcome: Outcome; destination: Destination } | null> {
    const { leases, http, clock, lineName } = this.#deps;
    const body = held || (await this.#bodyOf(queue.destinationId, eventId));
    const known = queue.follow();
    const callback = known && isOfQuestions(known) ? await this.#callbackOf(known, eventId) : undefined;
    const destination = queue.follow();
    // The breaker may have opened or closed while the body was read.
    const maySend = queue.state === (isProbe ? 'open' : 'sending');
    if (body === null || !destination || callback === null || !maySend || !leases.isSure()) return null;
    const line = lineName(destination.lineId);
    const parcel = { eventId, body, attempt, line, isAutomationPaused };
    const outcome = callback
      ? await deliver(http, callback, parcel, clock)
      : await deliver(http, destination, { ...parcel, lateAnswerTo }, clock);
    return { outcome: callback ? outcomeOfAnswer(outcome) : outcome, destination };
  }

  /** @returns null if the question cannot be read now; if it is gone, the delivery is canceled */
  async #callbackOf(destination: Destination, eventId: string): Promise<Destination | null> {
    const { store, clock, log } = this.#deps;
    try {
      const callback = await callbackOf(this.#deps, eventId);
      if (callback) return { ...destination, ...callback };
      await store.deliveries.cancel(destination.id, eventId, isoTime(clock()));
      log.warn({ eventId }, 'answer canceled: its question was removed');
    } catch (error) {
      log.error({ error, eventId }, 'question not read: tried again in a second');
    }
    return null;
  }

  /** @returns null if the event cannot be read now; if it is gone, the delivery is canceled */
  async #bodyOf(destination: number, eventId: string): Promise<string | null> {
    const { store, clock, log } = this.#deps;
    try {
      const body = await store.queued.body(eventId);
      if (body !== null) return body;
      await store.deliveries.cancelEmpty(destination, eventId, isoTime(clock()));
      log.warn({ eventId, destination }, 'event canceled: nothing of it is left to be sent');
    } catch (error) {
      log.error({ error, eventId, destination }, 'event not read: tried again in a second');
    }
    return null;
  }

  /** Stores the destination's health. Pauses a destination that answered 410 or has failed for too long. */
  async #keepHealth(
    queue: DestinationQueue,
    destination: Destination,
    { opened, note, pauseBecause }: Verdict,
    outcome: Outcome,
  ): Promise<void> {
    const { log, pause, isClockConfirmed } = this.#deps;
    const { id } = destination;
    if (note?.failing_since) {
      const told = { destination: id, failingSince: note.failing_since, probesAt: note.next_try_at };
      const message = opened ? 'destination fails: its events wait' : 'destination fails';
      log.warn({ ...told, reason: failureOf(outcome) }, message);
    } else if (note) log.warn({ destination: id }, 'destination takes events again');
    if (note)
      await queue
        .keep(note, destination.url)
        .catch((error: unknown) =>
          log.error(
            { error, destination: id },
            'health of destination not stored: retried with its next change',
          ),
        );
    if (pauseBecause === null) return;
    // A 410 is the receiver's own decision, so the clock does not matter.
    if (pauseBecause.word === 'paused.undeliverable') {
      if (!(await isClockConfirmed())) {
        log.warn(
          { destination: id, reason: say('en', pauseBecause) },
          'destination not paused: the clock is more than a day ahead of the platform, or the platform cannot be asked',
        );
        return;
      }
      // Meanwhile the destination may have accepted an event or been changed.
      queue.follow();
      if (queue.state !== 'open') return;
    }
    log.warn({ destination: id, reason: say('en', pauseBecause) }, 'destination is paused');
    await pause(destination, pauseBecause).catch((error: unknown) =>
      log.error({ error, destination: id }, 'destination not paused yet: tried again when it fails again'),
    );
    queue.follow();
  }

  /** @returns whether the stored delivery still had the state that this process knew */
  async #record(attempt: AttemptRecord): Promise<boolean> {
    const { store, turn, log } = this.#deps;
    let isStuck = false;
    for (let given = attempt; ; await new Promise((resolve) => setTimeout(resolve, RECORD_AGAIN))) {
      try {
        const { moved } = await store.write({ kind: 'attempt', attempt: given });
        if (isStuck) this.#unrecordable--;
        if (isStuck) turn.wake();
        return moved;
      } catch (error) {
        const { event_id: eventId, destination_id: destination } = attempt;
        log.error({ error, eventId, destination }, 'attempt not recorded: tried again every second');
        // The receiver's response is the only outside data here. Retrying without it keeps one bad response from
        // blocking the contact.
        if (isFaultOfData(error)) given = { ...attempt, answer: null };
        else if (!isStuck) {
          isStuck = true;
          this.#unrecordable++;
        }
        if (this.#isStopping) return false;
      }
    }
  }
}

/**
 * The record of an attempt, with the delivery's next state.
 * @param number of the attempt, from 1
 * @param isAnswer whether the delivery goes to the callback URL of a question
 */
export function recordOf(
  destinationId: number,
  { eventId, attemptsBefore }: HeldDelivery,
  number: number,
  outcome: Outcome,
  isAnswer = false,
): AttemptRecord {
  const finishedAt = outcome.startedAt + outcome.durationMs;
  const waitAfter = (attempts: number) =>
    isAnswer
      ? nextWaitOfAnswer(attempts, outcome, Math.random())
      : nextWait(attempts, outcome.retryAfter, Math.random());
  const wait = outcome.outcome === 'delivered' ? null : waitAfter(number - attemptsBefore);
  const failed = wait === null ? 'dead' : 'pending';
  return {
    destination_id: destinationId,
    event_id: eventId,
    number,
    started_at: isoTime(outcome.startedAt),
    duration_ms: outcome.durationMs,
    http_status: outcome.httpStatus,
    outcome: outcome.outcome,
    answer: number === 1 ? outcome.answer : (outcome.answer?.slice(0, LATER_ANSWER) ?? null),
    state: outcome.outcome === 'delivered' ? 'delivered' : failed,
    due_at: isoTime(finishedAt + (wait ?? 0)),
  };
}
