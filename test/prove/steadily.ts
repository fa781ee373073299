import { setTimeout as wait } from 'node:timers/promises';

/**
 * Begins work at a steady rate, however long each piece takes. Resolves when all of it has ended.
 * @param rate pieces per second
 * @param goesOn asked before each piece is planned
 */
export async function steadily(
  rate: number,
  goesOn: () => boolean,
  begin: (number: number) => Promise<void>,
): Promise<void> {
  const open: Promise<void>[] = [];
  const begun = performance.now();
  for (let number = 0; goesOn(); number++) {
    const early = begun + (number * 1000) / rate - performance.now();
    if (early > 0) await wait(early);
    open.push(begin(number));
  }
  await Promise.all(open);
}
