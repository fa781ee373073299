import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Asks `probe` every `everyMs` until it gives something other than undefined, and returns that.
 * After `withinMs` it throws, naming what was awaited and what `detail` has to say by then.
 */
export async function waitUntil<T>(
  awaited: string,
  probe: () => Promise<T | undefined> | T | undefined,
  { withinMs = 60_000, everyMs = 100, detail = (): string => '' } = {},
): Promise<T> {
  // Counts its pauses: time in which the machine stands still is one of them.
  for (let waitedMs = 0; ; waitedMs += everyMs) {
    const found = await probe();
    if (found !== undefined) return found;
    if (waitedMs > withinMs) {
      throw new Error(`Waited ${withinMs / 1000} s in vain for ${awaited}. ${detail()}`.trim());
    }
    await sleep(everyMs);
  }
}
