import { type Store } from '../store/database';
import { type DeliveryKey, type WaitingDelivery } from '../store/deliveries';
import { COMES_FIRST, type ClaimedDelivery } from '../store/writes';
import { isoTime, type Clock } from '../time';
import { type Destination } from './destination';
import { type DestinationRegistry } from './destination-registry';
import { type Ownership } from './ownership';
import { type Queue } from './queue';
import { holdsLane } from './retry-schedule';

/** Of their bodies, in bytes, in one claim. */
const MOST_SIZE_CLAIMED = 8 * 1024 * 1024;
/** So much of what waits is looked at to choose a probe. */
const PROBE_WINDOW = 200;

export interface BacklogDeps {
  store: Store;
  destinations: DestinationRegistry;
  ownership: Ownership;
  processId: string;
  clock: Clock;
  isStopping: () => boolean;
  /** Told once there may be something to send. */
  came(queue: Queue): void;
  /** Lets go of all that waits in memory for a destination. */
  giveBack(queue: Queue, destination: Destination | null): Promise<void>;
  /** Resolves once all that is being recorded just now is in memory. */
  taken(): Promise<void>;
  /** Of what this process holds, as the database says, what it does not know of. */
  straysAmong(claimed: DeliveryKey[]): Promise<DeliveryKey[]>;
  log: { error(fields: object, message: string): void };
}

/**
 * What waits in the database: claimed as far as there is room, in the order in which it is due. What is due within
 * `COMES_FIRST` is claimed ahead and timed from memory; this is longer than the first two waits, so that a delivery
 * which held its lane back when its process died holds it back again.
 *
 * Fresh deliveries that this process has claimed meanwhile go behind: they are set aside until a claim has brought all
 * that waits, and given back where one has not. So is what was claimed and came after them, to another process. What was
 * claimed is given back as well where it may have come after something that was given back meanwhile.
 */
