import { monitorEventLoopDelay } from 'node:perf_hooks';
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
  cause(): PressureCause | null;
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

/** How the turns of the event loop went since the last reset: how many were seen, and the shortest, in nanoseconds. */
export interface Turns {
  readonly count: number;
  readonly min: number;
  reset(): void;
}

/** Between two looks; a client that is told to wait this long finds what the next one has found. */
const LOOK_INTERVAL = 5 * SECOND;
/** At the disk, which other programs fill and clear: a look takes microseconds. */
const DISK_INTERVAL = SECOND;

/**
 * Where even the shortest turn of the loop took a second between two looks, an answer, which takes several turns, comes
 * after several seconds, and is late for who waits for it. A single long turn, as of a large body, is no pressure:
 * nothing is judged, and nothing forgotten, before there were a few, however long they take.
 */
const LONG_TURN = SECOND;
const FEWEST_TURNS = 3;

/**
 * Kept free for what is on its way: the outcome of sends and of attempts has to be written when nothing new is taken
 * any more, and a write-ahead log grows while it is read.
 */
const LEAST_SPACE = 64 * 1024 * 1024;

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

  function note(cause: PressureCause, isPressed: boolean, seen: object): void {
    if (isPressed === causes.has(cause)) return;
    if (isPressed) causes.add(cause);
    else causes.delete(cause);
    log.warn({ cause, ...seen }, isPressed ? 'overloaded: what is new is refused' : 'no longer overloaded');
  }

  function judgeBacklog(): void {
    const { writes, bytes } = measures.waiting();
    const part = Math.max(writes / MOST_WRITES, bytes / MOST_BYTES);
    note('backlog', part > (causes.has('backlog') ? ENDS_AT : 1), { writes, bytes });
  }

  function look(): void {
    const { count, min } = turns;
    if (count >= FEWEST_TURNS) {
      note('event_loop', min / 1e6 > LONG_TURN, { shortestTurnMs: Math.round(min / 1e6) });
      turns.reset();
    }
    judgeBacklog();
  }

  async function lookAtDisk(): Promise<void> {
    if (looking) return;
    looking = true;
    free = await measures.freeSpace().catch(() => null);
    looking = false;
    const least = causes.has('disk') ? LEAST_SPACE / ENDS_AT : LEAST_SPACE;
    note('disk', free !== null && free < least, { freeBytes: free });
  }

  void lookAtDisk();
  const looks = [
    setInterval(look, interval).unref(),
    setInterval(() => void lookAtDisk(), Math.min(interval, DISK_INTERVAL)).unref(),
  ];
  return {
    cause() {
      judgeBacklog();
      return PRESSURE_CAUSES.find((cause) => causes.has(cause)) ?? null;
    },
    freeSpace: () => free,
    stop: () => looks.forEach((timer) => clearInterval(timer)),
  };
}

function eventLoopTurns(): Turns {
  const turns = monitorEventLoopDelay({ resolution: 20 });
  turns.enable();
  return turns;
}
