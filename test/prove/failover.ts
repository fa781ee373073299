import { setTimeout as wait } from 'node:timers/promises';
import { until } from '../support/http-peer';
import { rows } from '../support/rows';
import { quantile, seconds } from './account';
import { type Proof } from './proof';
import { startReplicated } from './replicated';
import { repeatsAfter, setTwoGateways, untilAcknowledged, type TwoGateways } from './two-gateways';

/** As after an outage of the database (P23), in milliseconds after the promotion. */
const BACK_WITHIN = 5000;
const GIVEN_UP = 60_000;

export const failover: Proof<{
  failovers: number;
  events: number;
  sends: number;
  synchronous: number;
}> = {
  name: 'failover',
  proves:
    'when the PostgreSQL server is killed and its synchronous replica promoted, again and again under load, nothing acknowledged is lost, no send is made twice, order holds, and both gateways go on within 5 s of the promotion (P1, P10, P16, P23)',
  on: ['PostgreSQL'],
  // `--synchronous 0` shows what is lost if commits do not wait for the replica.
  sizes: { failovers: 20, events: 100, sends: 20, synchronous: 1 },

  async run(stage) {
    const { sizes, random } = stage;
    const servers = await startReplicated(stage, sizes.synchronous !== 0);
    const load = await setTwoGateways(stage, { GATEWAY_DATABASE_URL: servers.url }, sizes);
    const faults: string[] = [];
    const acknowledged: number[] = [];
    const ready: number[] = [];
    for (let number = 0; number < sizes.failovers; number++) {
      await servers.addStandby();
      await wait(2000 + random() * 1000);
      // Every other time the replica is cut off first. What is committed then must not be acknowledged.
      if (number % 2 === 0) {
        servers.cutReplication();
        await wait(300 + random() * 700);
      }
      servers.losePrimary();
      await wait(random() * 2000);
      const promotedAt = performance.now();
      await servers.promote();
      await Promise.all([
        untilAcknowledged(load, promotedAt).then((took) => acknowledged.push(took)),
        untilReady(load, promotedAt).then((took) => ready.push(took)),
      ]);
      await untilListening(servers.url);
      if ((number + 1) % 5 === 0) stage.tell(`${number + 1} failovers`);
    }
    await wait(1000);
    const report = await load.finish(servers.url, repeatsAfter(sizes.failovers));
    const longest = Math.max(...acknowledged, ...ready);
    if (!(longest <= BACK_WITHIN))
      faults.push(`A gateway was back only ${seconds(longest)} after a promotion`);
    return {
      figures: {
        ...report.figures,
        failovers: sizes.failovers,
        'promotion → acknowledged again': spread(acknowledged),
        'promotion → both ready': spread(ready),
      },
      faults: [...faults, ...report.faults],
    };
  },
};

const spread = (took: number[]): string =>
  `p50 ${seconds(quantile(took, 0.5))}, at most ${seconds(Math.max(...took))}`;

async function untilReady({ gateways }: TwoGateways, since: number): Promise<number> {
  const isReady = async ({ url }: { url: string }) =>
    (await fetch(`${url}/readyz`).catch(() => null))?.ok ?? false;
  await until(
    async () => (await Promise.all(gateways.map(isReady))).every(Boolean),
    GIVEN_UP,
    () => 'a gateway was not ready again',
  );
  return performance.now() - since;
}

/** Waits until both gateways hold the locks of their listening connections at the new primary. */
async function untilListening(url: string): Promise<void> {
  const holders = `select distinct pid from pg_locks where locktype = 'advisory' and objsubid = 1`;
  await until(
    async () => (await rows(url, holders)).length >= 2,
    GIVEN_UP,
    () => 'a gateway does not listen again',
  );
}
