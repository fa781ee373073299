import { AsyncLocalStorage } from 'node:async_hooks';
import { performance } from 'node:perf_hooks';
import { runInThisContext } from 'node:vm';

/** A process of the model, as far as time concerns it. */
export interface Owner {
  /** It was killed: none of its timers goes off any more. */
  dead: boolean;
}

interface Timer {
  owner: Owner;
  at: number;
  /** Milliseconds between two; null for a timer that goes off once. */
  every: number | null;
  run(): void;
}

/** The model's globals, and Node's own, which are the gateway's (`test/support/runtime.js`). */
const GLOBALS = [globalThis, runInThisContext('globalThis') as typeof globalThis];

const own = { setTimeout, clearTimeout, setInterval, clearInterval, random: Math.random };
const { now: ownNow } = performance;

function replace(timers: object, random: () => number): void {
  for (const globals of GLOBALS) {
    Object.assign(globals, timers);
    globals.Math.random = random;
  }
}

/** The next turn of the real event loop. */
export const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/**
 * Time that passes when it is told to, for whatever runs inside `within`: its timers go off by this clock, all others
 * by the real one. Days pass in milliseconds, and every run with one seed is the same.
 */
export function virtualTime(start: number) {
  const owners = new AsyncLocalStorage<Owner | undefined>();
  const timers = new Set<Timer>();
  let now = start;

  function set(run: () => void, milliseconds: number, every: number | null): Timer & NodeJS.Timeout {
    const owner = owners.getStore() as Owner;
    const timer = { owner, at: now + Math.max(1, milliseconds), every, run };
    timers.add(timer);
    const handle = { ...timer, timer, ref: () => handle, unref: () => handle, hasRef: () => true };
    return handle as never;
  }
  const cleared = (handle: unknown): boolean => timers.delete((handle as { timer?: Timer })?.timer as Timer);

  const install = (): void => {
    const virtual = {
      setTimeout: (run: (...args: unknown[]) => void, milliseconds = 0, ...args: unknown[]) =>
        owners.getStore()
          ? set(() => run(...args), milliseconds, null)
          : own.setTimeout(run, milliseconds, ...args),
      setInterval: (run: () => void, milliseconds = 0) =>
        owners.getStore() ? set(run, milliseconds, milliseconds) : own.setInterval(run, milliseconds),
      clearTimeout: (handle: never) => cleared(handle) || own.clearTimeout(handle),
      clearInterval: (handle: never) => cleared(handle) || own.clearInterval(handle),
    };
    let seed = 1;
    performance.now = () => (owners.getStore() ? now - start : ownNow.call(performance));
    // The jitter of the schedule is part of what a seed repeats.
    const random = () => (seed = (seed * 48271) % 0x7fffffff) / 0x7fffffff;
    replace(virtual, random);
  };

  const uninstall = (): void => {
    const { random, ...rest } = own;
    replace(rest, random);
    performance.now = ownNow;
  };

  function goOff(timer: Timer): void {
    if (timer.every === null) timers.delete(timer);
    else timer.at = now + timer.every;
    owners.run(timer.owner, timer.run);
  }

  const alive = (): Timer[] => {
    for (const timer of timers) if (timer.owner.dead) timers.delete(timer);
    return [...timers].sort((one, other) => one.at - other.at);
  };

  return {
    now: () => now,
    install,
    uninstall,
    within: <T>(owner: Owner, work: () => T): T => owners.run(owner, work),
    outside: <T>(work: () => T): T => owners.run(undefined, work),
    /** Every timer goes off at its time. @param settled resolves once nothing moves any more */
    async pass(milliseconds: number, settled: () => Promise<void>): Promise<void> {
      const end = now + milliseconds;
      for (;;) {
        await settled();
        const [first] = alive();
        if (!first || first.at > end) break;
        now = Math.max(now, first.at);
        goOff(first);
      }
      now = end;
    },
    /** As on a machine that was asleep: what would have gone off meanwhile goes off once, and late. */
    async leap(milliseconds: number, settled: () => Promise<void>): Promise<void> {
      await settled();
      now += milliseconds;
      for (const timer of alive()) {
        if (timer.at > now || !timers.has(timer)) continue;
        goOff(timer);
        await settled();
      }
    },
  };
}

export type VirtualTime = ReturnType<typeof virtualTime>;
