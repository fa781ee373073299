import { randomUUID } from 'node:crypto';
import { type HttpClient } from '../http/http-client';
import { onceInAWhile } from '../once-in-a-while';
import { type Store } from '../store/database';
import { type DeliveryKey } from '../store/deliveries';
import { type Wake } from '../store/wake';
import { COMES_FIRST, type ClaimedDelivery, type NewDelivery, type NewEvent } from '../store/writes';
import { isoTime, MINUTE, SECOND, type Clock } from '../time';
import { recordOf, recordUntilStored } from './attempts';
import { createBacklog } from './backlog';
import { deliver } from './deliver';
import { type Destination } from './destination';
import { type DestinationRegistry } from './destination-registry';
import { destinationHealth, reasonOf } from './health';
import { type Lane } from './lanes';
import { createOwnership } from './ownership';
import { createQueue, keyOf, type Memory, type Queue } from './queue';

/**
 * The loop that drains due deliveries.
 *
 * A delivery is `pending` until an attempt succeeds (`delivered`), the last attempt fails (`dead`) or its destination
 * is removed (`canceled`). A pending one is held by the process that owns its destination (`ownership.ts`), or waits in
 * the database: fresh ones that the owner itself records go to its dispatcher from memory, unless older ones wait; what
 * waits is claimed in the order in which it is due (`backlog.ts`), as soon as its destination has room. After a failed
 * attempt it stays in memory while it holds its lane back, and is given back to the database after that.
 *
 * Every destination has a queue of its own (`queue.ts`), of which only the beginning is in memory: a slow or dead
 * destination delays no other, however much waits for it. Within it each contact has a lane (`lanes.ts`): a failing
 * delivery holds back only its lane, and only for its first attempts. Where everything fails, the destination's breaker
 * opens (`health.ts`), and what waits for it is given back to the database until a probe succeeds.
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
  /** Reads the registry again where another process may have changed it. */
  refresh(): Promise<void>;
  /** Told of each attempt. @param waited from the event's arrival to its first attempt; null for a later one */
  attempted(outcome: string, milliseconds: number, waited: number | null): void;
  log: { warn(fields: object, message: string): void; error(fields: object, message: string): void };
}

type Fresh = ClaimedDelivery & Pick<NewDelivery, 'claimed_by'>;

/** In flight at once, in all. */
const MOST_IN_ALL = 512;
/** To all destinations of one line: however many of them hang, the other half is for the other lines. */
const MOST_OF_LINE = MOST_IN_ALL / 2;
/** Once half of either is taken, one destination takes no more than this: the rest are for the others. */
const FEW_PLACES = 2;
/** How often the scan looks for destinations for which something is due. */
const SCAN_INTERVAL = 5 * SECOND;
/** How often this process looks for claims that nobody holds any more, and how long its own are overdue by then. */
const STRAY = MINUTE;

