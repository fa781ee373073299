import { faultsOf, milliseconds, MOST_IN_FLIGHT, quantile, settle, untilTaken } from './account';
import { addDestination, launchWithLine, urlOf } from './gateway';
import { contactsOf, produce } from './producer';
import { type Proof } from './proof';
import { startReceiver } from './receiver';

export const noisyNeighbour: Proof<{
  seconds: number;
  rate: number;
  destinations: number;
  /** Milliseconds. What waits for the one that hangs waits for 20 seconds. */
  p99: number;
}> = {
  name: 'noisy-neighbour',
  proves: 'with 1 of 50 destinations hanging, the other 49 get their events with a p99 of 1 s or less (P9)',
  on: ['SQLite', 'PostgreSQL'],
  sizes: { seconds: 40, rate: 6, destinations: 50, p99: 1000 },

  async run(stage) {
    const { sizes } = stage;
    let mostOpen = 0;
    const hanging = await startReceiver(() => {
      mostOpen = Math.max(mostOpen, hanging.open());
      return 'never';
    });
    stage.atEnd(hanging.close);
    const others = await Promise.all(Array.from({ length: sizes.destinations - 1 }, () => startReceiver()));
    for (const { close } of others) stage.atEnd(close);
    const { env, token } = await launchWithLine(stage, ['--forward-url', `${hanging.url}/hook`]);
    for (const { url } of others) await addDestination(env, token, `${url}/hook`);
    const producer = produce({
      url: () => urlOf(env),
      count: sizes.rate * sizes.seconds,
      contacts: contactsOf(100),
      atOnce: 16,
      rate: sizes.rate,
    });
    await producer.done;
    const isAllTaken = await untilTaken([producer], others, 60_000);

    const accounts = others.map(({ arrivals }) => settle([producer], arrivals));
    const took = others.flatMap(({ arrivals }) =>
      arrivals.map(({ wamid, at }) => at - (producer.events.get(wamid)?.postedAt ?? at)),
    );
    const p99 = quantile(took, 0.99);
    const faults = accounts.flatMap(faultsOf);
    if (!isAllTaken) faults.push('Not all that was acknowledged had arrived in the end');
    const repeated = accounts.reduce((sum, account) => sum + account.repeated.length, 0);
    if (repeated) faults.push(`${repeated} events were repeated`);
    if (p99 > sizes.p99) faults.push(`p99 end to end is ${milliseconds(p99)}`);
    if (!hanging.arrivals.length) faults.push('Nothing reached the one that hangs');
    if (mostOpen > MOST_IN_FLIGHT) faults.push(`${mostOpen} requests were open at the one that hangs`);
    return {
      figures: {
        'events acknowledged': accounts[0]?.acknowledged ?? 0,
        'deliveries to the others': took.length,
        lost: accounts.reduce((sum, account) => sum + account.lost.length, 0),
        repeated,
        'posted → at the others': `p50 ${milliseconds(quantile(took, 0.5))}, p99 ${milliseconds(p99)}, longest ${milliseconds(Math.max(...took))}`,
        'requests to the one that hangs': `${hanging.arrivals.length}, at most ${mostOpen} open at once`,
      },
      faults,
    };
  },
};
