import { randomUUID } from 'node:crypto';
import { type HttpClient } from '../http/http-client';
import { type Store } from '../store/database';
import { type DeliveryKey } from '../store/deliveries';
import { type AttemptRecord, type ClaimedDelivery } from '../store/writes';
import { isoTime, MINUTE, SECOND, type Clock } from '../time';
import { deliver, type Outcome } from './deliver';
import { type Destination } from './destination';
import { type DestinationRegistry } from './destination-registry';
import { holdsLane, nextWait } from './retry-schedule';

/**
 * The loop that drains due deliveries.
 *
 * A delivery is `pending` until an attempt succeeds (`delivered`), the last attempt fails (`dead`) or its destination
 * is removed (`canceled`). A pending one is held by one process, or by none: fresh ones are claimed by the process that
 * records them and go to its dispatcher from memory; the due-scan claims what nobody holds, or whoever held it is gone.
 * After a failed attempt it stays in memory while it holds its lane back, and is given back to the database after that.
 *
 * A lane is one contact at one destination: its deliveries go out one after the other, in the order of their arrival.
 * A failing one holds back only its lane, and only for its first attempts. Lanes of one destination share its
 * concurrency, so that a slow destination never delays another.
 */
export interface Dispatcher {
  /** The mark by which this process claims deliveries. */
  readonly processId: string;
  /**
   * Has fresh deliveries recorded, and takes them from memory.
   * @param record makes them durable, claimed by the process that it is given, and resolves with them in the order in
   *   which they are to go out. Given null, where memory is full or older ones wait in the database, they wait there too.
   */
  take(record: (claimedBy: string | null) => Promise<ClaimedDelivery[]>): Promise<void>;
  /** Begins to send and to look for what is due. */
  start(): Promise<void>;
  /** Takes nothing new, waits for what is on its way, and gives the rest back. */
  stop(): Promise<void>;
}

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
  log: { warn(fields: object, message: string): void; error(fields: object, message: string): void };
}

/** In flight at once: per destination, so that none is flooded, and in all. */
const MOST_PER_DESTINATION = 8;
const MOST_IN_ALL = 256;
/** Deliveries held in memory, some 2 KB each. Beyond them they wait in the database. */
const MOST_HELD = 20_000;
/** How often the due-scan runs. */
const SCAN_INTERVAL = 5 * SECOND;
/** The scan takes what is due this soon, and times it exactly from memory; longer than the first two waits, so that a delivery which held its lane back when its process died holds it back again. */
const SCAN_AHEAD = 40 * SECOND;
const MOST_IN_A_SCAN = 1_000;
/** How often this process looks for claims of its own that it has lost, and how long they are overdue by then. */
const STRAY = MINUTE;
/** A process that has not said so for this long is taken for gone, and what it held is claimed by others. */
const ALIVE = 15 * SECOND;
/** Between two tries to record an attempt while the database is away. */
const RECORD_AGAIN = SECOND;

interface Lane {
  key: string;
  queue: Held[];
  running: boolean;
  timer?: NodeJS.Timeout;
}

interface Held {
  delivery: ClaimedDelivery;
  readyAt: number;
}

interface Queue {
  destinationId: number;
  lanes: Map<string, Lane>;
  ready: Lane[];
  inFlight: number;
}

const keyOf = ({ destination_id, event_id }: DeliveryKey): string => `${destination_id} ${event_id}`;

