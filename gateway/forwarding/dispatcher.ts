import { randomUUID } from 'node:crypto';
import { type HttpClient } from '../http/http-client';
import { onceInAWhile } from '../once-in-a-while';
import { type Store } from '../store/database';
import { type Wake } from '../store/wake';
import { type NewEvent, type Recorded } from '../store/writes';
import { isoTime, MINUTE, SECOND, type Clock } from '../time';
import { recordOf } from './attempts';
import { type HeldDelivery } from './contact-order';
import { deliver, type Outcome } from './deliver';
import { type Destination } from './destination';
import { destinationLeases, type DestinationLeases } from './destination-leases';
import { DestinationQueue, LOOK_AHEAD, type FreshDelivery, type QueueDeps } from './destination-queue';
import { type DestinationRegistry } from './destination-registry';
import { reasonOf, type Verdict } from './health';
import { InFlight, type Permit } from './in-flight';
import { Turn } from './turn';

export interface DispatcherDeps {
  store: Store;
  destinations: DestinationRegistry;
  http: HttpClient;
  clock: Clock;
  /** Phone number id of a line, for `X-Gateway-Line`. */
  lineName(lineId: number): string;
  /** Pauses a destination and cancels an expired one: changes of the registry. */
  pause(destination: Destination, reason: string): Promise<void>;
  expire(destination: Pick<Destination, 'id'>): Promise<void>;
  /** Reads the registry again where another process may have changed it. */
  refresh(): Promise<void>;
  /** Told of each attempt. @param waited from the event's arrival to its first attempt; null for a later one */
  attempted(outcome: string, milliseconds: number, waited: number | null): void;
  log: Record<'debug' | 'warn' | 'error', (fields: object, message: string) => void>;
}

/** How often the scan looks for destinations for which something is due; the second while this process may not send. */
const SCAN_INTERVAL = 5 * SECOND;
const SCAN_AGAIN = SECOND;
/** How often leases of unknown processes, and what removed destinations are owed, are looked for. */
const SELDOM = MINUTE;
/** Between two tries to record an attempt while the database is away. */
const RECORD_AGAIN = SECOND;
/** Of the queues for which there was no place, so many look again when one is free. */
const LOOK_AGAIN_AT_ONCE = 16;

/**
 * The loop that drains due deliveries.
 *
 * A delivery is `pending` until an attempt succeeds (`delivered`), the last attempt fails (`dead`) or its destination
 * is removed (`canceled`). The process that has the lease on its destination (`DestinationLeases`) sends it: what was
 * just recorded goes to its queue from memory, what waits is read (`DestinationQueue`). No row says who sends it.
 *
 * Each destination has a queue of its own, which gets a place for each attempt (`InFlight`), in turn with the others: a
 * slow or dead destination delays no other. The place is free again with the answer; the contact waits until the attempt
 * is recorded. While that fails nothing else is sent, because it would be sent again.
 */
export class Dispatcher {
  /** Of this incarnation. */
  readonly processId = randomUUID();
  readonly #deps: DispatcherDeps;
  readonly #log: DispatcherDeps['log'];
  readonly #leases: DestinationLeases;
  readonly #queues = new Map<number, DestinationQueue>();
  readonly #queueDeps: QueueDeps;
  readonly #turn = new Turn<DestinationQueue>();
  /** Queues that are ready, and for which there was no place. */
  readonly #refused = new Set<DestinationQueue>();
  readonly #inFlight = new InFlight();
  readonly #running = new Set<Promise<void>>();
  /** What is canceled just now, by destination. */
  readonly #canceling = new Map<number, Promise<void>>();
  /** Attempts whose recording has failed, and is tried again. */
  #unrecordable = 0;
  #isStopping = false;
  #drained: Promise<void> = Promise.resolve();
  #scanTimer: NodeJS.Timeout | undefined;
  #scanning: Promise<void> | null = null;
  #soughtSeldomAt = Number.NEGATIVE_INFINITY;

