import { open } from 'node:fs/promises';
import { setTimeout as wait } from 'node:timers/promises';
import { join } from 'node:path';
import { faultsOf, milliseconds, quantile, settle, untilTaken } from './account';
import { launchWithLine, urlOf } from './gateway';
import { contactsOf, produce } from './producer';
import { type Proof, type Stage } from './proof';
import { startReceiver } from './receiver';

/** The limits of P2, in milliseconds. */
const PROMISED = { p50: 50, p99: 250 };
/**
 * Multiple of the disk's latency that is allowed as well: an answer waits for the current commit and for its
 * own.
 */
const TIMES_OF_DISK = 5;
/** Milliseconds between measurements of the disk. */
const LOOKS = 50;

export const acknowledgement: Proof<{ seconds: number; rate: number }> = {
  name: 'acknowledgement',
  proves: 'at 100 events a second an answer takes 50 ms (p50), 250 ms (p99), or what five commits take (P2)',
  on: ['SQLite', 'PostgreSQL'],
  sizes: { seconds: 60, rate: 100 },

  async run(stage) {
    const { seconds, rate } = stage.sizes;
    const receiver = await startReceiver();
    stage.atEnd(receiver.close);
    const { env } = await launchWithLine(stage, ['--forward-url', `${receiver.url}/hook`]);
    const post = (name: string, forSeconds: number) =>
      produce({
        url: () => urlOf(env),
        count: rate * forSeconds,
        contacts: contactsOf(200),
        // Enough that no event waits for the answer to another.
        atOnce: 200,
        rate,
        name,
      });
    const first = post('warm-up', 3);
    await first.done;
    const disk = lookAtDisk(stage);
    const producer = post('event', seconds);
    await producer.done;
    const synced = await disk.end();
    const isAllTaken = await untilTaken([first, producer], [receiver], 30_000);

    const account = settle([first, producer], receiver.arrivals);
    const faults = faultsOf(account);
    if (!isAllTaken) faults.push('Not all that was acknowledged had arrived in the end');
    if (producer.refusals.size) faults.push('Not all was answered 200');
    const figures: Record<string, string | number> = { 'events acknowledged': account.acknowledged };
    for (const [name, part] of [
      ['p50', 0.5],
      ['p99', 0.99],
    ] as const) {
      const [took, sync] = [quantile(producer.took, part), quantile(synced, part)];
      const allowed = Math.max(PROMISED[name], TIMES_OF_DISK * sync);
      figures[`answer, ${name}`] = `${milliseconds(took)} (${milliseconds(allowed)} allowed)`;
      figures[`fsync of 4 KiB meanwhile, ${name}`] = milliseconds(sync);
      if (!(took <= allowed))
        faults.push(`The ${name} of answers is ${milliseconds(took)}; ${milliseconds(allowed)} is allowed`);
    }
    return { figures, faults };
  },
};

/**
 * Measures writes and syncs on the gateway's disk from time to time.
 * @returns milliseconds of each
 */
function lookAtDisk({ folder }: Pick<Stage, 'folder'>): { end(): Promise<number[]> } {
  let goesOn = true;
  const look = async () => {
    const took: number[] = [];
    const file = await open(join(folder, 'synced'), 'w');
    const page = Buffer.alloc(4096);
    while (goesOn) {
      const begun = performance.now();
      await file.write(page, 0, page.length, took.length * page.length);
      await file.datasync();
      took.push(performance.now() - begun);
      await wait(LOOKS);
    }
    await file.close();
    return took;
  };
  const looking = look();
  return {
    end() {
      goesOn = false;
      return looking;
    },
  };
}
