import { setTimeout as wait } from 'node:timers/promises';
import { eventIdBefore } from '../../gateway/store/event-id';
import { DAY, isoTime, MINUTE } from '../../gateway/time';
import { until } from '../support/http-peer';
import { freePort } from '../support/postgres';
import { rows, write } from '../support/rows';
import { counted, faultsOf, settle, untilTaken } from './account';
import { MAIN, runCommand } from '../support/gateway-process';
import { addLineBy, launch, settingsOf, urlOf } from './gateway';
import { contactsOf, produce } from './producer';
import { versionBefore } from './previous-version';
import { type Proof, type Report, type Stage } from './proof';
import { startReceiver } from './receiver';
import { startUpstream } from './upstream';

type Sizes = { restarts: number; events: number; sends: number };

export const rollingRestart: Proof<Sizes> = {
  name: 'rolling-restart',
  proves:
    'two processes on one PostgreSQL are restarted in turn under load: no send fails, and nothing is lost or comes twice (P21)',
  on: ['PostgreSQL'],
  sizes: { restarts: 6, events: 100, sends: 30 },
  run: (stage) => restartInTurn(stage, MAIN),
};

export const rollingUpgrade: Proof<Sizes> = {
  name: 'rolling-upgrade',
  proves:
    'two processes of the version before the newest migration are replaced in turn under load, the database upgraded beneath the one that is left: no send fails, and nothing is lost or comes twice',
  on: ['PostgreSQL'],
  sizes: { restarts: 4, events: 100, sends: 30 },
  async run(stage) {
    const { main, commit } = versionBefore(stage, 'gateway/store/migrations');
    const { figures, faults } = await restartInTurn(stage, main);
    return { figures: { from: commit, ...figures }, faults };
  },
};

export const upgradeToCustomers: Proof<Sizes> = {
  name: 'upgrade-to-customers',
  proves:
    'two processes of the version before customers are replaced in turn under load: no send fails, nothing is lost or comes twice, and no customer can be added until both are replaced',
  on: ['PostgreSQL'],
  sizes: { restarts: 2, events: 100, sends: 30 },
  async run(stage) {
    const { main, commit } = versionBefore(stage, 'gateway/store/migrations/042-customers.ts');
    const refused: string[] = [];
    const { figures, faults } = await restartInTurn(stage, main, async (env) => {
      const { code, stderr } = await runCommand(['customer', 'add', '--name', 'Sun Bakery Ltd'], env);
      refused.push(code === 0 ? '' : stderr);
    });
    const [beside = '', ...after] = refused;
    if (!beside.includes('A process of an earlier version is still running'))
      faults.push(`Beside the version before, adding a customer was answered: ${beside || 'added'}`);
    for (const stderr of after)
      if (stderr) faults.push(`Without it, adding a customer was refused: ${stderr}`);
    return { figures: { from: commit, ...figures, 'customers added': after.length }, faults };
  },
};

/** Events of the last ten days, so that dividing their table takes a while. */
const OLD_EVENTS = 200_000;

const addOldEvents = (databaseUrl: string): Promise<void> =>
  write(
    databaseUrl,
    `insert into events (id, line_id, subject, kind, identity, contact, body, received_at)
      select '${eventIdBefore(Date.now() - 10 * DAY)}' || lpad(n::text, 16, '0'), 1, 'message', 'text', 'old:' || n,
        '16505550000', repeat('x', 500), '${isoTime(Date.now() - 10 * DAY)}'
      from generate_series(1, ${OLD_EVENTS}) as n`,
  );

