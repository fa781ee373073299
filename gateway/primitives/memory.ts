import { performance, PerformanceObserver } from 'node:perf_hooks';
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { MINUTE, SECOND } from '../time';

/** Late enough for the first requests, which wait for the start, to be answered. */
const AT_REST = 2 * SECOND;
/** A thread that worked for less than this part of the time is idle. */
const IDLE = 0.02;

/**
 * Makes V8 release the memory that only the start of this thread needed, and later, when the thread is idle after
 * work, what the work left: each for a pause of some 50 ms. V8 itself only collects after the heap has grown by as
 * much again, which never happens in an idle gateway.
 * @param more releases what else the thread holds
 * @param looksEvery milliseconds
 */
export function returnMemoryAtRest(more?: () => void, looksEvery = MINUTE): void {
  let isOwed = false;
  const release = () => {
    isOwed = !collect();
    if (!isOwed) more?.();
  };
  setTimeout(() => {
    if (lastChance) withoutBounds(lastChance);
    release();
  }, AT_REST).unref();
  let before = performance.eventLoopUtilization();
  setInterval(() => {
    const isIdle = performance.eventLoopUtilization(before).utilization < IDLE;
    if (!isIdle) isOwed = true;
    else if (isOwed) release();
    before = performance.eventLoopUtilization();
  }, looksEvery).unref();
}

let lastChance: (() => void) | null = null;

/** Keeps the compiled form of what a start has run, before its memory is released. */
export const beforeFirstRelease = (keep: () => void): void => void (lastChance = keep);

/** @returns false if another thread collects at this moment: threads share their flags */
function collect(): boolean {
  setFlagsFromString('--expose-gc');
  const collectNow = runInNewContext('globalThis.gc') as NodeJS.GCFunction | undefined;
  setFlagsFromString('--no-expose-gc');
  collectNow?.({ type: 'major', execution: 'sync', flavor: 'last-resort' });
  return collectNow !== undefined;
}

/** Bytes of the main thread's space for new objects: beyond this, a larger one saves hardly any work. */
const ENOUGH_NEW = 16 * 1024 * 1024;
/** By how much the heap may grow between two collections. */
const GROWTH_PERCENT = 60;

/**
 * Keeps V8 from trading memory for little time: under load its heap would take three times what the gateway holds.
 * Node has such limits only for threads and as options of the command line.
 */
export function boundHeap(): void {
  setBounds();
  new PerformanceObserver(() => {
    const newSpace = getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space');
    const mayGrow = (newSpace?.space_size ?? 0) < ENOUGH_NEW;
    setFlagsFromString(`--semi-space-growth-factor=${mayGrow ? 2 : 1}`);
  }).observe({ entryTypes: ['gc'] });
}

/**
 * Until it is told that the start is over, keeps V8 from optimizing functions: most of those that are busy during a
 * start never run again, and V8's compilers would leave 20 MB in the allocator of the C library.
 * @returns tells that the start is over
 */
export function optimizeAfterStart(): () => void {
  const optimize = (functions: string) => {
    for (const compiler of ['maglev', 'turbo']) setFlagsFromString(`--${compiler}-filter=${functions}`);
  };
  optimize('-*');
  return () => optimize('*');
}

function setBounds(): void {
  setFlagsFromString(`--heap-growing-percent=${GROWTH_PERCENT}`);
  // After eight idle seconds V8 would also forget the shapes of objects of which none is left, and with them its
  // compiled code: the next 20,000 events would take up to twice the time.
  setFlagsFromString('--no-memory-reducer-favors-memory');
}

/** Runs work with V8's own flags, as a start has them: V8 takes compiled code only under the flags it was made with. */
function withoutBounds(work: () => void): void {
  for (const flag of ['heap-growing-percent=0', 'memory-reducer-favors-memory', 'semi-space-growth-factor=2'])
    setFlagsFromString(`--${flag}`);
  work();
  setBounds();
}
