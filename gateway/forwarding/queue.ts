import { type Claim, type ClaimedDelivery } from '../store/writes';
import { type DeliveryKey } from '../store/deliveries';
import { type Clock } from '../time';
import { createBreaker, type Breaker } from './breaker';
import { createLanes, type Lane, type Lanes } from './lanes';
import { holdsLane } from './retry-schedule';

/** Deliveries held in memory, some 2 KB each, in all and for one destination. Beyond them they wait in the database. */
const MOST_HELD = 20_000;
const MOST_HELD_FOR_ONE = 1_000;
/** Characters of all bodies in memory, and of those for one destination: most events have 1,000, one may have 3 million. */
const MOST_SIZE = 256 * 1024 * 1024;
const MOST_SIZE_FOR_ONE = 16 * 1024 * 1024;
/** Of these of one contact, so that one whose events always fail leaves the places to the others. */
const MOST_OF_LANE = 50;
/** Of these of what is replayed. */
const MOST_REPLAYED = 100;
/** Of these it is known that they hold nobody back. Beyond them one may do so once more. */
const MOST_PASSED = 10_000;
/** What every destination may hold, however much the others do. */
const FEW_HELD = 16;

/** What this process holds of all destinations. */
export interface Memory {
  /** The keys of the deliveries. */
  held: Set<string>;
  /** The characters of their bodies. */
  size: number;
}

export const keyOf = ({ destination_id, event_id }: DeliveryKey): string => `${destination_id} ${event_id}`;

/** What is known of a destination when its queue is made. */
export interface KnownDestination {
  url?: string;
  failingSince?: string | null;
  tryNowAt?: string | null;
}

export type Queue = ReturnType<typeof createQueue>;

/**
 * What this process knows of one destination's deliveries: the beginning of its queue, of which the rest waits in the
 * database.
 * @param becameReady told when one of its deliveries has come due
 */
