import { monitorEventLoopDelay, performance } from 'node:perf_hooks';
import { SECOND } from '../time';

/** Of what there is too little: time of the event loop, space on the disk, or commits for what waits to be written. */
export const PRESSURE_CAUSES = ['event_loop', 'disk', 'backlog'] as const;
export type PressureCause = (typeof PRESSURE_CAUSES)[number];

/** What is wrong, for the sentence that refuses a request. */
export const SHORTAGES: Record<PressureCause, string> = {
  event_loop: 'it has more requests than it can answer in time',
  disk: 'its disk is almost full',
  backlog: 'its database is slower than what arrives',
};

/** Whether the gateway has more to do than it can: then it refuses what is new, so that nothing it accepted is lost. */
export interface Pressure {
  /** To be asked at each request: they are counted by it. */
  cause(): PressureCause | null;
  /** All that is short, for who only looks. */
  causes(): PressureCause[];
  /** Bytes that are free where the database is, as last seen; null where that is not known. */
  freeSpace(): number | null;
  stop(): void;
}

/** What is measured, each as it is at the moment. */
export interface Measures {
  /** Writes that wait for their commit, and the bytes of what they hold. */
  waiting(): { writes: number; bytes: number };
  /** Bytes that are free where the database is; null where this process cannot tell. */
  freeSpace(): Promise<number | null>;
}

/** How the turns of the event loop went since the last reset. */
export interface Turns {
  /** How many were seen: of those that are shorter than 20 ms not each. */
  count(): number;
  /** Of half of these none was shorter; milliseconds. */
  median(): number;
  /** The part of the time in which it did something, from 0 to 1. */
  busy(): number;
  reset(): void;
}

/** Between two looks; a client that is told to wait for longer finds what the next ones have found. */
const LOOK_INTERVAL = 2 * SECOND;
/** At the disk, which other programs fill and clear: a look takes microseconds. */
const DISK_INTERVAL = SECOND;

/**
 * Where the loop was busy all the time between two looks and most of its turns took this long, an answer, which takes
 * about five of them, comes after half a second, and after more and more where more arrives. At full load without a
 * queue turns take a few milliseconds; 1,500 requests at once, 50. A single long turn, as of a large body, is no
 * pressure: nothing is judged, and nothing forgotten, before there were a few, however long they take.
 */
const LONG_TURN = SECOND / 10;
const FEWEST_TURNS = 3;
/** A process that is not busy has long turns only where others keep it from running: refusing would help nobody. */
const BUSY = 0.9;
/** Between two looks. Where fewer came it is something else that takes the time, and refusing them would help nobody. */
const FEWEST_REQUESTS = 100;

/**
 * Kept free for what is on its way: the outcome of sends and of attempts has to be written when nothing new is taken any
 * more. The write-ahead log grows to 32 MB before it is written back, by as much again in the largest transaction (1,500
 * rows, each in some five pages), and while somebody reads what it holds.
 */
export const LEAST_SPACE = 128 * 1024 * 1024;

/** A disk that takes 1,000 commits of 500 a second has these done at once, and one that takes 2, within 10 seconds. */
const MOST_WRITES = 10_000;
/** Of memory: as much again as all notifications may have that are still arriving. */
const MOST_BYTES = 64 * 1024 * 1024;

/** What has begun ends well below its bound, so that it does not come and go with each request. */
const ENDS_AT = 0.5;

export function watchPressure(
  measures: Measures,
  log: { warn(fields: object, message: string): void },
  turns: Turns = eventLoopTurns(),
  interval = LOOK_INTERVAL,
): Pressure {
  const causes = new Set<PressureCause>();
  let free: number | null = null;
  let looking = false;
  /** Since the turns are counted. */
  let requests = 0;

  function note(cause: PressureCause, isPressed: boolean, seen: object): void {
    if (isPressed === causes.has(cause)) return;
    if (isPressed) causes.add(cause);
    else causes.delete(cause);
    log.warn(
      { cause, ...(isPressed && { because: SHORTAGES[cause] }), ...seen },
      isPressed ? 'overloaded: what is new is refused' : 'no longer overloaded',
    );
  }

  function checkBacklog(): void {
    const { writes, bytes } = measures.waiting();
    const part = Math.max(writes / MOST_WRITES, bytes / MOST_BYTES);
    note('backlog', part > (causes.has('backlog') ? ENDS_AT : 1), { writes, bytes });
  }

  function look(): void {
    if (turns.count() >= FEWEST_TURNS) {
      const [median, busy] = [turns.median(), turns.busy()];
      const long = causes.has('event_loop') ? LONG_TURN * ENDS_AT : LONG_TURN;
      const seen = { medianTurnMs: Math.round(median), busy: Math.round(busy * 100) / 100, requests };
      note('event_loop', median > long && busy > BUSY && requests >= FEWEST_REQUESTS, seen);
      turns.reset();
      requests = 0;
    }
    checkBacklog();
  }

  async function checkDisk(): Promise<void> {
    if (looking) return;
    looking = true;
    free = await measures.freeSpace().catch(() => null);
    looking = false;
    const least = causes.has('disk') ? LEAST_SPACE / ENDS_AT : LEAST_SPACE;
    note('disk', free !== null && free < least, { freeBytes: free });
  }

  void checkDisk();
  const looks = [
    setInterval(look, interval).unref(),
    setInterval(() => void checkDisk(), Math.min(interval, DISK_INTERVAL)).unref(),
  ];
  return {
    cause() {
      requests++;
      checkBacklog();
      return PRESSURE_CAUSES.find((cause) => causes.has(cause)) ?? null;
    },
    causes: () => PRESSURE_CAUSES.filter((cause) => causes.has(cause)),
    freeSpace: () => free,
    stop: () => looks.forEach((timer) => clearInterval(timer)),
  };
}

function eventLoopTurns(): Turns {
  const turns = monitorEventLoopDelay({ resolution: 20 });
  turns.enable();
  let since = performance.eventLoopUtilization();
  return {
    count: () => turns.count,
    median: () => turns.percentile(50) / 1e6,
    busy: () => performance.eventLoopUtilization(since).utilization,
    reset() {
      turns.reset();
      since = performance.eventLoopUtilization();
    },
  };
}
