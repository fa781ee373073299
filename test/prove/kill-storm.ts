import { setTimeout as wait } from 'node:timers/promises';
import { until } from '../support/http-peer';
import {
  counted,
  faultsOf,
  milliseconds,
  MOST_REPEATED,
  quantile,
  seconds,
  settle,
  untilTaken,
} from './account';
import { launch, launchWithLine, urlOf } from './gateway';
import { contactsOf, produce } from './producer';
import { type Proof } from './proof';
import { startReceiver, type Arrival } from './receiver';

/** The longest time before a kill, in milliseconds. */
const LONGEST_LIFE = 2000;
/** Approximate seconds between kills. */
const KILL_EVERY = 1.5;
/** Percentage of kills during the start. */
const KILLED_AT_START = 20;
/** Duration of a start on an idle machine, in milliseconds. */
const LONGEST_START = 1000;
/**
 * Milliseconds until deliveries resume after it listens. A process that returns under its name owns its
 * destinations immediately (P22).
 */
const GOES_ON_WITHIN = 3000;
/** The longest scheduled waits that are likely in this proof, with a margin, in milliseconds. */
const DELIVERED_WITHIN = 15 * 60_000;

export const killStorm: Proof<{ events: number; kills: number; failing: number; contacts: number }> = {
  name: 'kill-storm',
  proves:
    'kill -9 at any moment loses no acknowledged event and no order, and repeats only what was in flight (P1, P5, P10, P22)',
  on: ['SQLite', 'PostgreSQL'],
  sizes: { events: 20_000, kills: 100, failing: 5, contacts: 400 },

  async run(stage) {
    const { sizes, random } = stage;
    // Fails at most twice per event. A third wait would take minutes and prove nothing more.
    const receiver = await startReceiver(({ attempt }) =>
      attempt <= 2 && random() * 100 < sizes.failing ? 500 : 200,
    );
    stage.atEnd(receiver.close);

    const begun = performance.now();
    const { env, ...first } = await launchWithLine(stage, ['--forward-url', `${receiver.url}/hook`]);
    let { gateway } = first;
    const killedAt: number[] = [];
    const producer = produce({
      url: () => urlOf(env),
      // Posts until all kills are over, so that each one interrupts something.
      count: Infinity,
      contacts: contactsOf(sizes.contacts),
      atOnce: 16,
      rate: sizes.events / (sizes.kills * KILL_EVERY),
    });
    stage.atEnd(producer.stop);
    while (killedAt.length < sizes.kills) {
      if (random() * 100 < KILLED_AT_START) {
        await wait(random() * LONGEST_START);
      } else {
        await gateway.listening;
        await wait(random() * LONGEST_LIFE);
      }
      await gateway.end('SIGKILL');
      killedAt.push(performance.now());
      gateway = launch(stage, env);
      if (killedAt.length % 10 === 0)
        stage.tell(`${killedAt.length} kills, ${producer.acknowledged().length} events acknowledged`);
    }
    const restartedAt = performance.now();
    await gateway.listening;
    const listened = performance.now();
    await until(() => producer.acknowledged().length >= sizes.events, DELIVERED_WITHIN);
    producer.stop();
    await producer.done;
    const isAllTaken = await untilTaken([producer], [receiver], DELIVERED_WITHIN);
    const allTakenAt = performance.now();
    await gateway.end();

    const account = settle([producer], receiver.arrivals);
    const { perKill, unexplained } = repeatsOf(receiver.arrivals, killedAt);
    const most = Math.max(0, ...perKill);
    const goesOnAfter = (receiver.arrivals.find(({ at }) => at > restartedAt)?.at ?? Infinity) - restartedAt;
    const faults = faultsOf(account);
    if (!isAllTaken)
      faults.push(`After ${seconds(DELIVERED_WITHIN)} not all that was acknowledged had arrived`);
    if (most > MOST_REPEATED)
      faults.push(`After one kill ${most} events were repeated, more than ${MOST_REPEATED}`);
    if (unexplained) faults.push(`${unexplained} events were repeated without a kill`);
    // A machine that starts slowly is busy and may do everything else slowly, too.
    const allowed = Math.max(GOES_ON_WITHIN, listened - restartedAt);
    if (goesOnAfter - (listened - restartedAt) > allowed)
      faults.push(`Delivery went on only ${seconds(goesOnAfter)} after the last start`);
    return {
      figures: {
        'events acknowledged': account.acknowledged,
        'kill -9': killedAt.length,
        'refused or cut, repeated by upstream': counted(producer.refusals),
        attempts: receiver.arrivals.length,
        'answered 500': receiver.arrivals.filter(({ status }) => status === 500).length,
        lost: account.lost.length,
        'first attempts out of order': account.outOfOrder.length,
        repeated: `${account.repeated.length} (at most ${most} after one kill; ${MOST_REPEATED} allowed)`,
        acknowledgement: `p50 ${milliseconds(quantile(producer.took, 0.5))}, p99 ${milliseconds(quantile(producer.took, 0.99))}`,
        'last start → listening': seconds(listened - restartedAt),
        'last start → delivery goes on': seconds(goesOnAfter),
        'begin → all delivered': seconds(allTakenAt - begun),
      },
      faults,
    };
  },
};

/**
 * Counts the repeats caused by each kill, whose process had its attempt interrupted or not recorded. A retry
 * after a refusal is no repeat; `unexplained` are repeats without a kill in between.
 */
function repeatsOf(arrivals: readonly Arrival[], killedAt: readonly number[]) {
  const perKill = killedAt.map(() => 0);
  let unexplained = 0;
  const latest = new Map<string, { process: number; refused: boolean }>();
  for (const { wamid, status, connectedAt } of arrivals) {
    const process = killedAt.filter((moment) => moment < connectedAt).length;
    const before = latest.get(wamid);
    latest.set(wamid, { process, refused: status !== null && status >= 300 });
    if (!before || before.refused) continue;
    if (before.process < process) perKill[before.process] = (perKill[before.process] ?? 0) + 1;
    else unexplained++;
  }
  return { perKill, unexplained };
}
