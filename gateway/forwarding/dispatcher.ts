import { randomUUID } from 'node:crypto';
import { performance } from 'node:perf_hooks';
import { throttledLog } from '../primitives/throttled-log';
import { type Wake } from '../store/processes/wake';
import { type OfferedEvent, type Recorded } from '../store/commit/writes';
import { isoTime, MINUTE, SECOND } from '../time';
import { releaseAnswer } from './answers';
import { Attempts, type AttemptDeps } from './attempts';
import { destinationLeases, type DestinationLeases, type LeaseDeps } from './destination-leases';
import { DestinationQueue, type QueueDeps } from './queue/destination-queue';
import { type DestinationRegistry } from './destination-registry';
import { type HeldDelivery } from './queue/held-deliveries';
import { InFlight } from './queue/in-flight';
import { RemovedDestinations, type RemovedDestinationsDeps } from './destinations/removed-destinations';
import { LOOK_AHEAD } from './queue/queue-reader';
import { Turn } from './queue/turn';

export interface DispatcherDeps
  extends
    Omit<AttemptDeps, 'leases' | 'turn' | 'releaseAnswer'>,
    Omit<RemovedDestinationsDeps, 'log'>,
    Pick<LeaseDeps, 'roles'> {
  destinations: DestinationRegistry;
  /** Reloads the registry if another process may have changed it. */
  refresh(): Promise<void>;
}

/** The dispatcher, or what stands in for it in a process that does not deliver (`Bystander`). */
export type AnyDispatcher = Pick<Dispatcher, keyof Dispatcher>;

/**
 * The time between scans for destinations with due deliveries; the second value applies while this process may not
 * send.
 */
const SCAN_INTERVAL = 5 * SECOND;
const SCAN_AGAIN = SECOND;
/**
 * The time between scans that also look for leases of unknown processes and for deliveries of removed destinations.
 */
const SELDOM = MINUTE;

/**
 * The loop that sends due deliveries.
 *
 * A delivery is `pending` until an attempt succeeds (`delivered`), the last attempt fails (`dead`) or its destination
 * is removed (`canceled`). The process with the lease on the destination (`DestinationLeases`) sends it, either from
 * memory if it was just recorded or from the database (`DestinationQueue`). Delivery rows do not store the sending
 * process.
 *
 * Each destination has its own queue. The queues take turns, and each attempt needs a place (`InFlight`), so that a
 * slow or dead destination delays no other. The response frees the place; the contact waits until the attempt is
 * recorded (`Attempts`). While recording fails, nothing else is sent, because unrecorded attempts would be repeated.
 */
export class Dispatcher {
  /** New after each start. */
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
  /** The next scan, if a caller is already waiting for it. */
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
        // Called for each attempt.
        debug: log.debug.bind(log),
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

  /** Starts sending and scanning for due deliveries. */
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

