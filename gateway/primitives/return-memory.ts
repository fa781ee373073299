import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { SECOND } from '../time';

/** Late enough for the first requests, which wait for the start, to be answered. */
const AT_REST = 2 * SECOND;

/**
 * Makes V8 release, once, the memory that only the start of this thread needed: an eighth of the memory at rest, in
 * all threads, for a pause of some 50 ms. V8 itself only collects after the heap has grown by as much again, which
 * never happens in an idle gateway.
 */
export function returnMemoryAfterStart(): void {
  setTimeout(() => {
    setFlagsFromString('--expose-gc');
    // Threads share their flags: if another thread releases memory now, this one skips it.
    const collect = runInNewContext('globalThis.gc') as NodeJS.GCFunction | undefined;
    setFlagsFromString('--no-expose-gc');
    collect?.({ type: 'major', execution: 'sync', flavor: 'last-resort' });
  }, AT_REST).unref();
}
