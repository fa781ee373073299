import { type ClaimedDelivery } from '../store/writes';
import { type Clock } from '../time';
import { LONGEST_HELD } from './retry-schedule';

/** One contact at one destination: its deliveries go out one after the other, in the order of their arrival. */
export interface Lane {
  key: string;
  waiting: Held[];
  running: boolean;
  timer?: NodeJS.Timeout;
}

interface Held {
  delivery: ClaimedDelivery;
  readyAt: number;
  /** When it failed for the first time, as far as this process knows: since then it holds the lane back. */
  failedAt: number | null;
}

const isReplayed = (lane: Lane): boolean => (lane.waiting[0]?.delivery.attempts_before ?? 0) > 0;

const isTried = ({ delivery: { attempts, attempts_before: before } }: Held): boolean => attempts > before;

export type Lanes = ReturnType<typeof createLanes>;

/**
 * The lanes of one destination. Each is idle until its first delivery is due, then ready, then running until that
 * delivery's attempt is over.
 * @param becameReady told when the first delivery of a lane has come due
 */
export function createLanes(clock: Clock, becameReady: () => void) {
  const lanes = new Map<string, Lane>();
  let ready: Lane[] = [];
  /** What is replayed goes out behind everything else. */
  let readyBehind: Lane[] = [];
  let stopped = false;

  const becomeReady = (lane: Lane) => (isReplayed(lane) ? readyBehind : ready).push(lane);

  function schedule(lane: Lane): void {
    clearTimeout(lane.timer);
    const [first] = lane.waiting;
    if (!first) {
      lanes.delete(lane.key);
      return;
    }
    const wait = first.readyAt - clock();
    if (wait <= 0) {
      becomeReady(lane);
      return;
    }
    if (stopped) return;
    lane.timer = setTimeout(() => {
      becomeReady(lane);
      becameReady();
    }, wait);
  }

  /** What is on its way in a lane holds it back no longer: it goes on in a lane of its own. */
  function letPass(lane: Lane): void {
    const { key } = lane;
    const [first, ...others] = lane.waiting.splice(0);
    if (!first) return;
    lanes.delete(key);
    lane.waiting.push(first);
    lane.key = `${key} ${first.delivery.event_id}`;
    lanes.set(lane.key, lane);
    if (!others.length) return;
    const next: Lane = { key, waiting: others, running: false };
    lanes.set(key, next);
    schedule(next);
    becameReady();
  }

  return {
    hasReady: (): boolean => ready.length + readyBehind.length > 0,

    /** Milliseconds for which the first of a lane has held it back. */
    heldBack: ({ waiting: [first] }: Lane): number => clock() - (first?.failedAt ?? clock()),

    /** How many wait in a lane, with the one that is on its way. */
    lengthOf: (key: string): number => lanes.get(key)?.waiting.length ?? 0,

    /** By event id, so that what was recorded earlier and comes later, from another process, goes out first; behind what was tried. */
    add(key: string, { delivery, readyAt }: Pick<Held, 'delivery' | 'readyAt'>): void {
      const held: Held = { delivery, readyAt, failedAt: null };
      if (isTried(held)) held.failedAt = clock();
      const lane = lanes.get(key) ?? { key, waiting: [], running: false };
      lanes.set(key, lane);
      const { waiting } = lane;
      const isBefore = (other?: Held) =>
        other !== undefined && !isTried(other) && held.delivery.event_id < other.delivery.event_id;
      const earliest = lane.running ? 1 : 0;
      let at = waiting.length;
      while (at > earliest && isBefore(waiting[at - 1])) at--;
      waiting.splice(at, 0, held);
      if (at > 0 || lane.running) return;
      if (waiting.length > 1) ready = ready.filter((one) => one !== lane);
      schedule(lane);
    },

    /** The first delivery of a lane that is ready; the lane runs from now on. */
    next(): { lane: Lane; delivery: ClaimedDelivery } | null {
      const lane = ready.shift() ?? readyBehind.shift();
      const first = lane?.waiting[0];
      if (!lane || !first) return null;
      lane.running = true;
      if (first.failedAt !== null && !stopped)
        lane.timer = setTimeout(() => letPass(lane), Math.max(0, first.failedAt + LONGEST_HELD - clock()));
      return { lane, delivery: first.delivery };
    },

    /** @param againAt when its first delivery is tried again from memory; null where it is over, or given back */
    ran(lane: Lane, againAt: number | null): void {
      const [first] = lane.waiting;
      lane.running = false;
      if (againAt === null || !first) {
        lane.waiting.shift();
      } else {
        first.failedAt ??= clock();
        first.readyAt = againAt;
      }
      schedule(lane);
    },

    /** @returns all that waits, which is gone from here; not what is on its way */
    drop(): ClaimedDelivery[] {
      const dropped: ClaimedDelivery[] = [];
      [ready, readyBehind] = [[], []];
      for (const lane of lanes.values()) {
        if (!lane.running) clearTimeout(lane.timer);
        for (const { delivery } of lane.waiting.splice(lane.running ? 1 : 0)) dropped.push(delivery);
        if (!lane.running) lanes.delete(lane.key);
      }
      return dropped;
    },

    /** No timer is set any more. */
    stop(): void {
      stopped = true;
      for (const { timer } of lanes.values()) clearTimeout(timer);
    },
  };
}
