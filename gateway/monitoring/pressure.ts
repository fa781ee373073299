import { monitorEventLoopDelay, performance } from 'node:perf_hooks';
import { SECOND } from '../time';

/** The shortage: event loop time, disk space, or commits for waiting writes. */
export const PRESSURE_CAUSES = ['event_loop', 'disk', 'backlog'] as const;
export type PressureCause = (typeof PRESSURE_CAUSES)[number];

/** The shortage, as named in the refusal. */
export const SHORTAGES: Record<PressureCause, string> = {
  event_loop: 'it has more requests than it can answer in time',
  disk: 'its disk is almost full',
  backlog: 'its database is slower than what arrives',
};

/** Detects overload. The gateway then refuses new requests, so that nothing it has accepted is lost. */
export interface Pressure {
  /** The current shortage. Called for, and counts, each request. */
  cause(): PressureCause | null;
  /** All current shortages; does not count a request. */
  causes(): PressureCause[];
  /** Free bytes on the database's disk, as last measured; null if unknown. */
  freeSpace(): number | null;
  stop(): void;
}

/** The measured values, each at the time of the call. */
export interface Measures {
  /** Writes that wait for their commit, and their bytes. */
  waiting(): { writes: number; bytes: number };
  /** Free bytes on the database's disk; null if unknown to this process. */
  freeSpace(): Promise<number | null>;
}

/** Turns of the event loop since the last reset. */
export interface Turns {
  /** The number of observed turns. Some turns under 20 ms are missed. */
  count(): number;
  /** The median duration, in milliseconds. */
  median(): number;
  /** The fraction of time in which the loop was busy, from 0 to 1. */
  busy(): number;
  reset(): void;
}

/** The time between measurements. */
const LOOK_INTERVAL = 2 * SECOND;
/** The time between measurements of the disk, which other programs fill and clear. One takes microseconds. */
const DISK_INTERVAL = SECOND;

/**
 * The median turn of an overloaded loop, in milliseconds. If the loop is always busy and most turns take this long, a
 * response takes about five turns, half a second, and more as requests pile up. Without a queue, turns take a few
 * milliseconds at full load, and 50 with 1,500 concurrent requests. Single long turns, for example for a large body,
 * do not count.
 */
const LONG_TURN = SECOND / 10;
const FEWEST_TURNS = 3;
/** A less busy process has long turns only because others keep it from running, so refusing would not help. */
const BUSY = 0.9;
/** Requests between two measurements. With fewer, something else takes the time, so refusing would not help. */
const FEWEST_REQUESTS = 100;

/**
 * Free bytes kept for work in progress: outcomes of sends and attempts must be written even when no request is
 * accepted. The write-ahead log grows to 32 MB before it is written back, by as much again in the largest transaction
 * (1,500 rows, each in some five pages), and further during long reads.
 */
export const LEAST_SPACE = 128 * 1024 * 1024;

/** Waiting writes. With 500 writes per commit, a disk with 2 commits a second needs 10 seconds for these. */
const MOST_WRITES = 10_000;
/** Bytes of waiting writes: the same as all notifications that are still arriving may have. */
const MOST_BYTES = 64 * 1024 * 1024;

/** Pressure ends at this fraction of its limit, so that it does not flap with each request. */
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
