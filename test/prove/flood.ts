import { setTimeout as wait } from 'node:timers/promises';
import { counted, faultsOf, milliseconds, quantile, seconds, settle, untilTaken } from './account';
import { launchWithLine, urlOf } from './gateway';
import { contactsOf, produce, type Producer, type Production } from './producer';
import { type Proof } from './proof';
import { startReceiver } from './receiver';

/** Heap limit in MB. Exceeding it ends the process; a higher limit would delay garbage collection. */
const HEAP = 512;
/** Limit of the whole process in MB, heap included. */
const MOST_MEMORY = 1200;
/**
 * Milliseconds allowed per event until it arrives: deliveries to one destination need one commit after the
 * other.
 */
const LONGEST_EACH = 10;
/** The p99 of P2, which the process must return to, in milliseconds. */
const ORDINARY = 250;
/** Events of 4,000 letters in one notification of nearly 3 MB, the largest that the platform posts. */
const MOST_OF_ONE = 600;

export const flood: Proof<{
  seconds: number;
  times: number;
  steady: number;
  atOnce: number;
  each: number;
  letters: number;
  large: number;
}> = {
  name: 'flood',
  proves:
    'under ten times what it takes and forwards, and under more large notifications at once than it has memory for, refusals are 503 with Retry-After, what was acknowledged arrives, memory stays bounded and answers recover (P15)',
  on: ['SQLite', 'PostgreSQL'],
  sizes: { seconds: 5, times: 10, steady: 1, atOnce: 3000, each: 50, letters: 4000, large: 150 },

  async run(stage) {
    const { sizes } = stage;
    const receiver = await startReceiver();
    stage.atEnd(receiver.close);
    const { env, gateway } = await launchWithLine(stage, ['--forward-url', `${receiver.url}/hook`], {
      NODE_OPTIONS: `--max-old-space-size=${HEAP}`,
    });
    const all: Producer[] = [];
    /** @returns a producer that has stopped */
    const post = async (name: string, forSeconds: number, more: Partial<Production>): Promise<Producer> => {
      const producer = produce({
        ...{ url: () => urlOf(env), count: Infinity, contacts: contactsOf(3000) },
        ...{ atOnce: sizes.atOnce, each: sizes.each, text: 'x'.repeat(sizes.letters) },
        ...{ name, repeatAfter: 0, ...more },
      });
      all.push(producer);
      await wait(forSeconds * 1000);
      producer.stop();
      await producer.done;
      return producer;
    };
    const isAllTaken = () =>
      untilTaken(all, [receiver], all.flatMap((one) => one.acknowledged()).length * LONGEST_EACH);

    const began = performance.now();
    await post('sustained', sizes.steady, { atOnce: 32 });
    await isAllTaken();
    const sustained = (receiver.taken.size * 1000) / (performance.now() - began);
    const before = gateway.memory();
    stage.tell(`takes and forwards ${sustained.toFixed(0)} events/s`);

    let most = before;
    const looking = setInterval(() => (most = Math.max(most, gateway.memory())), 100);
    // Posts do not wait for answers, and refused notifications are not posted again.
    const flooding = await post('flood', sizes.seconds, { rate: sustained * sizes.times, repeats: false });
    const large = { atOnce: sizes.large, each: MOST_OF_ONE, repeats: false };
    const largest = await post('large', sizes.seconds, large);
    const stoppedAt = performance.now();
    const after = await post('after', 5, { atOnce: 4, each: 1, rate: 50 });
    const isDrained = await isAllTaken();
    const caughtUp = performance.now() - stoppedAt;
    clearInterval(looking);

    const account = settle(all, receiver.arrivals);
    // Excludes the first answers, which may still wait behind the queue.
    const recovered = quantile(after.took.slice(-100), 0.99);
    const faults = faultsOf(account);
    if (!isDrained) faults.push('Not all that was acknowledged had arrived in the end');
    if (account.repeated.length) faults.push(`${account.repeated.length} events were repeated`);
    for (const { refusals, retryAfters } of [flooding, largest]) {
      for (const answer of refusals.keys())
        if (answer !== '503') faults.push(`Upstream was answered ${answer} (${refusals.get(answer)})`);
      if (retryAfters < (refusals.get('503') ?? 0)) faults.push('Not every 503 had a Retry-After');
    }
    const rate = flooding.events.size / sizes.seconds;
    if (rate < sustained * sizes.times * 0.9) faults.push(`It was posted ${rate.toFixed(0)} events/s alone`);
    if (!largest.refusals.size) faults.push('Nothing was refused');
    if (most > MOST_MEMORY) faults.push(`It had ${most.toFixed(0)} MB in memory`);
    if (!(recovered <= ORDINARY)) faults.push(`Answers still take ${milliseconds(recovered)} after it`);
    return {
      figures: {
        'takes and forwards before': `${sustained.toFixed(0)} events/s`,
        ...told('flood', flooding, `${rate.toFixed(0)}/s`),
        ...told('large', largest, `${MOST_OF_ONE} in a notification, ${sizes.large} of these at once`),
        lost: account.lost.length,
        repeated: account.repeated.length,
        'first attempts out of order': account.outOfOrder.length,
        'memory before, at most, in the end': `${before.toFixed(0)}, ${most.toFixed(0)}, ${gateway.memory().toFixed(0)} MB`,
        'acknowledgement after it': `p99 ${milliseconds(recovered)}`,
        'end of the floods → all delivered': seconds(caughtUp),
      },
      faults,
    };
  },
};

const told = (name: string, producer: Producer, how: string): Record<string, string> => ({
  [`${name}: events posted`]: `${producer.events.size} (${how})`,
  [`${name}: of these acknowledged`]: String(producer.acknowledged().length),
  [`${name}: notifications refused`]: counted(producer.refusals),
  [`${name}: acknowledgement`]: `p50 ${milliseconds(quantile(producer.took, 0.5))}, p99 ${milliseconds(quantile(producer.took, 0.99))}`,
});