  /** Stops sending, waits for attempts in flight, and ends the leases. */
  async stop(): Promise<void> {
    this.#isRunning = false;
    clearTimeout(this.#scanTimer);
    const queues = [...this.#queues.values()].map((queue) => queue.stop());
    await Promise.all([this.#scanning, this.#attempts.stop(), this.#removed.stop(), ...queues]);
    // If this fails, the leases end when the heartbeats have been missing for a while.
    const failed = 'leases not ended: other processes, or the next start, take them';
    await this.#leases.leave().catch(this.#tell(failed));
  }

  /** Makes this process the owner of those destinations that have none, before events are recorded for them. */
  settle(destinationIds: number[]): Promise<void> {
    return this.#leases.settle(destinationIds);
  }

  /**
   * Queues newly recorded events.
   * @param events the events as passed to the store
   * @param recorded the store's result
   */
  offer(events: OfferedEvent[], { own, late, behind }: Recorded): void {
    const held = untried(events, late);
    const [only] = own;
    // One by far the most often.
    const byDestination =
      only && own.length === 1
        ? [[only.destination_id, own] as const]
        : Map.groupBy(own, ({ destination_id: id }) => id);
    for (const [id, ofOne] of byDestination)
      this.#queueOf(id).offer(ofOne.flatMap(held), behind.includes(id));
  }

  /** Deliveries that this process has in flight to a destination. */
  inFlightTo(destinationId: number): number {
    return this.#queues.get(destinationId)?.inFlight ?? 0;
  }

  /**
   * Reads these destinations from the database again, after a write with an unknown outcome or a repeated
   * notification.
   */
  lookAgain(destinationIds: Iterable<number>): void {
    for (const id of new Set(destinationIds)) this.#queueOf(id).lookAgain();
  }

  /** Logs a failure. @param message says how the gateway recovers from it */
  #tell = (message: string) => (error: unknown) => this.#deps.log.error({ error }, message);

  #queueOf(destinationId: number): DestinationQueue {
    const queue = this.#queues.get(destinationId) ?? new DestinationQueue(destinationId, this.#deps);
    this.#queues.set(destinationId, queue);
    queue.follow();
    return queue;
  }

  /** The loop. Queues that may not send now keep their turn. */
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

  /** Sends a destination's next delivery. If no place is free, the queue waits for one. */
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

  /**
   * Runs one scan at a time. A caller during a scan waits for the next one, because the current one may already have
   * passed its rows.
   */
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

  /** Finds destinations with deliveries that are not in memory, for example after a lost notification. */
  async #findDue(): Promise<void> {
    if (!this.#isRunning) return;
    const { store, clock } = this.#deps;
    const now = clock();
    // A monotonic clock, so that changes of the system time do not matter.
    const isSeldom = performance.now() - this.#soughtSeldomAt >= SELDOM;
    await this.#leases.refresh(isSeldom);
    await this.#removed.removeExpired(now);
    // Deliveries of destinations that were removed long ago are checked less often.
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

  /** Stores the start of each destination's failure, because its next attempt may be hours away. */
  async #rememberFailures(): Promise<void> {
    const { failingSince } = this.#deps.store;
    const ids = await failingSince.suspects();
    await this.#leases.settle(ids);
    for (const id of ids) {
      const failures = this.#leases.of(id) && (await failingSince.of(id));
      if (failures) await this.#queueOf(id).remember(failures);
    }
  }

  /**
   * Handles another process's notification of waiting deliveries.
   * @param wake null if a notification may have been lost
   */
  async #woken(wake: Wake | null): Promise<void> {
    if (!this.#isRunning) return;
    if (!wake || wake.ownerless) {
      this.#leases.forgetOthers(wake?.ownerless);
      // Missed deliveries are found through `arrivals`.
      if (!wake) this.#queues.forEach((queue) => queue.arrived());
      return this.#scan();
    }
    const { arrived = [], waiting = [] } = wake;
    // The notification of a resume or a "try now" may arrive before the registry has the change.
    if (waiting.length) await this.#deps.refresh();
    await this.#leases.settle([...arrived, ...waiting]);
    for (const id of arrived) if (this.#leases.of(id)) this.#queueOf(id).arrived();
    for (const id of waiting) if (this.#leases.of(id)) this.#queueOf(id).lookAgain();
  }
}

/** @returns makes a recorded delivery of one of the events as it is held in memory; nothing for another event */
function untried(
  events: OfferedEvent[],
  late: Recorded['late'],
): (recorded: Recorded['own'][number]) => HeldDelivery | [] {
  const [first] = events;
  let byId: Map<string, OfferedEvent> | null = null;
  const eventOf = (id: string) =>
    first?.id === id ? first : (byId ??= new Map(events.map((event) => [event.id, event]))).get(id);
  return ({ event_id: eventId, sequence }) => {
    const event = eventOf(eventId);
    if (!event) return [];
    const { body, automation, contact } = event;
    return {
      eventId,
      orderingKey: contact ?? eventId,
      sequence,
      attempts: 0,
      attemptsBefore: 0,
      dueAt: Date.parse(event.received_at),
      size: body.length,
      body,
      isAutomationPaused: automation === 'paused',
      failedAt: null,
      lateAnswerTo: late.find(({ event_id: id }) => id === eventId)?.question_id ?? null,
    };
  };
}