  constructor(deps: DispatcherDeps) {
    this.#deps = deps;
    this.#log = {
      debug: (fields, message) => deps.log.debug(fields, message),
      warn: (fields, message) => deps.log.warn(fields, message),
      error: onceInAWhile((fields, message) => deps.log.error(fields, message)),
    };
    const { store, clock } = deps;
    this.#leases = destinationLeases({ store, processId: this.processId, log: this.#log });
    const memory = { count: 0, size: 0 };
    this.#queueDeps = { store, leases: this.#leases, memory, turn: this.#turn, clock, log: this.#log };
  }

  /** Begins to send and to look for what is due. */
  async start(): Promise<void> {
    await this.#leases.start();
    this.#deps.store.onWake((wake) => {
      void this.#orTell(
        this.#woken(wake),
        'not woken by another process: what waits is found within 5 seconds',
      );
    });
    this.#drained = this.#drain();
    await this.#scan();
    this.#scanAgain();
  }

  /** Takes nothing new, waits for what is on its way, and ends its leases. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    clearTimeout(this.#scanTimer);
    this.#turn.wake();
    const queues = [...this.#queues.values()];
    queues.forEach((queue) => queue.stop());
    await Promise.all([this.#drained, this.#scanning, ...queues.map(({ read }) => read), ...this.#running]);
    await Promise.all(this.#canceling.values());
    // Where this fails, they end once this process has not said for a while that it lives.
    await this.#orTell(
      this.#leases.leave(),
      'leases not ended: other processes, or the next start, take them',
    );
  }

  /** Sees to it that destinations have an owner before something is recorded for them: this process where nobody is. */
  settle(destinationIds: number[]): Promise<void> {
    return this.#leases.settle(destinationIds);
  }

  /**
   * Takes what was just recorded from memory.
   * @param events what was handed in to be recorded
   * @param recorded what came of it
   */
  offer(events: NewEvent[], { own, behind }: Recorded): void {
    if (!own.length) return;
    const byId = new Map(events.map((event) => [event.id, event]));
    const isBehind = new Set(behind);
    for (const [destinationId, ofOne] of Map.groupBy(own, ({ destination_id: id }) => id)) {
      const fresh = ofOne.flatMap(({ event_id: eventId, sequence }): FreshDelivery[] => {
        const event = byId.get(eventId);
        const owed = event?.deliveries.find(({ destination_id: id }) => id === destinationId);
        if (!event || !owed) return [];
        const { body } = event;
        const dueAt = Date.parse(owed.due_at);
        return [{ eventId, orderingKey: owed.lane, sequence, dueAt, size: body.length, body }];
      });
      const queue = this.#queueOf(destinationId);
      // The lease was lost between the recording and now.
      if (!this.#leases.of(destinationId))
        void this.#orTell(
          this.#deps.store.wake({ waiting: [destinationId] }),
          'others not woken: they look within 5 seconds',
          destinationId,
        );
      queue.offer(fresh, isBehind.has(destinationId));
    }
  }

  /** It is not known what the database holds for these destinations: a recording has failed, or something came again. */
  lookAgain(destinationIds: Iterable<number>): void {
    for (const id of new Set(destinationIds)) this.#queueOf(id).lookAgain();
  }

  /** Work whose failure is made good by what the message tells of. */
  async #orTell(work: Promise<unknown>, message: string, destination?: number): Promise<void> {
    try {
      await work;
    } catch (error) {
      this.#log.error({ error, destination }, message);
    }
  }

  #queueOf(destinationId: number): DestinationQueue {
    const queue = this.#queues.get(destinationId) ?? new DestinationQueue(destinationId, this.#queueDeps);
    this.#queues.set(destinationId, queue);
    this.#follow(queue);
    return queue;
  }

  #follow(queue: DestinationQueue): Destination | null {
    const { destinationId: id } = queue;
    const destination = this.#deps.destinations.byId(id);
    queue.follow(destination, this.#leases.of(id));
    return destination;
  }

  async #drain(): Promise<void> {
    while (!this.#isStopping) {
      for (let queue = this.#next(); queue; queue = this.#next()) this.#serve(queue);
      await this.#turn.changed();
    }
  }

  #next(): DestinationQueue | undefined {
    const maySend = !this.#isStopping && !this.#unrecordable && this.#leases.isSure();
    return maySend ? this.#turn.next() : undefined;
  }

  /** Sends what comes next for a destination. One that has no place now takes its turn again when one is free. */
  #serve(queue: DestinationQueue): void {
    const destination = this.#follow(queue);
    const now = this.#deps.clock();
    if (!destination && this.#leases.of(queue.destinationId)) this.#cancelOfRemoved(queue.destinationId);
    if (!destination || !queue.maySend(now)) return;
    const permit = this.#inFlight.take({ ...queue.sender(), lineId: destination.lineId });
    if (!permit) {
      this.#refused.add(queue);
      return;
    }
    const next = queue.next();
    if (!next) return permit.release();
    const sending = this.#send(queue, next, permit).finally(() => this.#running.delete(sending));
    this.#running.add(sending);
    if (queue.maySend(now)) this.#turn.add(queue);
  }

  async #send(queue: DestinationQueue, delivery: HeldDelivery, permit: Permit): Promise<void> {
    const isProbe = queue.state === 'open';
    const attempt = delivery.attempts + 1;
    const sent = await this.#deliver(queue, delivery, attempt, isProbe).finally(() => this.#release(permit));
    if (!sent) return queue.returned(delivery, false);
    const { outcome, destination } = sent;
    const waited = delivery.attempts === 0 ? outcome.startedAt - delivery.dueAt : null;
    this.#deps.attempted(outcome.outcome, outcome.durationMs, waited);
    const { outcome: word, httpStatus, durationMs } = outcome;
    const { eventId } = delivery;
    const { id } = destination;
    this.#log.debug(
      { eventId, destination: id, attempt, isProbe, outcome: word, httpStatus, durationMs },
      'attempt',
    );
    const verdict = queue.answered(delivery, outcome);
    const kept = this.#keepHealth(queue, destination, verdict, outcome);
    if (isProbe && outcome.outcome !== 'delivered') {
      await kept;
      return queue.returned(delivery, true);
    }
    const record = recordOf(queue.destinationId, delivery, attempt, outcome);
    const moved = await this.#record(record);
    await kept;
    if (record.state === 'dead') {
      this.#log.warn(
        { eventId: delivery.eventId, destination: destination.id, reason: reasonOf(outcome), attempt },
        'event given up: it can be replayed',
      );
    }
    const againAt = record.state === 'pending' ? Date.parse(record.due_at) : null;
    queue.recorded(delivery, attempt, againAt, moved);
  }

  /** @returns null where it is not sent after all */
  async #deliver(
    queue: DestinationQueue,
    delivery: HeldDelivery,
    attempt: number,
    isProbe: boolean,
  ): Promise<{ outcome: Outcome; destination: Destination } | null> {
    const { store, http, clock, lineName } = this.#deps;
    const body = delivery.body || (await store.queued.body(delivery.eventId).catch(() => null));
    const destination = this.#follow(queue);
    // The breaker may have opened, or closed, while the body was read.
    const maySend = queue.state === (isProbe ? 'open' : 'sending');
    if (body === null || !destination || !maySend || !this.#leases.isSure()) return null;
    const line = lineName(destination.lineId);
    const outcome = await deliver(
      http,
      destination,
      { eventId: delivery.eventId, body, attempt, line },
      clock,
    );
    return { outcome, destination };
  }

  #release(permit: Permit): void {
    permit.release();
    for (const queue of [...this.#refused].slice(0, LOOK_AGAIN_AT_ONCE)) {
      this.#refused.delete(queue);
      this.#turn.add(queue);
    }
  }

  /** Keeps how a destination fares, and pauses one that is gone or has failed for too long. */
  async #keepHealth(
    queue: DestinationQueue,
    destination: Destination,
    { opened, worksAgain, note, pauseBecause }: Verdict,
    outcome: Outcome,
  ): Promise<void> {
    const { id } = destination;
    if (opened)
      this.#log.warn(
        {
          destination: id,
          reason: reasonOf(outcome),
          failingSince: note?.failing_since,
          probesAt: note?.next_try_at,
        },
        'destination fails: its events wait',
      );
    if (worksAgain) this.#log.warn({ destination: id }, 'destination takes events again');
    if (note)
      await this.#deps.store.destinations.note(id, note).catch((error: unknown) => {
        queue.notKept();
        this.#log.error(
          { error, destination: id },
          'health of destination not kept: told again once it changes',
        );
      });
    if (pauseBecause === null) return;
    this.#log.warn({ destination: id, reason: pauseBecause }, 'destination is paused');
    await this.#orTell(
      this.#deps.pause(destination, pauseBecause),
      'destination not paused yet: tried again when it fails again',
      id,
    );
    this.#follow(queue);
    queue.pausingEnded();
  }

  /** An attempt that is not recorded would be made again, so nothing else is sent until it is. */
  async #record(attempt: ReturnType<typeof recordOf>): Promise<boolean> {
    let hasFailed = false;
    for (;;) {
      try {
        const { moved } = await this.#deps.store.write({ kind: 'attempt', attempt });
        if (hasFailed) this.#unrecordable--;
        this.#turn.wake();
        return moved;
      } catch (error) {
        const { event_id: eventId, destination_id: destination } = attempt;
        this.#log.error({ error, eventId, destination }, 'attempt not recorded: tried again every second');
        if (!hasFailed) this.#unrecordable++;
        hasFailed = true;
        if (this.#isStopping) return false;
        await new Promise((resolve) => setTimeout(resolve, RECORD_AGAIN));
      }
    }
  }

  #scanAgain(): void {
    if (this.#isStopping) return;
    const wait = this.#leases.isSure() ? SCAN_INTERVAL : SCAN_AGAIN;
    this.#scanTimer = setTimeout(() => void this.#scan().then(() => this.#scanAgain()), wait);
  }

  /** One scan at a time. */
  #scan(): Promise<void> {
    this.#scanning ??= this.#orTell(
      this.#findDue(),
      'what is due could not be looked for: tried again in 5 seconds',
    ).finally(() => {
      this.#scanning = null;
    });
    return this.#scanning;
  }

  /** One that has begun may have looked already. */
  async #scanAnew(): Promise<void> {
    await this.#scanning;
    return this.#scan();
  }

  /** Finds the destinations for which something waits that is not in memory, whoever should have told of it. */
  async #findDue(): Promise<void> {
    if (this.#isStopping) return;
    const { store, clock } = this.#deps;
    const now = clock();
    const isSeldom = now - this.#soughtSeldomAt >= SELDOM;
    await this.#leases.refresh(isSeldom);
    for (const destination of await store.destinations.expired(isoTime(now)))
      await this.#orTell(
        this.#deps.expire(destination),
        'expired destination not removed yet: tried again in 5 seconds',
        destination.id,
      );
    // Of what was removed long ago, which is looked at less often, something may come due only now.
    const removedAfter = isSeldom ? '' : isoTime(now - 2 * SELDOM);
    if (isSeldom) this.#soughtSeldomAt = now;
    const soon = now + LOOK_AHEAD;
    const found = await store.queued.first(isoTime(now), isoTime(soon), removedAfter);
    await this.#leases.settle(found.map(({ id }) => id));
    const firsts = new Map(found.map((first) => [first.id, first]));
    for (const id of firsts.keys()) if (this.#leases.of(id)) this.#queueOf(id);
    for (const [id, queue] of this.#queues) {
      const destination = this.#follow(queue);
      queue.scanned(firsts.get(id), soon);
      if (!destination && this.#leases.of(id) && firsts.has(id)) this.#cancelOfRemoved(id);
      if ((!destination || !this.#leases.of(id)) && queue.isIdle) this.#drop(queue);
    }
    await this.#leases.shareOut((id) => this.#queues.get(id)?.isIdle ?? true);
  }

  #drop(queue: DestinationQueue): void {
    queue.stop();
    this.#turn.delete(queue);
    this.#refused.delete(queue);
    this.#queues.delete(queue.destinationId);
  }

  /** However much that is, nothing else waits for it. */
  #cancelOfRemoved(destinationId: number): void {
    if (this.#canceling.has(destinationId)) return;
    const { store, clock } = this.#deps;
    const work = this.#orTell(
      store.deliveries.cancelOfRemoved(destinationId, isoTime(clock()), () => this.#isStopping),
      'what a removed destination was owed is not canceled yet: tried again within 5 seconds',
      destinationId,
    ).finally(() => this.#canceling.delete(destinationId));
    this.#canceling.set(destinationId, work);
  }

  /** Someone tells of deliveries that wait, as another process does; null where something may have been missed. */
  async #woken(wake: Wake | null): Promise<void> {
    if (this.#isStopping) return;
    if (!wake || wake.ownerless) {
      this.#leases.forgetOthers(wake?.ownerless);
      // What was told meanwhile stands in the database.
      if (!wake) this.#queues.forEach((queue) => queue.arrived());
      return this.#scanAnew();
    }
    const { arrived = [], waiting = [] } = wake;
    // Whoever lets a destination go on, or has it tried now, may be heard of before that change is.
    if (waiting.length) await this.#deps.refresh();
    await this.#leases.settle([...arrived, ...waiting]);
    for (const id of arrived) if (this.#leases.of(id)) this.#queueOf(id).arrived();
    for (const id of waiting) if (this.#leases.of(id)) this.#queueOf(id).readAnew();
  }
}
