import { type Clock } from './time';

/** As many at once as `burst` says, and one more after every `interval`, in milliseconds. */
export interface Rate {
  burst: number;
  interval: number;
}

/** What came of asking for one. */
export interface Taken {
  /** Milliseconds until there is one again; 0 where this one was given. */
  wait: number;
  /** How many are left now. */
  remaining: number;
  /** Milliseconds until the whole burst is there again. */
  fullIn: number;
}

export type RateLimit = ReturnType<typeof rateLimit>;

/** Keys that are counted at the same time; beyond them those that were longest quiet start anew. */
const KEYS_IN_MEMORY = 50_000;

/** Of one turn: what rounding may add. */
const ROUNDING = 0.001;

/**
 * A token bucket for each key (the generic cell rate algorithm, as ATM networks and nginx count). All that is known of
 * a key is when its bucket is full again, counted in turns: one turn is one interval. Full buckets are forgotten, so
 * that memory holds those from which something was taken lately, and never more than `KEYS_IN_MEMORY`, however many
 * addresses an attacker has.
 *
 * It counts in this process alone: several processes on one database let through as much each. As one number stands
 * for a key, sharing it takes one statement on a table (raise `full_at` where it stays within the burst).
 */
export function rateLimit({ burst, interval }: Rate, clock: Clock) {
  type Buckets = Map<string | number, number>;
  /** Those taken from since `lateSince`, and those taken from in the time before that alone. */
  let late: Buckets = new Map();
  let early: Buckets = new Map();
  let lateSince = 0;

  /** After the time of a burst all that is early is full, and goes at once. */
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

    /** Takes one, if there is one. What is refused uses nothing up. */
    take(key: string | number): Taken {
      const now = clock() / interval;
      const fullAt = late.get(key) ?? early.get(key) ?? now;
      // More than a burst cannot be used: then the clock was set back, which must not lock anybody out.
      const used = fullAt > now + burst + 1 ? 0 : Math.min(Math.max(fullAt - now, 0), burst);
      const free = burst - used + ROUNDING;
      if (free < 1) return { wait: (1 - free) * interval, remaining: 0, fullIn: used * interval };
      remember(key, now + used + 1, now);
      return { wait: 0, remaining: Math.floor(free - 1), fullIn: (used + 1) * interval };
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

/** As `Retry-After` tells it: whole seconds, at least one. */
export const wholeSeconds = (milliseconds: number): number => Math.max(1, Math.ceil(milliseconds / 1000));