export function createBacklog(deps: BacklogDeps) {
  const { store, destinations, ownership, processId, clock, log } = deps;

  /** One claim at a time. */
  function refill(queue: Queue): void {
    if (queue.refilling || deps.isStopping()) return;
    if (!ownership.owns(queue.destinationId) && !queue.isDoubted) return;
    queue.refilling = claimAll(queue)
      .catch(async (error: unknown) => {
        log.error(
          { error, destination: queue.destinationId },
          'deliveries not claimed: tried again within 5 seconds',
        );
        queue.isDoubted = true;
        queue.backlogged = true;
        await release(queue, queue.dropAside());
        return false;
      })
      .then((isMore) => {
        queue.refilling = null;
        // Come, set aside or given back since the claim began. A claim of its own: whoever waits for this one waits for
        // no more.
        if (isMore || queue.aside.length) refill(queue);
      });
  }

  /** @returns whether there may be more than it has brought, and room for it */
  async function claimAll(queue: Queue): Promise<boolean> {
    const { arrivals, releases } = queue;
    await queue.releasing;
    await releaseStrays(queue);
    const destination = destinations.byId(queue.destinationId);
    if (!destination) {
      await deps.giveBack(queue, null);
      return false;
    }
    const mayClaim =
      destination.pausedAt === null &&
      !deps.isStopping() &&
      ownership.isSure() &&
      ownership.owns(queue.destinationId);
    const room = mayClaim ? queue.room() : 0;
    // What was given back since, or is in doubt, may be older than what was claimed or set aside.
    const mayMissOlder = () => queue.isDoubted || releases !== queue.releases;
    queue.freeLanes();
    const isAll =
      room > 0 &&
      (await (queue.breaker.isOpen() ? claimProbe(queue, mayMissOlder) : claim(queue, room, mayMissOlder)));
    if (isAll) await claimReplayed(queue);
    queue.backlogged = !isAll || arrivals !== queue.arrivals;
    if (!isAll) await release(queue, queue.dropAside());
    // What else has come to wait meanwhile is not older: nothing is claimed fresh behind what waits.
    else if (!mayMissOlder()) await release(queue, queue.acceptAside());
    deps.came(queue);
    // Where all that was claimed was given back, nothing is on its way that would have more claimed once it is over.
    const isAgain = isAll ? queue.backlogged : mayMissOlder();
    return isAgain && mayClaim && queue.room() > 0;
  }

  /** @returns whether all that is due was claimed, but for what is replayed and what is behind in full lanes */
  async function claim(queue: Queue, limit: number, mayMissOlder: () => boolean): Promise<boolean> {
    const claimed = await store.claim({
      process_id: processId,
      destination_id: queue.destinationId,
      due_before: isoTime(clock() + COMES_FIRST),
      limit,
      most_size: MOST_SIZE_CLAIMED,
      replayed: false,
      ...queue.lanesToClaim(),
    });
    if (!(await accept(queue, claimed, mayMissOlder))) return false;
    const isFilled = queue.fill(claimed);
    if (claimed.length >= limit || sizeOf(claimed) >= MOST_SIZE_CLAIMED) return false;
    return !isFilled || claim(queue, limit - claimed.length, mayMissOlder);
  }

  /** @returns false where it gives them back, because others that the claim did not see may have come before them */
  async function accept(
    queue: Queue,
    claimed: ClaimedDelivery[],
    mayMissOlder: () => boolean,
  ): Promise<boolean> {
    // What is being recorded is in the database before it is in memory.
    if (queue.taking && claimed.length) await deps.taken();
    if (mayMissOlder()) {
      await release(queue, claimed);
      return false;
    }
    queue.accept(claimed);
    return true;
  }

  /** What is replayed comes once nothing else waits, when it is due, and a little at a time. */
  async function claimReplayed(queue: Queue): Promise<void> {
    const limit = queue.roomForReplayed();
    if (limit === 0) return;
    const claimed = await store.claim({
      process_id: processId,
      destination_id: queue.destinationId,
      due_before: isoTime(clock()),
      limit,
      most_size: MOST_SIZE_CLAIMED,
      replayed: true,
    });
    queue.accept(claimed);
    queue.moreReplayed = claimed.length >= limit || sizeOf(claimed) >= MOST_SIZE_CLAIMED;
  }

  async function claimProbe(queue: Queue, mayMissOlder: () => boolean): Promise<boolean> {
    const now = clock();
    const soon = isoTime(now + COMES_FIRST);
    const { destinationId, probedLanes } = queue;
    const choose = async (passedOver: Iterable<string>) =>
      chooseProbe(await store.deliveries.waiting(destinationId, soon, PROBE_WINDOW, [...passedOver]), now);
    let chosen = await choose(probedLanes);
    // All were probed: from the first again.
    if (chosen === null && probedLanes.size) {
      probedLanes.clear();
      chosen = await choose([]);
    }
    if (chosen === null) return false;
    const claimed = await store.claim({
      process_id: processId,
      destination_id: queue.destinationId,
      due_before: soon,
      limit: 1,
      most_size: MOST_SIZE_CLAIMED,
      event_id: chosen,
    });
    await accept(queue, claimed, mayMissOlder);
    return false;
  }

  /**
   * Claims that this process does not know of: what comes after them goes out after them. Nothing is being claimed just
   * now; what is being recorded is waited for.
   */
  async function releaseStrays(queue: Queue): Promise<void> {
    if (!queue.isDoubted) return;
    queue.isDoubted = false;
    try {
      const soon = isoTime(clock() + 2 * COMES_FIRST);
      const claimed = await store.deliveries.claimedBy(processId, soon, queue.destinationId);
      await store.deliveries.release(await deps.straysAmong(claimed), processId);
    } catch (error) {
      queue.isDoubted = true;
      throw error;
    }
  }

  /** Gives deliveries back to the database. Where that fails they are found as strays. */
  function release(queue: Queue, deliveries: DeliveryKey[]): Promise<void> {
    if (!deliveries.length) return Promise.resolve();
    queue.releases++;
    const released = store.deliveries.release(deliveries, processId).catch((error: unknown) => {
      log.error({ error }, 'deliveries not given back yet: tried again within 5 seconds');
      queue.isDoubted = true;
      queue.arrived();
    });
    queue.releasing = Promise.all([queue.releasing, released]).then(() => undefined);
    return released;
  }

  return { refill, release };
}

const sizeOf = (deliveries: ClaimedDelivery[]): number =>
  deliveries.reduce((sum, { body }) => sum + Buffer.byteLength(body), 0);

/**
 * Which of the deliveries that wait is sent as a probe: of another contact each time as far as there is one, and one
 * that was never tried before those that have failed, so that a few events which are never taken do not keep the
 * destination closed. As at any other time none goes out before it is due, nor while an earlier one holds its lane back.
 * @param waiting the first of them, longest due first; nothing of the contacts that were probed, where there are others
 * @returns its event id, or null where there is none
 */
export function chooseProbe(waiting: WaitingDelivery[], now: number): string | null {
  const first = new Map<string, string>();
  for (const one of waiting) {
    const before = first.get(one.lane);
    if (holdsItsLane(one, now) && (!before || one.event_id < before)) first.set(one.lane, one.event_id);
  }
  const ready = waiting.filter(
    (one) =>
      Date.parse(one.due_at) <= now && (first.get(one.lane) === one.event_id || !holdsItsLane(one, now)),
  );
  return (ready.find(isUntried) ?? ready[0])?.event_id ?? null;
}

const isUntried = ({ attempts, attempts_before: before }: WaitingDelivery): boolean => attempts === before;

const holdsItsLane = (one: WaitingDelivery, now: number): boolean =>
  isUntried(one) || holdsLane(one.attempts - one.attempts_before, Date.parse(one.due_at) - now);
