import { randomUUID } from 'node:crypto';
import { type HttpClient } from '../http/http-client';
import { type Store } from '../store/database';
import { type DeliveryKey } from '../store/deliveries';
import { type AttemptRecord, type ClaimedDelivery, type NewEvent } from '../store/writes';
import { isoTime, MINUTE, SECOND, type Clock } from '../time';
import { createBreaker, FAILING_TOO_LONG, type Breaker } from './breaker';
import { deliver, type Outcome } from './deliver';
import { type Destination } from './destination';
import { type DestinationRegistry } from './destination-registry';
import { holdsLane, nextWait } from './retry-schedule';

/**
 * The loop that drains due deliveries.
 *
 * A delivery is `pending` until an attempt succeeds (`delivered`), the last attempt fails (`dead`) or its destination
 * is removed (`canceled`). A pending one is held by one process, or waits in the database: fresh ones are claimed by the
 * process that records them and go to its dispatcher from memory; what waits there is claimed in the order in which it
 * is due, as soon as its destination has room. After a failed attempt it stays in memory while it holds its lane back,
 * and is given back to the database after that.
 *
 * Every destination has a queue of its own, of which only the beginning is in memory: a slow or dead destination delays
 * no other, however much waits for it. While anything waits for it in the database, fresh deliveries are recorded there
 * too, behind it.
 *
 * A lane is one contact at one destination: its deliveries go out one after the other, in the order of their arrival.
 * A failing one holds back only its lane, and only for its first attempts. Where everything fails, the destination's
 * breaker opens, and what waits for it is given back to the database until a probe succeeds.
 */
export interface Dispatcher {
  /** The mark by which this process claims deliveries. */
  readonly processId: string;
  /**
   * Has fresh deliveries recorded, and takes them from memory.
   * @param events their deliveries are given their claims here
   * @param record makes them durable; resolves with the ids of those that were new
   */
  take(events: NewEvent[], record: () => Promise<Set<string>>): Promise<void>;
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
  /** Told of each attempt. @param waited from the event's arrival to its first attempt; null for a later one */
  attempted(outcome: string, milliseconds: number, waited: number | null): void;
  log: { warn(fields: object, message: string): void; error(fields: object, message: string): void };
}

/** In flight at once, in all. */
const MOST_IN_ALL = 256;
/** Once half of these places are taken, one destination takes no more than this: the rest are for the others. */
const FEW_PLACES = 2;
/** Deliveries held in memory, some 2 KB each, in all and for one destination. Beyond them they wait in the database. */
const MOST_HELD = 20_000;
const MOST_HELD_FOR_ONE = 1_000;
/** Characters of all bodies in memory, and of those for one destination: most events have 1,000, one may have 3 million. */
const MOST_SIZE = 256 * 1024 * 1024;
const MOST_SIZE_FOR_ONE = 16 * 1024 * 1024;
/** Of one claim. */
const MOST_SIZE_CLAIMED = 8 * 1024 * 1024;
/** What every destination may hold, however much the others do. */
const FEW_HELD = 16;
/** How often the scan looks for destinations for which something is due. */
const SCAN_INTERVAL = 5 * SECOND;
/** What is due this soon is claimed, and timed exactly from memory; longer than the first two waits, so that a delivery which held its lane back when its process died holds it back again. */
const CLAIM_AHEAD = 40 * SECOND;
/** How often this process looks for claims that nobody holds any more, and how long its own are overdue by then. */
const STRAY = MINUTE;
/** A process that has not said so for this long is taken for gone, and what it held is given back. */
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

/** What this process knows of one destination's deliveries. */
interface Queue {
  destinationId: number;
  /** Where the breaker's failures were seen. */
  url: string | undefined;
  breaker: Breaker;
  /** Whether the database says that it fails. */
  noted: boolean;
  lanes: Map<string, Lane>;
  ready: Lane[];
  inFlight: number;
  /** In memory, those in flight included. */
  held: number;
  /** The characters of their bodies. */
  size: number;
  /** Older ones wait in the database, or may: fresh ones are recorded there, behind them. */
  backlogged: boolean;
  /** Fresh ones that are being recorded. */
  recording: Set<Promise<unknown>>;
  /** While the last of what waits is claimed, nothing fresh is recorded, so that it comes neither before nor between. */
  catchingUp: Promise<void> | null;
  refilling: Promise<void> | null;
  probe?: NodeJS.Timeout;
}