export const upgradeToPartitions: Proof<Sizes> = {
  name: 'upgrade-to-partitions',
  proves:
    'two processes of the version before partitions are replaced in turn under load, and the tables of events are divided beneath them afterwards: no send fails, and nothing is lost or comes twice',
  on: ['PostgreSQL'],
  sizes: { restarts: 2, events: 100, sends: 30 },
  async run(stage) {
    const { main, commit } = versionBefore(stage, 'gateway/store/migrations/062-partitions.ts');
    const { databaseUrl, sizes } = stage;
    const divided = async () => {
      const found = await rows(databaseUrl, `select relname from pg_class where relkind = 'p' order by 1`);
      return found.map(({ relname }) => String(relname));
    };
    let left = sizes.restarts;
    const beside: string[] = [];
    const { figures, faults } = await restartInTurn(stage, main, async () => {
      left -= 1;
      if (left === sizes.restarts - 1) {
        await addOldEvents(databaseUrl);
        beside.push(...(await divided()));
      }
      if (left) return;
      stage.tell('the tables are divided a minute after the start');
      await until(async () => (await divided()).length === 3, 3 * MINUTE);
      await wait(5000);
    });
    if (beside.length) faults.push(`Beside the version before, these were divided: ${beside.join(', ')}`);
    const [first] = await rows(databaseUrl, 'select count(*) from events_first');
    if (Number(first?.count) < OLD_EVENTS)
      faults.push(`${Number(first?.count)} events are in the first partition`);
    return { figures: { from: commit, ...figures, 'events before': OLD_EVENTS }, faults };
  },
};

/**
 * @param before the program of both processes at first, which are then restarted with the current one
 * @param restarted called after each restart, with the settings of the new process
 */
async function restartInTurn(
  stage: Stage<Sizes>,
  before: string,
  restarted: (env: Record<string, string>) => Promise<void> = async () => undefined,
): Promise<Report> {
  const { sizes } = stage;
  const receiver = await startReceiver();
  const upstream = await startUpstream();
  stage.atEnd(receiver.close);
  stage.atEnd(upstream.close);
  const env = await settingsOf(stage, { GATEWAY_UPSTREAM_URL: upstream.url });
  const token = await addLineBy(before, env, '--forward-url', `${receiver.url}/hook`, '--window', 'upstream');
  const settings = [env, { ...env, GATEWAY_PORT: String(await freePort()) }];
  const gateways = settings.map((one) => launch(stage, one, before));
  await Promise.all(gateways.map(({ listening }) => listening));
  // Like a load balancer without health checks: alternates between the processes.
  let turn = 0;
  const url = () => urlOf(settings[turn++ % settings.length] ?? env);
  const producer = produce({
    url,
    count: Infinity,
    contacts: contactsOf(200),
    atOnce: 16,
    rate: sizes.events,
  });
  const sends = upstream.sendSteadily(url, token, sizes.sends);
  stage.atEnd(producer.stop);
  stage.atEnd(sends.stop);
  const codes: (number | null)[] = [];
  for (let restart = 0; restart < sizes.restarts; restart++) {
    await wait(3000);
    const which = restart % settings.length;
    codes.push((await gateways[which]?.end('SIGTERM')) ?? null);
    const next = launch(stage, settings[which] ?? env);
    gateways[which] = next;
    await next.listening;
    await restarted(settings[which] ?? env);
  }
  await wait(2000);
  producer.stop();
  sends.stop();
  await Promise.all([producer.done, sends.done]);
  const isAllTaken = await untilTaken([producer], [receiver], 60_000);
  await wait(500);
  const account = settle([producer], receiver.arrivals);
  const twice = [...upstream.received].filter(([, count]) => count > 1).length;
  const faults = faultsOf(account);
  if (sends.refusals.size) faults.push(`Sends failed: ${counted(sends.refusals)}`);
  for (const answer of producer.refusals.keys())
    if (answer !== 'ECONNREFUSED') faults.push(`Upstream was answered ${answer}`);
  if (codes.some((code) => code !== 0)) faults.push(`Exit codes: ${codes.join(', ')}`);
  if (!isAllTaken) faults.push('Not all that was acknowledged had arrived in the end');
  if (account.repeated.length) faults.push(`${account.repeated.length} events were delivered twice`);
  if (twice) faults.push(`${twice} messages were sent twice`);
  return {
    figures: {
      restarts: codes.length,
      'events acknowledged': account.acknowledged,
      'upstream, not acknowledged': counted(producer.refusals),
      lost: account.lost.length,
      'delivered twice': account.repeated.length,
      'first attempts out of order': account.outOfOrder.length,
      'sends answered 200': sends.accepted.length,
      'sends: connection refused, made again': sends.again,
      'sends failed': counted(sends.refusals),
      'slowest acknowledgement, ms': Math.round(Math.max(...producer.took)),
      'sent twice': twice,
    },
    faults,
  };
}
