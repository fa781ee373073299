import { randomUUID } from 'node:crypto';
import { performance } from 'node:perf_hooks';
import { throttledLog } from '../primitives/throttled-log';
import { type Wake } from '../store/processes/wake';
import { type OfferedEvent, type Recorded } from '../store/commit/writes';
import { isoTime, MINUTE, SECOND } from '../time';
import { releaseAnswer } from './answers';
import { Attempts, type AttemptDeps } from './attempts';
import { destinationLeases, type DestinationLeases } from './destination-leases';
import { DestinationQueue, type QueueDeps } from './queue/destination-queue';
import { type DestinationRegistry } from './destination-registry';
import { type HeldDelivery } from './queue/held-deliveries';
import { InFlight } from './queue/in-flight';
import { RemovedDestinations, type RemovedDestinationsDeps } from './removed-destinations';
import { LOOK_AHEAD } from './queue/queue-reader';
import { Turn } from './queue/turn';

export interface DispatcherDeps
  extends Omit<AttemptDeps, 'leases' | 'turn' | 'releaseAnswer'>, Omit<RemovedDestinationsDeps, 'log'> {
  destinations: DestinationRegistry;
  /** Reads the registry again where another process may have changed it. */
  refresh(): Promise<void>;
}

/** How often the scan looks for destinations for which something is due; the second while this process may not send. */
const SCAN_INTERVAL = 5 * SECOND;
const SCAN_AGAIN = SECOND;
/** How often leases of unknown processes, and what removed destinations are owed, are looked for. */
const SELDOM = MINUTE;

/**
 * The loop that drains due deliveries.
 *
 * A delivery is `pending` until an attempt succeeds (`delivered`), the last attempt fails (`dead`) or its destination
 * is removed (`canceled`). The process that has the lease on its destination (`DestinationLeases`) sends it: what was
 * just recorded goes to its queue from memory, what waits is read (`DestinationQueue`). No row says who sends it.
 *
 * Each destination has a queue of its own, which gets a place for each attempt (`InFlight`), in turn with the others: a
 * slow or dead destination delays no other. The place is free again with the answer; the contact waits until the attempt
 * is recorded (`Attempts`). While that fails nothing else is sent, because it would be sent again.
 */
export class Dispatcher {
  /** Of this incarnation. */
  readonly processId = randomUUID();
  readonly #deps: DispatcherDeps & QueueDeps;
  readonly #leases: DestinationLeases;
  readonly #queues = new Map<number, DestinationQueue>();
  readonly #turn = new Turn<DestinationQueue>();
  readonly #inFlight = new InFlight();
  readonly #attempts: Attempts;
  readonly #removed: RemovedDestinations;
  #isRunning = false;
  #scanTimer: NodeJS.Timeout | undefined;
  #scanning: Promise<void> = Promise.resolve();
  /** The one after that, where somebody waits for it. */
  #nextScan: Promise<void> | null = null;
  #soughtSeldomAt = Number.NEGATIVE_INFINITY;

