import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { until } from '../support/http-peer';
import { createDatabase, freePort, postgresServer } from '../support/postgres';
import { counted, faultsOf, MOST_REPEATED, seconds, settle, untilTaken } from './account';
import { addLine, launch, settingsOf, urlOf } from './gateway';
import { openNetwork } from './network';
import { contactsOf, produce } from './producer';
import { type Proof } from './proof';
import { startReceiver } from './receiver';

/** Same limit as after a kill (P22), because the other process sees no difference. In milliseconds. */
const GOES_ON_WITHIN = 30_000;
/** Same limit as after an outage of the database (P23), in milliseconds. */
const BACK_WITHIN = 5000;

export const processPartition: Proof<{ seconds: number; rate: number }> = {
  name: 'process-partition',
  proves:
    'where one of two processes is cut off from PostgreSQL the other takes over what it sent to, in order; cut off, it acknowledges nothing, and goes on by itself once it is back (P1, P10, P22, P23)',
  on: ['PostgreSQL'],
  sizes: { seconds: 60, rate: 50 },

  async run(stage) {
    const { sizes } = stage;
    const network = openNetwork(stage);
    const server = await postgresServer({ folder: join(stage.folder, 'postgres') });
    await server.start();
    stage.atEnd(server.stop);
    const direct = await createDatabase(server.url);
    const through = new URL(direct);
    through.port = String(await network.door(`/tmp/.s.PGSQL.${through.port}`));
    through.hostname = network.address;
    const receiver = await startReceiver();
    stage.atEnd(receiver.close);
    const near = await settingsOf({ databaseUrl: direct });
    const far = {
      ...near,
      GATEWAY_PORT: String(await freePort()),
      GATEWAY_DATABASE_URL: through.href,
    };
    await addLine(near, '--forward-url', `${receiver.url}/hook`);
    // The process that is cut off later starts first, so that it owns the destination.
    const cutOff = launch(stage, far);
    await cutOff.listening;
    const servers: Record<string, string>[] = [far];
    let posts = 0;
    const producer = produce({
      url: () => urlOf(servers[posts++ % servers.length] ?? far),
      count: Infinity,
      contacts: contactsOf(200),
      atOnce: 32,
      rate: sizes.rate,
      repeatAfter: 200,
    });
    stage.atEnd(producer.stop);
    await until(() => receiver.taken.size > 0, 20_000);
    const stays = launch(stage, near);
    await stays.listening;
    servers.push(near);
    await wait(5000);

    network.cut();
    const cutAt = performance.now();
    await wait(sizes.seconds * 1000);
    const taken = receiver.arrivals.filter(({ at }) => at > cutAt).map(({ at }) => at);
    const longestPause = Math.max(...taken.map((at, index) => at - (taken[index - 1] ?? cutAt)));
    network.heal();
    const backAt = performance.now();
    const isReady = async () => (await fetch(`${cutOff.url}/readyz`)).ok;
    await until(isReady, 60_000);
    const readyAfter = performance.now() - backAt;
    await wait(3000);
    producer.stop();
    await producer.done;
    const isAllTaken = await untilTaken([producer], [receiver], 60_000);
    const account = settle([producer], receiver.arrivals);

    const faults = faultsOf(account);
    if (!isAllTaken) faults.push('Not all that was acknowledged had arrived in the end');
    if (account.repeated.length > MOST_REPEATED)
      faults.push(`${account.repeated.length} events were repeated, more than ${MOST_REPEATED}`);
    if (!(longestPause <= GOES_ON_WITHIN)) faults.push(`Nothing was delivered for ${seconds(longestPause)}`);
    if (readyAfter > BACK_WITHIN) faults.push(`It was ready again only after ${seconds(readyAfter)}`);
    for (const answer of producer.refusals.keys())
      if (!/^50[03]$/.test(answer)) faults.push(`Upstream was answered ${answer}`);
    return {
      figures: {
        'events acknowledged': account.acknowledged,
        'refused, repeated by upstream': counted(producer.refusals),
        lost: account.lost.length,
        repeated: `${account.repeated.length} (${MOST_REPEATED} allowed)`,
        'first attempts out of order': account.outOfOrder.length,
        'longest time without a delivery': seconds(longestPause),
        'return → ready again': seconds(readyAfter),
      },
      faults,
    };
  },
};
