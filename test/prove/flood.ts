import { setTimeout as wait } from 'node:timers/promises';
import { counted, faultsOf, milliseconds, quantile, seconds, settle, untilTaken } from './account';
import { launchWithLine, urlOf } from './gateway';
import { contactsOf, produce } from './producer';
import { type Proof } from './proof';
import { startReceiver } from './receiver';

/** In MB: more than everything that its own bounds let it hold in memory, and far less than the flood. */
const MOST_MEMORY = 900;
/** Milliseconds in which what was acknowledged arrives, for each event: to one destination, one commit after the other. */
const LONGEST_EACH = 10;
/** A process needs this long at most to find back to its ordinary answers (P2's p99). */
const ORDINARY = 250;

export const flood: Proof<{ seconds: number; times: number; steady: number; atOnce: number }> = {
  name: 'flood',
  proves:
    'under ten times what it sustains, refusals are 503 with Retry-After, what was acknowledged arrives, memory stays bounded and answers recover (P15)',
  on: ['SQLite', 'PostgreSQL'],
  sizes: { seconds: 20, times: 10, steady: 4, atOnce: 1500 },

  async run(stage) {
    const { sizes } = stage;
    const receiver = await startReceiver();
    stage.atEnd(receiver.close);
    const { env, gateway } = await launchWithLine(stage, ['--forward-url', `${receiver.url}/hook`]);
    const url = () => urlOf(env);
    const contacts = contactsOf(sizes.atOnce * 2);
    const upstream = (name: string, atOnce: number, rate?: number, repeats = true) =>
      produce({ url, count: Infinity, contacts, atOnce, rate, name, repeats, repeatAfter: 0 });

    const full = upstream('sustained', 32);
    await wait(sizes.steady * 1000);
    full.stop();
    await full.done;
    await untilTaken([full], [receiver], 120_000);
    const sustained = full.took.length / sizes.steady;
    const before = gateway.memory();
    stage.tell(`sustains ${sustained.toFixed(0)} events/s`);

    let most = before;
    const looking = setInterval(() => (most = Math.max(most, gateway.memory())), 100);
    // So many at once, and at such a rate, that it cannot keep up; nothing waits for an answer before the next.
    const flooding = upstream('flood', sizes.atOnce, sustained * sizes.times, false);
    await wait(sizes.seconds * 1000);
    flooding.stop();
    const stoppedAt = performance.now();
    await flooding.done;
    const after = upstream('after', 4, 50);
    await wait(5000);
    after.stop();
    await after.done;
    const isAllTaken = await untilTaken(
      [full, flooding, after],
      [receiver],
      flooding.took.length * LONGEST_EACH,
    );
    const caughtUp = performance.now() - stoppedAt;
    clearInterval(looking);

    const account = settle([full, flooding, after], receiver.arrivals);
    // The first answers may still come behind what was in the queue.
    const recovered = quantile(after.took.slice(-100), 0.99);
    const refused = [...flooding.refusals.values()].reduce((sum, count) => sum + count, 0);
    const faults = faultsOf(account);
    if (!isAllTaken) faults.push('Not all that was acknowledged had arrived in the end');
    if (account.repeated.length) faults.push(`${account.repeated.length} events were repeated`);
    for (const answer of flooding.refusals.keys())
      if (answer !== '503') faults.push(`Upstream was answered ${answer} (${flooding.refusals.get(answer)})`);
    if (flooding.retryAfters < (flooding.refusals.get('503') ?? 0))
      faults.push('Not every 503 had a Retry-After');
    if (most > MOST_MEMORY) faults.push(`It had ${most.toFixed(0)} MB in memory`);
    if (!(recovered <= ORDINARY)) faults.push(`Answers still take ${milliseconds(recovered)} after it`);
    return {
      figures: {
        'sustained before': `${sustained.toFixed(0)} events/s`,
        'flood: posted': `${flooding.events.size} (${sizes.atOnce} at once, for ${(sustained * sizes.times).toFixed(0)}/s)`,
        'flood: acknowledged': flooding.took.length,
        'flood: refused': refused ? counted(flooding.refusals) : 'none',
        'flood: acknowledgement': `p50 ${milliseconds(quantile(flooding.took, 0.5))}, p99 ${milliseconds(quantile(flooding.took, 0.99))}`,
        lost: account.lost.length,
        repeated: account.repeated.length,
        'first attempts out of order': account.outOfOrder.length,
        'memory before, at most, in the end': `${before.toFixed(0)}, ${most.toFixed(0)}, ${gateway.memory().toFixed(0)} MB`,
        'acknowledgement after it': `p99 ${milliseconds(recovered)}`,
        'end of the flood → all delivered': seconds(caughtUp),
      },
      faults,
    };
  },
};