  constructor(deps: DispatcherDeps) {
    const { log } = deps;
    const known = {
      ...deps,
      processId: this.processId,
      turn: this.#turn,
      memory: { count: 0, size: 0 },
      log: {
        debug: (...told) => log.debug(...told),
        warn: (...told) => log.warn(...told),
        error: throttledLog((...told) => log.error(...told)),
      },
    } satisfies Omit<QueueDeps, 'leases'> & DispatcherDeps;
    this.#leases = destinationLeases(known);
    this.#deps = { ...known, leases: this.#leases };
    this.#attempts = new Attempts({
      ...this.#deps,
      releaseAnswer: (eventId) => releaseAnswer({ ...deps, dispatcher: this }, eventId),
    });
    this.#removed = new RemovedDestinations(this.#deps);
  }

  /** Begins to send and to look for what is due. */
  async start(): Promise<void> {
    await this.#leases.start();
    this.#isRunning = true;
    this.#deps.store.onWake((wake) => {
      this.#woken(wake).catch(
        this.#tell('not woken by another process: what waits is found within 5 seconds'),
      );
    });
    void this.#sendAll();
    await this.#scan();
  }

  /** Takes nothing new, waits for what is on its way, and ends its leases. */
  async stop(): Promise<void> {
    this.#isRunning = false;
    clearTimeout(this.#scanTimer);
    const queues = [...this.#queues.values()].map((queue) => queue.stop());
    await Promise.all([this.#scanning, this.#attempts.stop(), this.#removed.stop(), ...queues]);
    // Where this fails, they end once this process has not said for a while that it lives.
    const failed = 'leases not ended: other processes, or the next start, take them';
    await this.#leases.leave().catch(this.#tell(failed));
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
  offer(events: OfferedEvent[], { own, late, behind }: Recorded): void {
    const byId = new Map(events.map((event) => [event.id, event]));
    const lateById = new Map(late.map(({ event_id: id, question_id: questionId }) => [id, questionId]));
    for (const [id, ofOne] of Map.groupBy(own, ({ destination_id: of }) => of)) {
      const fresh = ofOne.flatMap(({ event_id: eventId, sequence }): HeldDelivery[] => {
        const event = byId.get(eventId);
        if (!event) return [];
        const { body, automation } = event;
        const isAutomationPaused = automation === 'paused';
        const untried = {
          attempts: 0,
          attemptsBefore: 0,
          failedAt: null,
          dueAt: Date.parse(event.received_at),
        };
        const orderingKey = event.contact ?? eventId;
        const lateAnswerTo = lateById.get(eventId) ?? null;
        return [
          {
            eventId,
            orderingKey,
            sequence,
            size: body.length,
            body,
            isAutomationPaused,
            lateAnswerTo,
            ...untried,
          },
        ];
      });
      this.#queueOf(id).offer(fresh, behind.includes(id));
    }
  }

  /** How many deliveries to a destination are on their way from this process. */
  inFlightTo(destinationId: number): number {
    return this.#queues.get(destinationId)?.inFlight ?? 0;
  }

  /** It is not known what the database holds for these destinations: a recording has failed, or something came again. */
  lookAgain(destinationIds: Iterable<number>): void {
    for (const id of new Set(destinationIds)) this.#queueOf(id).lookAgain();
  }

  /** Of a failure that is made good by what the message tells of. */
  #tell = (message: string) => (error: unknown) => this.#deps.log.error({ error }, message);

  #queueOf(destinationId: number): DestinationQueue {
    const queue = this.#queues.get(destinationId) ?? new DestinationQueue(destinationId, this.#deps);
    this.#queues.set(destinationId, queue);
    queue.follow();
    return queue;
  }

  /** The loop. Those that may not send now keep their turn. */
  async #sendAll(): Promise<void> {
    while (this.#isRunning) {
      const waiting = await this.#turn.next();
      for (const queue of waiting) {
        if (!this.#isRunning || this.#attempts.isStuck || !this.#leases.isSure()) break;
        waiting.delete(queue);
        this.#sendNext(queue);
      }
    }
  }

  /** Sends what comes next for a destination. One that has no place now takes its turn again when one is free. */
  #sendNext(queue: DestinationQueue): void {
    const sender = queue.sender();
    if (!sender) return;
    const release = this.#inFlight.take(sender);
    if (!release) return this.#turn.refuse(queue);
    const next = queue.next();
    if (!next) return release();
    this.#attempts.make(queue, next, release);
    this.#turn.add(queue);
  }

  /** One at a time. Whoever asks while one runs waits for the next: that one may have looked already. */
  #scan(): Promise<void> {
    this.#nextScan ??= this.#scanning.then(async () => {
      this.#nextScan = null;
      clearTimeout(this.#scanTimer);
      const failed = 'what is due could not be looked for: tried again in 5 seconds';
      this.#scanning = this.#findDue().catch(this.#tell(failed));
      await this.#scanning;
      if (!this.#isRunning) return;
      const wait = this.#leases.isSure() ? SCAN_INTERVAL : SCAN_AGAIN;
      this.#scanTimer = setTimeout(() => void this.#scan(), wait);
    });
    return this.#nextScan;
  }

  /** Finds the destinations for which something waits that is not in memory, whoever should have told of it. */
  async #findDue(): Promise<void> {
    if (!this.#isRunning) return;
    const { store, clock } = this.#deps;
    const now = clock();
    // By a clock that nobody sets back.
    const isSeldom = performance.now() - this.#soughtSeldomAt >= SELDOM;
    await this.#leases.refresh(isSeldom);
    await this.#removed.removeExpired(now);
    // Of what was removed long ago, which is looked at less often, something may come due only now.
    const removedAfter = isSeldom ? '' : isoTime(now - 2 * SELDOM);
    if (isSeldom) this.#soughtSeldomAt = performance.now();
    const soon = now + LOOK_AHEAD;
    const found = await store.queued.first(isoTime(soon), removedAfter);
    await this.#leases.settle(found.map(({ id }) => id));
    const firsts = new Map(found.map((first) => [first.id, first]));
    for (const id of firsts.keys()) if (this.#leases.of(id)) this.#queueOf(id);
    for (const [id, queue] of this.#queues) {
      const destination = queue.follow();
      queue.scanned(firsts.get(id), soon);
      if (!destination && this.#leases.of(id) && firsts.has(id)) this.#removed.cancel(id);
      if ((!destination || !this.#leases.of(id)) && queue.isIdle) {
        void queue.stop();
        this.#queues.delete(id);
      }
    }
    await this.#leases.shareOut((id) => this.#queues.get(id)?.isIdle ?? true);
    if (isSeldom) await this.#rememberFailures();
  }

  /** Sees to it that it is kept of every destination since when it fails: its next attempt may be hours away. */
  async #rememberFailures(): Promise<void> {
    const { failingSince } = this.#deps.store;
    const ids = await failingSince.suspects();
    await this.#leases.settle(ids);
    for (const id of ids) {
      const failures = this.#leases.of(id) && (await failingSince.of(id));
      if (failures) await this.#queueOf(id).remember(failures);
    }
  }

  /** Someone tells of deliveries that wait, as another process does; null where something may have been missed. */
  async #woken(wake: Wake | null): Promise<void> {
    if (!this.#isRunning) return;
    if (!wake || wake.ownerless) {
      this.#leases.forgetOthers(wake?.ownerless);
      // What was told meanwhile stands in the database.
      if (!wake) this.#queues.forEach((queue) => queue.arrived());
      return this.#scan();
    }
    const { arrived = [], waiting = [] } = wake;
    // Whoever lets a destination go on, or has it tried now, may be heard of before that change is.
    if (waiting.length) await this.#deps.refresh();
    await this.#leases.settle([...arrived, ...waiting]);
    for (const id of arrived) if (this.#leases.of(id)) this.#queueOf(id).arrived();
    for (const id of waiting) if (this.#leases.of(id)) this.#queueOf(id).lookAgain();
  }
}
