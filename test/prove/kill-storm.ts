import { setTimeout as wait } from 'node:timers/promises';
import { counted, faultsOf, milliseconds, quantile, seconds, settle, untilTaken } from './account';
import { addLine, launch, settingsOf, urlOf } from './gateway';
import { contactsOf, produce } from './producer';
import { type Proof } from './proof';
import { startReceiver, type Arrival } from './receiver';

/** In flight at once to one destination (P9): so many may be repeated after a kill. */
const MOST_IN_FLIGHT = 8;
/** A process serves for up to this long. */
const LONGEST_LIFE = 2000;
/** Of a hundred, so many are killed at any moment of their start. */
const KILLED_AT_START = 20;
/** Of a start, on a machine that is not busy. */
const LONGEST_START = 1000;
/** The longest waits of the schedule that a delivery of this proof is likely to see, and a margin. */
const DELIVERED_WITHIN = 15 * 60_000;

export const killStorm: Proof<{ events: number; kills: number; failing: number; contacts: number }> = {
  name: 'kill-storm',
  proves:
    'kill -9 at any moment loses no acknowledged event and no order, and repeats only what was in flight (P1, P5, P10, P22)',
  on: ['SQLite', 'PostgreSQL'],
  sizes: { events: 20_000, kills: 100, failing: 5, contacts: 400 },

  async run(stage) {
    const { sizes, random } = stage;
    const receiver = await startReceiver(() => (random() * 100 < sizes.failing ? 500 : 200));
    stage.atEnd(receiver.close);
    const env = await settingsOf(stage);
    await addLine(env, '--forward-url', `${receiver.url}/hook`);

    const begun = performance.now();
    const killedAt: number[] = [];
    let gateway = launch(stage, env);
    await gateway.listening;
    const producer = produce({
      url: () => urlOf(env),
      count: sizes.events,
      contacts: contactsOf(sizes.contacts),
      atOnce: 16,
      // Spread over the kills, so that each of them hits something.
      rate: sizes.events / ((sizes.kills * LONGEST_LIFE) / 2000 + 1),
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
    await producer.done;
    const isAllTaken = await untilTaken([producer], [receiver], DELIVERED_WITHIN);
    const allTakenAt = performance.now();
    await gateway.end();

    const account = settle([producer], receiver.arrivals);
    const perKill = repeatsPerKill(receiver.arrivals, killedAt);
    const most = Math.max(0, ...perKill);
    const outside = account.repeated.length - perKill.reduce((sum, count) => sum + count, 0);
    const afterLast = receiver.arrivals.find(({ at }) => at > restartedAt);
    const goesOnAfter = (afterLast?.at ?? Infinity) - restartedAt;
    const faults = faultsOf(account);
    if (!isAllTaken)
      faults.push(`After ${seconds(DELIVERED_WITHIN)} not all that was acknowledged had arrived`);
    if (most > MOST_IN_FLIGHT)
      faults.push(`After one kill ${most} events were repeated; ${MOST_IN_FLIGHT} can have been in flight`);
    if (outside > 0)
      faults.push(`${outside} events were repeated more than once after one kill, or without one`);
    if (account.acknowledged < sizes.events) faults.push('Not every event was acknowledged in the end');
    if (goesOnAfter > 30_000)
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
        repeated: `${account.repeated.length} (at most ${most} after one kill; ${MOST_IN_FLIGHT} allowed)`,
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
 * How many events that had been taken came again after each kill. It counts for the process that sent it first; one
 * that the same process sends again counts for none.
 */
export function repeatsPerKill(arrivals: readonly Arrival[], killedAt: readonly number[]): number[] {
  const counts = killedAt.map(() => 0);
  const takenFrom = new Map<string, number>();
  for (const { wamid, status, connectedAt } of arrivals) {
    const process = killedAt.filter((moment) => moment < connectedAt).length;
    const earlier = takenFrom.get(wamid);
    if (earlier !== undefined && earlier < process) counts[earlier] = (counts[earlier] ?? 0) + 1;
    if (status === 200) takenFrom.set(wamid, process);
  }
  return counts;
}