export function createDispatcher(deps: DispatcherDeps): Dispatcher {
  const { store, destinations, http, clock } = deps;
  const log: DispatcherDeps['log'] = {
    warn: (fields, message) => deps.log.warn(fields, message),
    error: onceInAWhile((fields, message) => deps.log.error(fields, message)),
  };
  const processId = randomUUID();
  const queues = new Map<number, Queue>();
  /** Queues with a lane that is ready and room for it, each once; served in turn. */
  const turn = new Set<Queue>();
  const memory: Memory = { held: new Set(), size: 0 };
  let inFlight = 0;
  /** Of these, by line. */
  const inFlightByLine = new Map<number, number>();
  /** Until the first scan has told what an earlier process left, nothing fresh is sent from memory. */
  let scanned = false;
  let stopping = false;
  let scanTimer: NodeJS.Timeout | undefined;
  let scanning: Promise<void> | null = null;
  let straysSoughtAt = Number.NEGATIVE_INFINITY;
  const running = new Set<Promise<void>>();
  /** What is canceled just now, by destination. */
  const canceling = new Map<number, Promise<void>>();
  /** Settled once all that was taken so far is recorded and brought: what comes after it goes out after it. */
  let lastTaken: Promise<void> = Promise.resolve();

  const health = destinationHealth({ ...deps, log }, serve);
  const ownership = createOwnership({
    store,
    processId,
    acquired,
    lost: (ids) => ids.forEach(letGo),
    sure,
    log,
  });
  const backlog = createBacklog({
    store,
    destinations,
    ownership,
    processId,
    clock,
    isStopping: () => stopping,
    came,
    giveBack,
    taken: () => lastTaken,
    straysAmong,
    log,
  });

  function queueOf(destinationId: number): Queue {
    const known = queues.get(destinationId);
    if (known) return known;
    const queue = createQueue(
      destinationId,
      destinations.byId(destinationId) ?? {},
      memory,
      clock,
      (ofLane) => {
        turn.add(ofLane);
        pump();
      },
    );
    queues.set(destinationId, queue);
    return queue;
  }

  /** A new owner goes on where the one before has left: everything is in the database. */
  async function acquired(ids: number[]): Promise<void> {
    if (!ids.length) return;
    for (const { id, failing_since: failingSince } of await store.destinations.healthOf(ids)) {
      const { url } = destinations.byId(id) ?? {};
      queueOf(id).renew({ url, failingSince }, failingSince);
    }
    ids.map(queueOf).forEach((queue) => queue.arrived());
  }

  function sure(): void {
    pump();
    if (scanned) void scanAnew();
  }

  /** What was held of a destination is another's now. */
  function letGo(destinationId: number): void {
    const queue = queues.get(destinationId);
    if (!queue) return;
    clearTimeout(queue.probe);
    void backlog.release(queue, queue.drop());
    if (queue.isDoubted) backlog.refill(queue);
  }

  /** In flight to all destinations of its line. */
  const inFlightOfLine = ({ destinationId }: Queue): number =>
    inFlightByLine.get(destinations.byId(destinationId)?.lineId ?? 0) ?? 0;

  function placesOf(queue: Queue): number {
    const isPlenty = inFlight < MOST_IN_ALL / 2 && inFlightOfLine(queue) < MOST_OF_LINE / 2;
    return Math.min(queue.breaker.places(clock()), isPlenty ? MOST_IN_ALL : FEW_PLACES);
  }

  /** Whether this process would send fresh deliveries from memory. Where it would not, they wait in the database. */
  function takesFresh(queue: Queue): boolean {
    const destination = destinations.byId(queue.destinationId);
    return (
      scanned &&
      !stopping &&
      ownership.isSure() &&
      ownership.owns(queue.destinationId) &&
      destination !== null &&
      destination.pausedAt === null &&
      !queue.breaker.isOpen() &&
      queue.room() > 0
    );
  }

  /** Takes what was just recorded: behind what waits in the database, or is on its way from there. */
  function bring(queue: Queue, fresh: Fresh[]): void {
    const own = fresh.filter(({ claimed_by: holder }) => holder === processId);
    if (!ownership.owns(queue.destinationId) || stopping) {
      if (own.length) queue.arrived();
      void backlog.release(queue, own);
      return;
    }
    if (own.length < fresh.length) queue.arrived();
    queue.setAside(own);
    if (!queue.backlogged && !queue.refilling) void backlog.release(queue, queue.acceptAside());
    if (own.length) came(queue);
    if (queue.backlogged && scanned && queue.isLow() && (queue.room() > 0 || queue.aside.length)) {
      backlog.refill(queue);
    }
  }

  /** Their recording has failed; what was asked for may be committed all the same. */
  function doubt(events: NewEvent[]): void {
    for (const { destination_id: id, claimed_by: holder } of events.flatMap((event) => event.deliveries)) {
      if (holder !== processId) continue;
      const queue = queueOf(id);
      queue.arrived();
      queue.isDoubted = true;
    }
  }

  /** There may be something to send. */
  function came(queue: Queue): void {
    if (queue.hasReady()) turn.add(queue);
    // It opened while they were being recorded or claimed.
    if (queue.held() > queue.inFlight && queue.breaker.places(clock()) === 0)
      void giveBack(queue, destinations.byId(queue.destinationId));
    else pump();
  }

  function count(lineId: number, change: 1 | -1): void {
    inFlight += change;
    inFlightByLine.set(lineId, (inFlightByLine.get(lineId) ?? 0) + change);
  }

  function pump(): void {
    if (stopping || !ownership.isSure()) return;
    // One that is added again while this goes on is served again, after the others.
    for (const queue of turn) {
      if (inFlight >= MOST_IN_ALL) return;
      // It keeps its turn until something of its line comes back.
      if (inFlightOfLine(queue) >= MOST_OF_LINE) continue;
      turn.delete(queue);
      // One that has no place now takes its turn again when one of its own comes back.
      if (queue.inFlight >= placesOf(queue)) continue;
      const next = queue.next();
      if (!next) continue;
      const work = run(queue, next.lane, next.delivery).finally(() => running.delete(work));
      running.add(work);
      if (queue.hasReady()) turn.add(queue);
    }
  }

  async function run(queue: Queue, lane: Lane, delivery: ClaimedDelivery): Promise<void> {
    const destination = destinations.byId(queue.destinationId);
    if (!destination || destination.pausedAt !== null || !ownership.owns(queue.destinationId)) {
      lane.running = false;
      return giveBack(queue, destination);
    }
    queue.inFlight++;
    count(destination.lineId, 1);
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
    if (gone) await health.pause(destination, 'It answered 410 Gone.');
    const opened = await health.judge(queue, destination, delivery.event_id, outcome);
    const isGivenBack = gone || queue.breaker.isOpen() || !ownership.owns(queue.destinationId);
    const record = recordOf(delivery, attempt, outcome, processId, isGivenBack, queue.heldBack(lane));
    // A probe that failed is no attempt. The next one is of another contact, as far as there is one.
    const isFailedProbe = isProbe && outcome.outcome !== 'delivered';
    if (isFailedProbe) {
      queue.probedLanes.add(delivery.lane);
      await backlog.release(queue, [delivery]);
    } else {
      await recordUntilStored(
        store,
        record,
        () => stopping,
        (error) =>
          log.error(
            { error, eventId: delivery.event_id, destination: destination.id },
            'attempt not recorded: tried again every second',
          ),
      );
    }
    queue.inFlight--;
    count(destination.lineId, -1);
    if (record.state === 'dead') {
      log.warn(
        { eventId: delivery.event_id, destination: destination.id, reason: reasonOf(outcome), attempt },
        'event given up: it can be replayed',
      );
    }
    const isOver = isFailedProbe || record.claimed_by === null;
    if (!isOver) delivery.attempts = attempt;
    else if (record.state === 'pending' && !isGivenBack) queue.letOthersPass(delivery);
    queue.ran(lane, delivery, isOver ? null : Date.parse(record.due_at));
    if (opened) await giveBack(queue, destination);
    if (queue.hasReady()) turn.add(queue);
    if (queue.wantsMore()) backlog.refill(queue);
    pump();
  }

  /** Sends what is ready, and claims more where there is room. */
  function serve(queue: Queue): void {
    turn.add(queue);
    pump();
    backlog.refill(queue);
  }

  /** Lets go of all that waits in memory for a destination. What is still pending can be claimed later. */
  async function giveBack(queue: Queue, destination: Destination | null): Promise<void> {
    const { destinationId } = queue;
    const dropped = queue.drop();
    const known = destinations.byId(destinationId);
    // Once someone lets it go on, it begins anew.
    if (known?.pausedAt !== null) queue.renew(known ?? {});
    if (!destination && !queue.held()) drop(queue);
    if (!destination) cancelOfRemoved(destinationId);
    await backlog.release(queue, dropped);
  }

  /** However much that is, nothing else waits for it. */
  function cancelOfRemoved(destinationId: number): void {
    if (canceling.has(destinationId)) return;
    const work = store.deliveries
      .cancelOfRemoved(destinationId, isoTime(clock()), () => stopping)
      .catch((error: unknown) =>
        log.error(
          { error, destination: destinationId },
          'what a removed destination was owed is not canceled yet: tried again within a minute',
        ),
      )
      .finally(() => canceling.delete(destinationId));
    canceling.set(destinationId, work);
  }

  function drop(queue: Queue): void {
    clearTimeout(queue.probe);
    queues.delete(queue.destinationId);
    turn.delete(queue);
  }

  /** One scan at a time. */
  function scan(): Promise<void> {
    scanning ??= findDue()
      .catch((error: unknown) =>
        log.error({ error }, 'what is due could not be looked for: tried again in 5 seconds'),
      )
      .finally(() => {
        scanning = null;
      });
    return scanning;
  }

  /** One that has begun may have looked already. */
  async function scanAnew(): Promise<void> {
    await scanning;
    return scan();
  }

  /** One that cannot be removed keeps nothing from the others. */
  const expire = (destination: Pick<Destination, 'id'>): Promise<void> =>
    deps
      .expire(destination)
      .catch((error: unknown) =>
        log.error(
          { error, destination: destination.id },
          'expired destination not removed yet: tried again in 5 seconds',
        ),
      );

  const isIdle = (queue: Queue): boolean =>
    !queue.held() && !queue.isDoubted && !queue.taking && !queue.refilling;

  /** Finds the destinations for which something waits, and claims it where there is room. */
  async function findDue(): Promise<void> {
    if (stopping) return;
    const now = clock();
    const seeksStrays = now - straysSoughtAt >= STRAY;
    await ownership.refresh(seeksStrays);
    for (const destination of await store.destinations.expired(isoTime(now))) await expire(destination);
    if (seeksStrays) await giveBackStrays(now);
    // Of what was removed long ago, which is looked at less often, something may come due only now.
    const removedAfter = scanned && !seeksStrays ? isoTime(now - 2 * STRAY) : '';
    const waiting = await store.deliveries.destinationsWaiting(isoTime(now + COMES_FIRST), removedAfter);
    await ownership.settle(waiting);
    const found = new Set(waiting.filter(ownership.owns).map(queueOf));
    for (const queue of queues.values()) {
      if (queue.isDoubted) found.add(queue);
      const destination = destinations.byId(queue.destinationId);
      // One that is paused, or that has got another address, begins anew.
      if (destination && (destination.pausedAt !== null || destination.url !== queue.url))
        queue.renew(destination);
      if (destination) queue.heed(destination);
      if (queue.hasReady()) turn.add(queue);
      const isOthers = !destination || !ownership.owns(queue.destinationId);
      if (isOthers && isIdle(queue) && !found.has(queue)) drop(queue);
    }
    pump();
    // The first time, also those that were recorded for meanwhile.
    const due = scanned ? [...found] : [...queues.values()];
    scanned = true;
    due.forEach(backlog.refill);
    await Promise.all(due.map(({ refilling }) => refilling));
    await shareOut();
  }

  /** A process that owns far more than its share leaves some of what is idle to the others. */
  async function shareOut(): Promise<void> {
    const excess = await ownership.excess((id) => {
      const queue = queues.get(id);
      return !queue || (isIdle(queue) && !queue.breaker.isOpen());
    });
    if (!excess.length) return;
    const concerned = () => excess.flatMap((id) => queues.get(id) ?? []);
    await ownership.giveUp(excess, () =>
      Promise.all([lastTaken, ...concerned().map(({ refilling }) => refilling)]),
    );
    // Something may have come for one, so that it was not given up.
    for (const queue of concerned()) if (queue.backlogged) backlog.refill(queue);
  }

  /**
   * Gives back claims of this process that it does not know of, and that no queue doubts: a write was reported as failed
   * and committed nevertheless, long after it was given up.
   */
  async function giveBackStrays(now: number): Promise<void> {
    const claimed = await store.deliveries.claimedBy(processId, isoTime(now - STRAY));
    // What is just being claimed is in the database before it is in memory.
    await Promise.allSettled([...queues.values()].map(({ refilling }) => refilling));
    const strays = await straysAmong(claimed);
    // It may have been given back, and be claimed anew just now.
    const isSettled = ({ destination_id: id }: DeliveryKey) => !queues.get(id)?.refilling;
    await store.deliveries.release(strays.filter(isSettled), processId);
    straysSoughtAt = now;
  }

  /** Of what this process holds, as the database says, what it does not know of. */
  async function straysAmong(claimed: DeliveryKey[]): Promise<DeliveryKey[]> {
    // What is just being recorded is in the database before it is in memory.
    await lastTaken;
    return claimed.filter((delivery) => !memory.held.has(keyOf(delivery)));
  }

  /** Someone tells of deliveries that wait, as another process does; null where something may have been missed. */
  async function woken(wake: Wake | null): Promise<void> {
    if (stopping || !scanned) return;
    if (!wake || wake.ownerless) {
      ownership.forgetOthers(wake?.ownerless);
      return scanAnew();
    }
    const waiting = wake.waiting ?? [];
    // Whoever lets a destination go on, or has it tried now, may be heard of before that change is.
    const isHeldBack = (id: number) => destinations.byId(id)?.pausedAt || queues.get(id)?.breaker.isOpen();
    if (waiting.some(isHeldBack)) await deps.refresh();
    await ownership.settle(waiting);
    for (const queue of waiting.filter(ownership.owns).map(queueOf)) {
      queue.heed(destinations.byId(queue.destinationId) ?? {});
      queue.arrived();
      if (queue.isLow()) backlog.refill(queue);
    }
  }

  return {
    processId,

    async take(events, record) {
      const deliveries = events.flatMap((event) => event.deliveries);
      const ids = [...new Set(deliveries.map(({ destination_id: id }) => id))];
      const settling = ownership.settle(ids);
      if (settling) await settling;
      const concerned = ids.map(queueOf);
      const takers = new Set(concerned.filter(takesFresh).map(({ destinationId }) => destinationId));
      for (const delivery of deliveries) {
        const { destination_id: id, lane } = delivery;
        delivery.claimed_by = takers.has(id) && !queueOf(id).isFull(lane) ? processId : null;
      }
      concerned.forEach((queue) => queue.taking++);
      const earlier = lastTaken;
      const recording = record();
      const taken = async () => {
        try {
          const fresh = await recording.catch((error: unknown) => {
            doubt(events);
            throw error;
          });
          // Two transactions may be in flight, and the second be committed first.
          await earlier;
          const owed = Map.groupBy(
            events
              .filter(({ id }) => fresh.has(id))
              .flatMap(({ id, body, deliveries: ofOne }) =>
                ofOne.map((one) => ({ ...one, event_id: id, attempts: 0, attempts_before: 0, body })),
              ),
            ({ destination_id: id }) => id,
          );
          for (const queue of concerned) bring(queue, owed.get(queue.destinationId) ?? []);
        } finally {
          concerned.forEach((queue) => queue.taking--);
        }
      };
      const bringing = taken();
      lastTaken = Promise.allSettled([earlier, bringing]).then(() => undefined);
      await bringing;
    },

    async start() {
      await ownership.start();
      store.onWake((wake) => {
        void woken(wake).catch((error: unknown) =>
          log.error({ error }, 'not woken by another process: what waits is found within 5 seconds'),
        );
      });
      await scan();
      scanTimer = setInterval(() => void scan(), SCAN_INTERVAL);
    },

    async stop() {
      stopping = true;
      clearInterval(scanTimer);
      for (const queue of queues.values()) {
        clearTimeout(queue.probe);
        queue.stop();
      }
      await Promise.all([scanning, ...[...queues.values()].map(({ refilling }) => refilling), ...running]);
      await Promise.all([lastTaken, ...canceling.values()]);
      // Where this fails, it is given to others once this process has not said for a while that it lives.
      await ownership
        .leave()
        .catch((error: unknown) =>
          log.error({ error }, 'claims not given back: other processes, or the next start, take them'),
        );
    },
  };
}
