import { monitorEventLoopDelay, performance } from 'node:perf_hooks';
import { SECOND } from '../time';

/** The shortage: time of the event loop, space on the disk, or commits for waiting writes. */
export const PRESSURE_CAUSES = ['event_loop', 'disk', 'backlog'] as const;
export type PressureCause = (typeof PRESSURE_CAUSES)[number];

/** The shortage, in the words of the refusal. */
export const SHORTAGES: Record<PressureCause, string> = {
  event_loop: 'it has more requests than it can answer in time',
  disk: 'its disk is almost full',
  backlog: 'its database is slower than what arrives',
};

/** Whether the gateway is overloaded. If so, it refuses new requests, so that nothing that it accepted is lost. */
export interface Pressure {
  /** Called for each request; counts the requests. */
  cause(): PressureCause | null;
  /** Everything that is short; counts nothing. */
  causes(): PressureCause[];
  /** Free bytes where the database is, as last measured; null if unknown. */
  freeSpace(): number | null;
  stop(): void;
}

/** The measurements, each at the moment of the call. */
export interface Measures {
  /** Writes that wait for their commit, and their bytes. */
  waiting(): { writes: number; bytes: number };
  /** Free bytes where the database is; null if this process cannot know. */
  freeSpace(): Promise<number | null>;
}

/** The turns of the event loop since the last reset. */
export interface Turns {
  /** How many were seen. Not every turn under 20 ms is. */
  count(): number;
  /** The median of their durations, in milliseconds. */
  median(): number;
  /** The fraction of the time in which the loop was busy, from 0 to 1. */
  busy(): number;
  reset(): void;
}

/** Between two measurements. */
const LOOK_INTERVAL = 2 * SECOND;
/** Between two measurements of the disk, which other programs fill and clear. One takes microseconds. */
const DISK_INTERVAL = SECOND;

/**
 * The median turn of an overloaded loop, in milliseconds. If the loop is busy all the time and most turns take this long,
 * an answer takes about five turns, half a second, and more as requests pile up. Without a queue, turns take a few
 * milliseconds at full load, and 50 with 1,500 requests at once. A single long turn, for example for a large body, is no
 * pressure: nothing is judged before there were a few.
 */
const LONG_TURN = SECOND / 10;
const FEWEST_TURNS = 3;
/** A process that is less busy has long turns only because others keep it from running: refusing would not help. */
const BUSY = 0.9;
/** Requests between two measurements. With fewer, something else takes the time, and refusing would not help. */
const FEWEST_REQUESTS = 100;

/**
 * Free bytes kept for work in progress: the outcomes of sends and attempts have to be written when nothing new is
 * accepted. The write-ahead log grows to 32 MB before it is written back, by as much again in the largest transaction
 * (1,500 rows, each in some five pages), and while somebody reads from it.
 */
export const LEAST_SPACE = 128 * 1024 * 1024;

/** Waiting writes. With 500 writes a commit, a disk that makes 2 commits a second needs 10 seconds for these. */
const MOST_WRITES = 10_000;
/** Bytes of waiting writes: as many as all notifications may have that are still arriving. */
const MOST_BYTES = 64 * 1024 * 1024;

/** Pressure ends at this fraction of its limit, so that it does not come and go with each request. */
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
  /** Requests since the last measurement. */
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