export function createQueue(
  destinationId: number,
  { url, failingSince = null, tryNowAt = null }: KnownDestination,
  memory: Memory,
  clock: Clock,
  becameReady: (queue: Queue) => void,
) {
  const lanes: Lanes = createLanes(clock, () => becameReady(queue));
  let held = 0;
  let size = 0;
  let replayed = 0;
  /** Given back while they wait for longer than they may hold their lanes back. */
  const passed = new Set<string>();
  /** Lanes that are full: more of them waits in the database. */
  const full = new Set<string>();

  function remember(delivery: ClaimedDelivery): void {
    memory.held.add(keyOf(delivery));
    held++;
    if (delivery.attempts_before > 0) replayed++;
    size += delivery.body.length;
    memory.size += delivery.body.length;
  }

  function forget(delivery: ClaimedDelivery): void {
    if (!memory.held.delete(keyOf(delivery))) return;
    held--;
    if (delivery.attempts_before > 0) replayed--;
    size -= delivery.body.length;
    memory.size -= delivery.body.length;
  }

  function toLane(delivery: ClaimedDelivery): void {
    // A fresh one is due at once, whatever the clock of the process says that recorded it.
    const readyAt = delivery.attempts === 0 ? Number.NEGATIVE_INFINITY : Date.parse(delivery.due_at);
    // A delivery that no longer holds its lane back waits in a lane of its own.
    const tried = delivery.attempts - delivery.attempts_before;
    const isPassed = passed.delete(delivery.event_id);
    const inLane = tried === 0 || (!isPassed && holdsLane(tried, readyAt - clock()));
    lanes.add(inLane ? delivery.lane : `${delivery.lane} ${delivery.event_id}`, { delivery, readyAt });
  }

  const queue = {
    destinationId,
    /** Where the breaker's failures were seen. */
    url,
    breaker: createBreaker(failingSince === null ? null : Date.parse(failingSince)) as Breaker,
    /** Whether the database says that it fails. */
    noted: failingSince !== null,
    /** The last request to try it at once that was heeded. */
    tryNowAt,
    inFlight: 0,
    /** Older ones wait in the database, or may. */
    backlogged: true,
    /** So is more of what is replayed. */
    moreReplayed: false,
    /** Grows whenever something is known to have come to wait in the database: a claim that began before may miss it. */
    arrivals: 0,
    /** Grows whenever what was held in memory is given back to the database, be it nothing. */
    releases: 0,
    /**
     * Fresh ones that this process holds and that go out behind what waits in the database, and claimed ones of the same
     * lanes that came later.
     */
    aside: [] as ClaimedDelivery[],
    /** A claim, recording one, or giving one back has failed: what came of it is known to the database alone. */
    isDoubted: false,
    refilling: null as Promise<void> | null,
    /** Settled once all that was given back is in the database: a claim that began before would miss it. */
    releasing: Promise.resolve(),
    /** Takes that have not brought yet what they record. */
    taking: 0,
    /** Those whose events were the last probes, and failed. */
    probedLanes: new Set<string>(),
    probe: undefined as NodeJS.Timeout | undefined,

    held: (): number => held,
    hasReady: lanes.hasReady,
    next: lanes.next,
    stop: lanes.stop,
    heldBack: lanes.heldBack,

    /** Something has come to wait in the database. */
    arrived(): void {
      queue.backlogged = true;
      queue.arrivals++;
    },

    /** How many more deliveries memory takes. */
    room(): number {
      const places = queue.breaker.places(clock());
      if (queue.breaker.isOpen()) return Math.max(0, places - held);
      if (size >= MOST_SIZE_FOR_ONE || (memory.size >= MOST_SIZE && held > 0)) return 0;
      const inAll = Math.max(MOST_HELD - memory.held.size, FEW_HELD - held);
      return Math.max(0, Math.min(MOST_HELD_FOR_ONE - held, inAll));
    },

    /** How many more that are replayed. */
    roomForReplayed: (): number => Math.max(0, Math.min(queue.room(), MOST_REPLAYED - replayed)),

    /** Whether so little is left that more is fetched. */
    isLow: (): boolean => held - queue.aside.length < MOST_HELD_FOR_ONE / 2,

    /** Whether more waits in the database, and there is room for it. */
    wantsMore: (): boolean =>
      (queue.backlogged || (queue.moreReplayed && replayed < MOST_REPLAYED / 2)) && queue.isLow(),

    /** Whether more of this lane waits in the database. */
    isFull: (lane: string): boolean => full.has(lane),

    /** Lanes that were full may have places again. */
    freeLanes(): void {
      for (const lane of full) if (lanes.lengthOf(lane) <= MOST_OF_LANE / 2) full.delete(lane);
    },

    /** The lanes of which nothing more is claimed, and how much of each other. */
    lanesToClaim: (): Pick<Claim, 'lanes_left_out' | 'most_of_lane'> => ({
      lanes_left_out: [...full],
      most_of_lane: MOST_OF_LANE,
    }),

    /** @returns whether there are lanes that have become full by what was claimed */
    fill(claimed: ClaimedDelivery[]): boolean {
      const before = full.size;
      for (const [lane, ofLane] of Map.groupBy(claimed, (one) => one.lane))
        if (ofLane.filter(({ attempts }) => attempts === 0).length >= MOST_OF_LANE) full.add(lane);
      return full.size > before;
    },

    /** Takes deliveries that this process has claimed. What came after others of its lane that are set aside is as well. */
    accept(deliveries: ClaimedDelivery[]): void {
      const aside = Map.groupBy(queue.aside, ({ lane }) => lane);
      for (const delivery of deliveries) {
        // Claimed a second time, where this process was silent for so long that it was taken for gone.
        if (memory.held.has(keyOf(delivery))) continue;
        remember(delivery);
        const { lane, attempts, event_id: id } = delivery;
        const isBehind = attempts === 0 && aside.get(lane)?.some((other) => other.event_id < id);
        if (isBehind) queue.aside.push(delivery);
        else toLane(delivery);
      }
    },

    /** Keeps them until what waits in the database has come: `acceptAside`, or `dropAside`. */
    setAside(deliveries: ClaimedDelivery[]): void {
      for (const delivery of deliveries) {
        if (memory.held.has(keyOf(delivery))) continue;
        remember(delivery);
        queue.aside.push(delivery);
      }
    },

    /** @returns those that have to wait in the database, behind others of their lanes; they are gone from here */
    acceptAside(): ClaimedDelivery[] {
      const { true: behind = [], false: next = [] } = Object.groupBy(queue.aside.splice(0), ({ lane }) =>
        full.has(lane) && lanes.lengthOf(lane) > 0 ? 'true' : 'false',
      );
      behind.forEach(forget);
      next.forEach(toLane);
      return behind;
    },

    /** @returns those that were set aside, which are gone from here */
    dropAside(): ClaimedDelivery[] {
      const dropped = queue.aside.splice(0);
      dropped.forEach(forget);
      return dropped;
    },

    /** @returns all that waits, which is gone from here; not what is on its way */
    drop(): ClaimedDelivery[] {
      const dropped = lanes.drop();
      dropped.forEach(forget);
      full.clear();
      queue.arrived();
      queue.releases++;
      return [...dropped, ...queue.dropAside()];
    },

    /** It waits, and the others of its lane do not, also once it is claimed again. */
    letOthersPass({ event_id: id }: ClaimedDelivery): void {
      if (passed.size >= MOST_PASSED) passed.clear();
      passed.add(id);
    },

    /** @param againAt when the attempt is repeated from memory; null where it is not */
    ran(lane: Lane, delivery: ClaimedDelivery, againAt: number | null): void {
      if (againAt === null) forget(delivery);
      lanes.ran(lane, againAt);
      if (full.has(lane.key) && lane.waiting.length <= MOST_OF_LANE / 2) queue.backlogged = true;
    },

    /** A probe is due now where somebody has asked for one since. */
    heed({ tryNowAt: asked = null }: KnownDestination): void {
      if (asked === queue.tryNowAt) return;
      queue.tryNowAt = asked;
      queue.breaker.probeNow(clock());
    },

    /**
     * Forgets its failures, because it is paused, or has got another address or another owner.
     * @param before since when it was failing for the owner before
     */
    renew(
      { url: address, failingSince: since = null }: KnownDestination,
      before: string | null = null,
    ): void {
      clearTimeout(queue.probe);
      queue.breaker = createBreaker(before === null ? null : Date.parse(before));
      queue.noted = since !== null;
      queue.url = address;
      queue.probedLanes.clear();
    },
  };
  return queue;
}