export function createDispatcher(deps: DispatcherDeps): Dispatcher {
  const { store, destinations, http, clock, log } = deps;
  const processId = randomUUID();
  const queues = new Map<number, Queue>();
  /** Queues with a lane that is ready and room for it, each once; served in turn. */
  const turn = new Set<Queue>();
  /** The keys of all that is in memory. */
  const held = new Set<string>();
  let inFlight = 0;
  /**
   * Deliveries wait in the database behind those in memory: fresh ones queue up behind them, to keep the order. So it
   * is until the first scan has taken what an earlier process left.
   */
  let backlogged = true;
  let stopping = false;
  let scanTimer: NodeJS.Timeout | undefined;
  let scanning: Promise<void> = Promise.resolve();
  let scanWaits = false;
  let straysSoughtAt = clock();
  /** Being recorded without a claim. */
  const unclaimed = new Set<Promise<unknown>>();
  /** While the last of the backlog is claimed, nothing fresh is recorded, so that it comes neither before nor between. */
  let catchingUp: Promise<void> | null = null;
  const running = new Set<Promise<void>>();

  function queueOf(destinationId: number): Queue {
    const known = queues.get(destinationId);
    if (known) return known;
    const queue: Queue = { destinationId, lanes: new Map(), ready: [], inFlight: 0 };
    queues.set(destinationId, queue);
    return queue;
  }

  /** Takes deliveries that this process has claimed into memory. */
  function accept(deliveries: ClaimedDelivery[]): void {
    for (const delivery of deliveries) {
      // Claimed a second time, where this process was silent for so long that it was taken for gone.
      if (held.has(keyOf(delivery))) continue;
      held.add(keyOf(delivery));
      const queue = queueOf(delivery.destination_id);
      const readyAt = Date.parse(delivery.due_at);
      // A delivery that no longer holds its lane back waits in a lane of its own.
      const inLane = delivery.attempts === 0 || holdsLane(delivery.attempts, readyAt - clock());
      const key = inLane ? delivery.lane : `${delivery.lane} ${delivery.event_id}`;
      const lane = queue.lanes.get(key) ?? { key, queue: [], running: false };
      queue.lanes.set(key, lane);
      lane.queue.push({ delivery, readyAt });
      if (lane.queue.length === 1) schedule(queue, lane);
    }
    pump();
  }

  /** Makes the lane ready when its first delivery is due. */
  function schedule(queue: Queue, lane: Lane): void {
    const [first] = lane.queue;
    if (!first) {
      queue.lanes.delete(lane.key);
      if (!queue.lanes.size) queues.delete(queue.destinationId);
      return;
    }
    const makeReady = () => {
      queue.ready.push(lane);
      if (queue.inFlight < MOST_PER_DESTINATION) turn.add(queue);
    };
    const wait = first.readyAt - clock();
    if (wait <= 0) return makeReady();
    if (stopping) return;
    lane.timer = setTimeout(() => {
      makeReady();
      pump();
    }, wait);
  }

  function pump(): void {
    if (stopping) return;
    while (inFlight < MOST_IN_ALL) {
      const { value: queue } = turn.values().next();
      if (!queue) return;
      turn.delete(queue);
      const lane = queue.ready.shift();
      if (!lane) continue;
      const work = run(queue, lane).finally(() => running.delete(work));
      running.add(work);
      if (queue.ready.length && queue.inFlight < MOST_PER_DESTINATION) turn.add(queue);
    }
  }

  async function run(queue: Queue, lane: Lane): Promise<void> {
    const [first] = lane.queue;
    const destination = destinations.byId(queue.destinationId);
    if (!first || !destination || destination.pausedAt !== null) return giveBack(queue, destination);
    lane.running = true;
    queue.inFlight++;
    inFlight++;
    const { delivery } = first;
    const attempt = delivery.attempts + 1;
    const line = deps.lineName(destination.lineId);
    const outcome = await deliver(
      http,
      destination,
      { eventId: delivery.event_id, body: delivery.body, attempt, line },
      clock,
    );
    const gone = outcome.httpStatus === 410;
    const record = recordOf(delivery, attempt, outcome, gone);
    // Paused before the delivery is given back, so that no scan takes it again in between.
    if (gone) await pause(destination);
    await recordUntilStored(record);
    lane.running = false;
    queue.inFlight--;
    inFlight--;
    if (record.claimed_by === null) {
      lane.queue.shift();
      held.delete(keyOf(delivery));
    } else {
      first.readyAt = Date.parse(record.due_at);
      delivery.attempts = attempt;
    }
    schedule(queue, lane);
    if (queue.ready.length) turn.add(queue);
    if (backlogged && held.size < MOST_HELD / 2) scan();
    pump();
  }

  /** What the attempt makes of its delivery. It stays claimed while it holds its lane back. */
  function recordOf(
    delivery: ClaimedDelivery,
    attempt: number,
    outcome: Outcome,
    gone: boolean,
  ): AttemptRecord {
    const finishedAt = outcome.startedAt + outcome.durationMs;
    const wait =
      outcome.outcome === 'delivered' ? null : nextWait(attempt, outcome.retryAfter, Math.random());
    const state = outcome.outcome === 'delivered' ? 'delivered' : wait === null ? 'dead' : 'pending';
    const holds = wait !== null && holdsLane(attempt, wait) && !gone;
    return {
      destination_id: delivery.destination_id,
      event_id: delivery.event_id,
      number: attempt,
      started_at: isoTime(outcome.startedAt),
      duration_ms: outcome.durationMs,
      http_status: outcome.httpStatus,
      outcome: outcome.outcome,
      answer: outcome.answer,
      state,
      due_at: isoTime(finishedAt + (wait ?? 0)),
      claimed_by: holds ? processId : null,
    };
  }

  /** An attempt that is not recorded would be made again, so nothing else happens in its lane until it is. */
  async function recordUntilStored(attempt: AttemptRecord): Promise<void> {
    for (;;) {
      try {
        await store.write({ kind: 'attempt', attempt });
        return;
      } catch (error) {
        log.error(
          { error, eventId: attempt.event_id, destination: attempt.destination_id },
          'attempt not recorded',
        );
        if (stopping) return;
        await new Promise((resolve) => setTimeout(resolve, RECORD_AGAIN));
      }
    }
  }

  async function pause(destination: Destination): Promise<void> {
    log.warn({ destination: destination.id }, 'destination answered 410 and is paused');
    await deps
      .pause(destination, 'It answered 410 Gone.')
      .catch((error: unknown) => log.error({ error, destination: destination.id }, 'destination not paused'));
  }

  /** Lets go of all that waits for a destination that is paused or gone. What is still pending can be claimed later. */
  async function giveBack(queue: Queue, destination: Destination | null): Promise<void> {
    const { destinationId } = queue;
    const dropped: ClaimedDelivery[] = [];
    for (const lane of queue.lanes.values()) {
      clearTimeout(lane.timer);
      for (const { delivery } of lane.queue.splice(lane.running ? 1 : 0)) dropped.push(delivery);
      if (!lane.running) queue.lanes.delete(lane.key);
    }
    queue.ready = [];
    if (!queue.lanes.size) queues.delete(destinationId);
    dropped.forEach((delivery) => held.delete(keyOf(delivery)));
    try {
      if (!destination) await store.deliveries.cancelIfRemoved(destinationId, isoTime(clock()));
      await store.deliveries.release(dropped, processId);
    } catch (error) {
      log.error({ error, destination: destinationId }, 'deliveries not given back yet');
    }
  }

  /**
   * Gives back what this process has claimed and does not hold: giving it back failed, or it was committed although its
   * write was reported as failed, because the connection broke in between.
   */
  async function giveBackStrays(now: number): Promise<void> {
    if (now - straysSoughtAt < STRAY) return;
    straysSoughtAt = now;
    const claimed = await store.deliveries.claimedBy(processId, isoTime(now - STRAY));
    await store.deliveries.release(
      claimed.filter((delivery) => !held.has(keyOf(delivery))),
      processId,
    );
  }

  /** One scan at a time; one that has not begun serves all who ask for it. */
  function scan(): void {
    if (scanWaits) return;
    scanWaits = true;
    scanning = scanning
      .then(() => {
        scanWaits = false;
        return claimDue();
      })
      .catch((error: unknown) => log.error({ error }, 'due-scan failed'));
  }

  /** Claims what is due and nobody holds; catches up with the backlog where there is room for all of it. */
  async function claimDue(): Promise<void> {
    if (stopping) return;
    const now = clock();
    await store.processes.keepAlive(processId, isoTime(now + ALIVE), isoTime(now));
    for (const destination of await store.destinations.expired(isoTime(now))) await deps.expire(destination);
    await giveBackStrays(now);
    if (!(await claimAll())) backlogged = true;
    else if (backlogged) {
      catchingUp = Promise.allSettled(unclaimed)
        .then(claimAll)
        .then((all) => {
          backlogged = !all;
        })
        .finally(() => {
          catchingUp = null;
        });
      await catchingUp;
    }
  }

  /** @returns whether all that is due was claimed; not where memory is full */
  async function claimAll(): Promise<boolean> {
    for (;;) {
      const limit = Math.min(MOST_IN_A_SCAN, MOST_HELD - held.size);
      if (limit <= 0 || stopping) return false;
      const claimed = await store.claim({
        process_id: processId,
        due_before: isoTime(clock() + SCAN_AHEAD),
        now: isoTime(clock()),
        except: destinations.paused().map(({ id }) => id),
        limit,
      });
      // In the order of arrival, so that one which holds its lane back comes before what waits behind it.
      accept(claimed.sort((one, other) => (one.event_id < other.event_id ? -1 : 1)));
      if (claimed.length < limit) return true;
    }
  }

  return {
    processId,

    async take(record) {
      while (catchingUp) await catchingUp.catch(() => undefined);
      if (held.size >= MOST_HELD) backlogged = true;
      if (!backlogged && !stopping) return accept(await record(processId));
      const recording = record(null);
      unclaimed.add(recording);
      await recording.finally(() => unclaimed.delete(recording));
    },

    async start() {
      // One process has a SQLite file to itself, so that whatever holds claims there is gone.
      if (store.dialect === 'sqlite') await store.processes.removeAll();
      scan();
      await scanning;
      scanTimer = setInterval(scan, SCAN_INTERVAL);
    },

    async stop() {
      stopping = true;
      clearInterval(scanTimer);
      for (const { lanes } of queues.values()) for (const { timer } of lanes.values()) clearTimeout(timer);
      await Promise.all([scanning, ...running]);
      // Where this fails, the claims are void once they have not been renewed for a while.
      await store.processes
        .remove(processId)
        .catch((error: unknown) => log.error({ error }, 'claims not given back yet'));
    },
  };
}
