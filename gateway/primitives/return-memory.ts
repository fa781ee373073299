import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { SECOND } from '../time';

/** After the first requests that wait for a start have been answered. */
const AT_REST = 2 * SECOND;

/**
 * Lets V8 give back, once, what only the start of this thread needed, for a pause of some 50 ms: an eighth of the memory
 * at rest, of all threads. By itself it collects only once the heap has grown by as much again, which an idle gateway's
 * never does.
 */
export function returnMemoryAfterStart(): void {
  setTimeout(() => {
    setFlagsFromString('--expose-gc');
    // Threads share their flags: if another thread frees memory at this moment, this one skips it.
    const collect = runInNewContext('globalThis.gc') as NodeJS.GCFunction | undefined;
    setFlagsFromString('--no-expose-gc');
    collect?.({ type: 'major', execution: 'sync', flavor: 'last-resort' });
  }, AT_REST).unref();
}
