import { type Refusal } from '../errors';
import { type Clock } from '../time';

/** A burst of `burst`, then one per `interval`, in milliseconds. */
export interface Rate {
  burst: number;
  interval: number;
}

/** The result of a request to the limit. */
export interface Taken {
  /** Milliseconds until the next one is available; 0 if granted. */
  wait: number;
  /** The remaining amount. */
  remaining: number;
  /** Milliseconds until the whole burst is available again. */
  fullIn: number;
}

/** One limit, counted separately for each key. */
export interface RateLimit extends Rate {
  /** Takes `count` (default 1) if available, never more than the burst. A refused request uses nothing. */
  take(key: string | number, count?: number): Promise<Taken>;
  /** Gives one back that was taken. */
  giveBack(key: string | number): Promise<void>;
}

/** The state of a limit after a request, for response headers. */
export interface Allowance {
  /** The burst: the amount when nothing is used. */
  limit: number;
  remaining: number;
  /** Seconds until the whole burst is available again. */
  fullIn: number;
  refused: Refusal | null;
}

/**
 * Takes one for a request, and more for its size.
 * @param more additional amount; reduced if both would exceed the burst
 * @param refuse called with the seconds until enough is available
 */
export async function takeForRequest(
  limit: RateLimit,
  key: string | number,
  more: number | undefined,
  refuse: (retryAfter: number) => Refusal,
): Promise<Allowance> {
  const count = more === undefined ? 1 : Math.min(more, limit.burst - 1);
  const { wait, remaining, fullIn } = await limit.take(key, count);
  // A retried request first takes its one again.
  const before = more === undefined ? 0 : limit.interval;
  return {
    limit: limit.burst,
    remaining,
    fullIn: wholeSeconds(fullIn),
    refused: wait ? refuse(wholeSeconds(wait + before)) : null,
  };
}

/** Creates limits. @param name separates the keys of one limit from those of others */
export type RateLimits = (name: string, rate: Rate) => RateLimit;

/** The most keys counted at a time; beyond it, the least recently used start again. */
const KEYS_IN_MEMORY = 50_000;

/** The largest rounding error, in intervals. */
export const ROUNDING = 0.001;

/**
 * A token bucket for each key (the generic cell rate algorithm, as in ATM networks and nginx). A key's only state is
 * when its bucket is full again; amounts are counted in intervals ("turns"). Full buckets are forgotten, so memory
 * only has recently used keys, and never more than `KEYS_IN_MEMORY`, however many addresses an attacker has.
 *
 * Counts in this process only. With several processes, the database keeps the same numbers.
 */
export function rateLimit({ burst, interval }: Rate, clock: Clock) {
  type Buckets = Map<string | number, number>;
  /** Buckets used since `lateSince`, and buckets last used in the period before. */
  let late: Buckets = new Map();
  let early: Buckets = new Map();
  let lateSince = 0;

  /** After the time of a burst, all early buckets are full and are dropped together. */
  function remember(key: string | number, fullAt: number, now: number): void {
    if (now - lateSince >= burst || late.size >= KEYS_IN_MEMORY / 2) {
      early = late;
      late = new Map();
      lateSince = now;
    }
    late.set(key, fullAt);
  }

  return {
    burst,

    take(key: string | number, count = 1): Taken {
      const now = clock() / interval;
      const fullAt = late.get(key) ?? early.get(key) ?? now;
      // More than a burst cannot be used. The clock was then set back, which must not lock anyone out.
      const used = fullAt > now + burst + 1 ? 0 : Math.min(Math.max(fullAt - now, 0), burst);
      const taken = takenFrom({ burst, interval }, used, count);
      if (!taken.wait) remember(key, now + used + Math.min(count, burst), now);
      return taken;
    },

    /** Gives one back that was taken. */
    giveBack(key: string | number): void {
      const fullAt = late.get(key) ?? early.get(key);
      if (fullAt !== undefined) remember(key, fullAt - 1, clock() / interval);
    },

    /** The number of keys in memory. */
    size: (): number => late.size + early.size,
  };
}

/** The result of taking `count` if this many turns are used. */
export function takenFrom({ burst, interval }: Rate, used: number, count = 1): Taken {
  const needed = Math.min(count, burst);
  const free = burst - used + ROUNDING;
  return free < needed
    ? { wait: (needed - free) * interval, remaining: Math.floor(free), fullIn: used * interval }
    : { wait: 0, remaining: Math.floor(free - needed), fullIn: (used + needed) * interval };
}

/** Limits that count in this process only, for a database used by one process. */
export const rateLimitsInMemory =
  (clock: Clock): RateLimits =>
  (_name, rate) => {
    const limit = rateLimit(rate, clock);
    return {
      ...rate,
      take: async (key, count) => limit.take(key, count),
      giveBack: async (key) => limit.giveBack(key),
    };
  };

/** For `Retry-After`: whole seconds, at least one. */
export const wholeSeconds = (milliseconds: number): number => Math.max(1, Math.ceil(milliseconds / 1000));