/** Of their bodies, in bytes. */
const sizeOf = (deliveries: ClaimedDelivery[]): number =>
  deliveries.reduce((sum, { body }) => sum + Buffer.byteLength(body), 0);

const keyOf = ({ destination_id, event_id }: DeliveryKey): string => `${destination_id} ${event_id}`;

export function createDispatcher(deps: DispatcherDeps): Dispatcher {
  const { store, destinations, http, clock, log } = deps;
  const processId = randomUUID();
  const queues = new Map<number, Queue>();
  /** Queues with a lane that is ready and room for it, each once; served in turn. */
  const turn = new Set<Queue>();
  /** The keys of all that is in memory. */
  const held = new Set<string>();
  /** The characters of all bodies in memory. */
  let size = 0;
  let inFlight = 0;
  /** Until the first scan has told what an earlier process left, everything counts as backlogged. */
  let scanned = false;
  let stopping = false;
  let scanTimer: NodeJS.Timeout | undefined;
  let aliveTimer: NodeJS.Timeout | undefined;
  let scanning: Promise<void> | null = null;
  let straysSoughtAt = Number.NEGATIVE_INFINITY;
  const running = new Set<Promise<void>>();
  /** Settled once all that was taken so far is recorded: what comes after it goes out after it. */
  let lastTaken: Promise<void> = Promise.resolve();

  function queueOf(destinationId: number): Queue {
    const known = queues.get(destinationId);
    if (known) return known;
    const { url, failingSince = null } = destinations.byId(destinationId) ?? {};
    const queue: Queue = {
      destinationId,
      url,
      breaker: createBreaker(failingSince === null ? null : Date.parse(failingSince)),
      noted: failingSince !== null,
      lanes: new Map(),
      ready: [],
      inFlight: 0,
      held: 0,
      size: 0,
      backlogged: !scanned,
      recording: new Set(),
      catchingUp: null,
      refilling: null,
    };
    queues.set(destinationId, queue);
    return queue;
  }

  /** How many more deliveries of this destination memory takes. */
  function roomOf(queue: Queue): number {
    const places = queue.breaker.places(clock());
    if (queue.breaker.isOpen()) return Math.max(0, places - queue.held);
    if (queue.size >= MOST_SIZE_FOR_ONE || (size >= MOST_SIZE && queue.held > 0)) return 0;
    const inAll = Math.max(MOST_HELD - held.size, FEW_HELD - queue.held);
    return Math.max(0, Math.min(MOST_HELD_FOR_ONE - queue.held, inAll));
  }

  const placesOf = (queue: Queue): number =>
    Math.min(queue.breaker.places(clock()), inFlight < MOST_IN_ALL / 2 ? MOST_IN_ALL : FEW_PLACES);

  /** Whether fresh deliveries go to memory; where they do not, they wait in the database. */
  function takesFresh(queue: Queue): boolean {
    const destination = destinations.byId(queue.destinationId);
    const mayGoOut = destination !== null && destination.pausedAt === null && !queue.breaker.isOpen();
    if (!mayGoOut || stopping || roomOf(queue) === 0) queue.backlogged = true;
    return !queue.backlogged;
  }

  /** Takes deliveries that this process has claimed into memory. */
  function accept(queue: Queue, deliveries: ClaimedDelivery[]): void {
    for (const delivery of deliveries) {
      // Claimed a second time, where this process was silent for so long that it was taken for gone.
      if (held.has(keyOf(delivery))) continue;
      held.add(keyOf(delivery));
      queue.held++;
      queue.size += delivery.body.length;
      size += delivery.body.length;
      const readyAt = queue.breaker.isOpen() ? clock() : Date.parse(delivery.due_at);
      // A delivery that no longer holds its lane back waits in a lane of its own.
      const tried = delivery.attempts - delivery.attempts_before;
      const inLane = tried === 0 || holdsLane(tried, readyAt - clock());
      const key = inLane ? delivery.lane : `${delivery.lane} ${delivery.event_id}`;
      const lane = queue.lanes.get(key) ?? { key, queue: [], running: false };
      queue.lanes.set(key, lane);
      lane.queue.push({ delivery, readyAt });
      if (lane.queue.length === 1) schedule(queue, lane);
    }
    // It opened while they were being recorded or claimed.
    if (deliveries.length && queue.breaker.places(clock()) === 0)
      void giveBack(queue, destinations.byId(queue.destinationId));
    else pump();
  }

  /** Makes the lane ready when its first delivery is due. */
  function schedule(queue: Queue, lane: Lane): void {
    const [first] = lane.queue;
    if (!first) {
      queue.lanes.delete(lane.key);
      return;
    }
    const makeReady = () => {
      queue.ready.push(lane);
      turn.add(queue);
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
      // One that has no place now takes its turn again when one of its own comes back.
      if (queue.inFlight >= placesOf(queue)) continue;
      const lane = queue.ready.shift();
      if (!lane) continue;
      const work = run(queue, lane).finally(() => running.delete(work));
      running.add(work);
      if (queue.ready.length) turn.add(queue);
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
    const isProbe = queue.breaker.isOpen();
    const attempt = delivery.attempts + 1;
    const line = deps.lineName(destination.lineId);
    const outcome = await deliver(
      http,
      destination,
      { eventId: delivery.event_id, body: delivery.body, attempt, line },
      clock,
    );
    const waited = delivery.attempts === 0 ? outcome.startedAt - Date.parse(delivery.due_at) : null;
    deps.attempted(outcome.outcome, outcome.durationMs, waited);
    const gone = outcome.httpStatus === 410;
    // Paused before the delivery is given back, so that no scan takes it again in between.
    if (gone) await pause(destination, 'It answered 410 Gone.');
    const opened = await judge(queue, destination, delivery, outcome, isProbe);
    const record = recordOf(delivery, attempt, outcome, gone || queue.breaker.isOpen());
    const isPostponed = isProbe && outcome.outcome !== 'delivered';
    if (isPostponed) await postpone(queue, delivery);
    else await recordUntilStored(record);
    lane.running = false;
    queue.inFlight--;
    inFlight--;
    if (isPostponed || record.claimed_by === null) {
      lane.queue.shift();
      forget(queue, delivery);
    } else {
      first.readyAt = Date.parse(record.due_at);
      delivery.attempts = attempt;
    }
    schedule(queue, lane);
    if (opened) await giveBack(queue, destination);
    if (queue.ready.length) turn.add(queue);
    if (queue.backlogged && queue.held < MOST_HELD_FOR_ONE / 2) refill(queue);
    pump();
  }

  function forget(queue: Queue, delivery: ClaimedDelivery): void {
    if (!held.delete(keyOf(delivery))) return;
    queue.held--;
    queue.size -= delivery.body.length;
    size -= delivery.body.length;
  }

  /** Tells the breaker what came of an attempt, and keeps since when everything fails. @returns whether it has opened */
  async function judge(
    queue: Queue,
    destination: Destination,
    delivery: DeliveryKey,
    { outcome, httpStatus, retryAfter }: Outcome,
    isProbe: boolean,
  ): Promise<boolean> {
    const { breaker } = queue;
    const now = clock();
    if (outcome === 'delivered') {
      breaker.succeeded();
      clearTimeout(queue.probe);
      if (queue.noted) {
        queue.noted = false;
        log.warn({ destination: destination.id }, 'destination takes events again');
        await noteFailing(destination, null, null);
      }
      return false;
    }
    // What was on its way when it opened tells nothing new.
    if (breaker.isOpen() && !isProbe) return false;
    if (!breaker.failed(delivery.event_id, now, retryAfter)) return false;
    const reason = httpStatus === null ? outcome : `HTTP ${httpStatus}`;
    const since = breaker.failingSince() ?? now;
    const probesAt = breaker.probesAt() ?? now;
    log.warn(
      { destination: destination.id, reason, failingSince: isoTime(since), probesAt: isoTime(probesAt) },
      'destination fails: its events wait',
    );
    queue.noted = true;
    await noteFailing(destination, isoTime(since), reason);
    if (now - since >= FAILING_TOO_LONG) {
      await pause(
        destination,
        `Nothing could be delivered since ${isoTime(since)} (last: ${reason}). Its events are kept.`,
      );
    } else {
      probeWhenDue(queue);
    }
    return true;
  }

  function probeWhenDue(queue: Queue): void {
    clearTimeout(queue.probe);
    const wait = (queue.breaker.probesAt() ?? 0) - clock();
    // The clock may have been set back meanwhile.
    const probe = () => (queue.breaker.places(clock()) ? serve(queue) : probeWhenDue(queue));
    queue.probe = setTimeout(probe, Math.max(0, wait)).unref();
  }

  /** Sends what is ready, and claims more where there is room. */
  function serve(queue: Queue): void {
    turn.add(queue);
    pump();
    refill(queue);
  }

  const noteFailing = (
    { id }: Destination,
    failing_since: string | null,
    last_failure: string | null,
  ): Promise<void> =>
    store.destinations
      .note(id, { failing_since, last_failure })
      .catch((error: unknown) => log.error({ error, destination: id }, 'health of destination not kept'));

  /** What the attempt makes of its delivery. It stays claimed while it holds its lane back. */
  function recordOf(
    delivery: ClaimedDelivery,
    attempt: number,
    outcome: Outcome,
    isGivenBack: boolean,
  ): AttemptRecord {
    const finishedAt = outcome.startedAt + outcome.durationMs;
    const tried = attempt - delivery.attempts_before;
    const wait = outcome.outcome === 'delivered' ? null : nextWait(tried, outcome.retryAfter, Math.random());
    const state = outcome.outcome === 'delivered' ? 'delivered' : wait === null ? 'dead' : 'pending';
    const holds = wait !== null && holdsLane(tried, wait) && !isGivenBack;
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

  /** A probe that failed goes behind what is due by the next one, which then tries another event. */
  async function postpone({ breaker }: Queue, delivery: DeliveryKey): Promise<void> {
    const dueAt = isoTime((breaker.probesAt() ?? clock()) + SECOND);
    await store.deliveries
      .postpone(delivery, dueAt, processId)
      .catch((error: unknown) =>
        log.error({ error, eventId: delivery.event_id }, 'probe not given back yet'),
      );
  }

  async function pause(destination: Destination, reason: string): Promise<void> {
    log.warn({ destination: destination.id, reason }, 'destination is paused');
    await deps
      .pause(destination, reason)
      .catch((error: unknown) => log.error({ error, destination: destination.id }, 'destination not paused'));
  }

  /** Lets go of all that waits in memory for a destination. What is still pending can be claimed later. */
  async function giveBack(queue: Queue, destination: Destination | null): Promise<void> {
    const { destinationId } = queue;
    const dropped: ClaimedDelivery[] = [];
    for (const lane of queue.lanes.values()) {
      clearTimeout(lane.timer);
      for (const { delivery } of lane.queue.splice(lane.running ? 1 : 0)) dropped.push(delivery);
      if (!lane.running) queue.lanes.delete(lane.key);
    }
    queue.ready = [];
    queue.backlogged = true;
    // Once someone lets it go on, it begins anew.
    if (destinations.byId(destinationId)?.pausedAt !== null) renew(queue);
    dropped.forEach((delivery) => forget(queue, delivery));
    if (!destination && !queue.held) drop(queue);
    try {
      if (!destination) await store.deliveries.cancelOfRemoved(destinationId, isoTime(clock()));
      await store.deliveries.release(dropped, processId);
    } catch (error) {
      log.error({ error, destination: destinationId }, 'deliveries not given back yet');
    }
  }

  function drop(queue: Queue): void {
    clearTimeout(queue.probe);
    queues.delete(queue.destinationId);
  }

  /** Forgets the failures of a destination that is paused, or that has got another address. */
  function renew(queue: Queue): void {
    clearTimeout(queue.probe);
    queue.breaker = createBreaker(null);
    queue.noted = (destinations.byId(queue.destinationId)?.failingSince ?? null) !== null;
    queue.url = destinations.byId(queue.destinationId)?.url;
  }

  /** Claims what waits for one destination, as far as there is room, one claim at a time. */
  function refill(queue: Queue): void {
    if (queue.refilling || stopping) return;
    queue.refilling = claimFor(queue)
      .catch((error: unknown) =>
        log.error({ error, destination: queue.destinationId }, 'deliveries not claimed'),
      )
      .finally(() => {
        queue.refilling = null;
      });
  }

  async function claimFor(queue: Queue): Promise<void> {
    if (!(await claimAll(queue)) || !queue.backlogged || queue.breaker.isOpen()) return;
    queue.catchingUp = Promise.allSettled(queue.recording)
      .then(() => {
        queue.backlogged = false;
        return claimAll(queue);
      })
      .then((all) => {
        if (!all || queue.breaker.isOpen()) queue.backlogged = true;
      })
      .finally(() => {
        queue.catchingUp = null;
      });
    await queue.catchingUp;
  }

  /** @returns whether all that is due was claimed; not where there is no room for it */
  async function claimAll(queue: Queue): Promise<boolean> {
    const destination = destinations.byId(queue.destinationId);
    if (!destination) {
      await giveBack(queue, null);
      return false;
    }
    const limit = destination.pausedAt === null && !stopping ? roomOf(queue) : 0;
    if (limit === 0) {
      queue.backlogged = true;
      return false;
    }
    const claimed = await store.claim({
      process_id: processId,
      destination_id: queue.destinationId,
      due_before: isoTime(clock() + (queue.breaker.isOpen() ? 0 : CLAIM_AHEAD)),
      limit,
      most_size: MOST_SIZE_CLAIMED,
    });
    // In the order of arrival, so that one which holds its lane back comes before what waits behind it.
    accept(
      queue,
      claimed.sort((one, other) => (one.event_id < other.event_id ? -1 : 1)),
    );
    const isAll = claimed.length < limit && sizeOf(claimed) < MOST_SIZE_CLAIMED;
    if (!isAll) queue.backlogged = true;
    return isAll;
  }

  /** One scan at a time. */
  function scan(): Promise<void> {
    scanning ??= findDue()
      .catch((error: unknown) => log.error({ error }, 'due-scan failed'))
      .finally(() => {
        scanning = null;
      });
    return scanning;
  }

  /** @returns whether other processes have ended */
  const sayAlive = (): Promise<boolean> => {
    const now = clock();
    return store.processes.keepAlive(processId, isoTime(now + ALIVE), isoTime(now));
  };

  /** Finds the destinations for which something waits, and claims it where there is room. */
  async function findDue(): Promise<void> {
    if (stopping) return;
    const now = clock();
    const othersEnded = await sayAlive();
    for (const destination of await store.destinations.expired(isoTime(now))) await deps.expire(destination);
    await giveBackStrays(now, othersEnded);
    const waiting = await store.deliveries.destinationsWaiting(
      isoTime(now + CLAIM_AHEAD),
      scanned ? isoTime(now - 2 * STRAY) : '',
    );
    const found = waiting.map(queueOf);
    for (const queue of queues.values()) {
      const destination = destinations.byId(queue.destinationId);
      // One that is paused, or that has got another address, begins anew.
      if (destination && (destination.pausedAt !== null || destination.url !== queue.url)) renew(queue);
      if (queue.ready.length) turn.add(queue);
      const isIdle = !queue.held && !queue.recording.size && !queue.refilling && !found.includes(queue);
      if (!destination && isIdle) drop(queue);
    }
    pump();
    // The first time, also those that were recorded for meanwhile.
    const due = scanned ? found : [...queues.values()];
    scanned = true;
    due.forEach(refill);
    await Promise.all(due.map(({ refilling }) => refilling));
  }

  /**
   * Gives back what nobody holds: claims of processes that have ended, and claims of this one that it does not know of,
   * because giving them back failed, or because they were committed although their write was reported as failed.
   */
  async function giveBackStrays(now: number, othersEnded: boolean): Promise<void> {
    const isTime = now - straysSoughtAt >= STRAY;
    if (isTime || othersEnded) await store.deliveries.releaseOfEnded(isoTime(now));
    if (!isTime) return;
    straysSoughtAt = now;
    const claimed = await store.deliveries.claimedBy(processId, isoTime(now - STRAY));
    // What is just being claimed or recorded is in the database before it is in memory.
    const all = [...queues.values()];
    await Promise.allSettled(all.flatMap(({ refilling, recording }) => [refilling, ...recording]));
    await store.deliveries.release(
      claimed.filter((delivery) => !held.has(keyOf(delivery))),
      processId,
    );
  }

  return {
    processId,

    async take(events, record) {
      const deliveries = events.flatMap((event) => event.deliveries);
      const concerned = [...new Set(deliveries.map(({ destination_id: id }) => id))].map(queueOf);
      for (;;) {
        const busy = concerned.flatMap(({ catchingUp }) => catchingUp ?? []);
        if (!busy.length) break;
        await Promise.allSettled(busy);
      }
      const takers = new Set(concerned.filter(takesFresh).map(({ destinationId }) => destinationId));
      for (const delivery of deliveries) {
        delivery.claimed_by = takers.has(delivery.destination_id) ? processId : null;
      }
      const earlier = lastTaken;
      const recording = record();
      concerned.forEach((queue) => queue.recording.add(recording));
      // Two transactions may be in flight, and the second be committed first.
      lastTaken = Promise.allSettled([earlier, recording]).then(() => undefined);
      const fresh = await recording.finally(() =>
        concerned.forEach((queue) => queue.recording.delete(recording)),
      );
      await earlier;
      const taken = events
        .filter(({ id }) => fresh.has(id))
        .flatMap(({ id, body, deliveries: owed }) =>
          owed.map((delivery) => ({ ...delivery, event_id: id, attempts: 0, attempts_before: 0, body })),
        );
      for (const queue of concerned) {
        if (takers.has(queue.destinationId)) {
          accept(
            queue,
            taken.filter(({ destination_id: id }) => id === queue.destinationId),
          );
        } else if (scanned && roomOf(queue) > 0 && queue.held < MOST_HELD_FOR_ONE / 2) refill(queue);
      }
    },

    async start() {
      // One process has a SQLite file to itself, so that whatever holds claims there is gone.
      if (store.dialect === 'sqlite') await store.processes.removeAll();
      await scan();
      scanTimer = setInterval(() => void scan(), SCAN_INTERVAL);
      // Beside the scan, which may take longer.
      aliveTimer = setInterval(
        () => void sayAlive().catch((error: unknown) => log.error({ error }, 'not said to be alive')),
        ALIVE / 3,
      );
    },

    async stop() {
      stopping = true;
      clearInterval(scanTimer);
      clearInterval(aliveTimer);
      for (const { lanes, probe } of queues.values()) {
        clearTimeout(probe);
        for (const { timer } of lanes.values()) clearTimeout(timer);
      }
      await Promise.all([scanning, ...[...queues.values()].map(({ refilling }) => refilling), ...running]);
      // Where this fails, they are given back once this process has not said for a while that it lives.
      await store.deliveries
        .releaseAll(processId)
        .then(() => store.processes.remove(processId))
        .catch((error: unknown) => log.error({ error }, 'claims not given back yet'));
    },
  };
}
