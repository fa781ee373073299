import { type Refusal } from '../errors';
import { type Clock } from '../time';

/** A burst of `burst`, and one more after every `interval`, in milliseconds. */
export interface Rate {
  burst: number;
  interval: number;
}

/** The result of a request to the limit. */
export interface Taken {
  /** Milliseconds until the next one is available; 0 if this one was granted. */
  wait: number;
  /** How many are left now. */
  remaining: number;
  /** Milliseconds until the whole burst is there again. */
  fullIn: number;
}

/** One limit, with a count for each key. */
export interface RateLimit extends Rate {
  /**
   * Takes `count` (one by default) if that many are available, and never more than the burst. A refusal uses
   * nothing up.
   */
  take(key: string | number, count?: number): Promise<Taken>;
  /** One that was taken counts no longer. */
  giveBack(key: string | number): Promise<void>;
}

/** What is left of a limit after a request, for the headers of its answer. */
export interface Allowance {
  /** The burst, when nothing is used up. */
  limit: number;
  remaining: number;
  /** Seconds until all of it is there again. */
  fullIn: number;
  refused: Refusal | null;
}

/**
 * Takes one for a request, and more for its size.
 * @param more besides the one that was taken; less if both would exceed the burst
 * @param refuse called with the seconds after which there is enough for the request
 */
export async function takeForRequest(
  limit: RateLimit,
  key: string | number,
  more: number | undefined,
  refuse: (retryAfter: number) => Refusal,
): Promise<Allowance> {
  const count = more === undefined ? 1 : Math.min(more, limit.burst - 1);
  const { wait, remaining, fullIn } = await limit.take(key, count);
  // The request that comes again takes its one first.
  const before = more === undefined ? 0 : limit.interval;
  return {
    limit: limit.burst,
    remaining,
    fullIn: wholeSeconds(fullIn),
    refused: wait ? refuse(wholeSeconds(wait + before)) : null,
  };
}

/** Makes limits. @param name separates the keys of one limit from another's */
export type RateLimits = (name: string, rate: Rate) => RateLimit;

/** The most keys that are counted at the same time; beyond them, the least recently used start again. */
const KEYS_IN_MEMORY = 50_000;

/** In turns: the largest rounding error. */
export const ROUNDING = 0.001;

/**
 * A token bucket for each key (the generic cell rate algorithm, as ATM networks and nginx count). All that is known of
 * a key is when its bucket is full again, counted in turns: one turn is one interval. Full buckets are forgotten, so
 * that memory holds those from which something was taken lately, and never more than `KEYS_IN_MEMORY`, however many
 * addresses an attacker has.
 *
 * It counts in this process alone. Where several serve one database, the same numbers are kept there.
 */
export function rateLimit({ burst, interval }: Rate, clock: Clock) {
  type Buckets = Map<string | number, number>;
  /** Buckets used since `lateSince`, and buckets used only in the time before that. */
  let late: Buckets = new Map();
  let early: Buckets = new Map();
  let lateSince = 0;

  /** After the time of a burst, all early buckets are full, and are dropped at once. */
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
      // More than a burst cannot be used: then the clock was set back, which must not lock anybody out.
      const used = fullAt > now + burst + 1 ? 0 : Math.min(Math.max(fullAt - now, 0), burst);
      const taken = takenFrom({ burst, interval }, used, count);
      if (!taken.wait) remember(key, now + used + Math.min(count, burst), now);
      return taken;
    },

    /** One that was taken counts no longer. */
    giveBack(key: string | number): void {
      const fullAt = late.get(key) ?? early.get(key);
      if (fullAt !== undefined) remember(key, fullAt - 1, clock() / interval);
    },

    /** How many keys are in memory. */
    size: (): number => late.size + early.size,
  };
}

/** Requests `count` if this many turns are used. */
export function takenFrom({ burst, interval }: Rate, used: number, count = 1): Taken {
  const needed = Math.min(count, burst);
  const free = burst - used + ROUNDING;
  return free < needed
    ? { wait: (needed - free) * interval, remaining: Math.floor(free), fullIn: used * interval }
    : { wait: 0, remaining: Math.floor(free - needed), fullIn: (used + needed) * interval };
}

/** Limits that count in this process alone: for a database that it has to itself. */
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
