import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { logLines } from '../support/gateway-process';
import { until } from '../support/http-peer';
import { freePort } from '../support/postgres';
import { rows } from '../support/rows';
import { counted, faultsOf, MOST_REPEATED, settle, untilTaken } from './account';
import { addLine, launch, settingsOf, urlOf, type Gateway } from './gateway';
import { sendWithKeys, type KeyedSends } from './keyed-sends';
import { contactsOf, produce, type Producer } from './producer';
import { type Report, type Stage } from './proof';
import { startReceiver, type Receiver } from './receiver';
import { startUpstream } from './upstream';
import { addWatcher, logIn } from './watcher';

/**
 * Two gateways on one PostgreSQL, under events of the platform, sends with keys, and visits of the panel's lists. All
 * go to the gateways in turn.
 */
export interface TwoGateways {
  gateways: Gateway[];
  producer: Producer;
  sends: KeyedSends;
  receiver: Receiver;
  /** Kills one gateway, and starts it again. */
  killAndRestart(which: number): Promise<void>;
  /**
   * Stops the load, waits until every acknowledged event has arrived, and settles the account.
   * @param databaseUrl where everything acknowledged must be stored
   * @param repeats the most events that may arrive again
   */
  finish(databaseUrl: string, repeats: number): Promise<Report>;
}

const LISTS = ['/panel/alerts', '/panel/events', '/panel/messages', '/panel/conversations', '/panel/lines'];
const VISITED_EVERY = 200;
const ARRIVED_WITHIN = 120_000;
const GIVEN_UP = 60_000;

/**
 * @param more additional settings
 * @param rates per second
 */
export async function setTwoGateways(
  stage: Stage,
  more: Record<string, string>,
  rates: { events: number; sends: number },
): Promise<TwoGateways> {
  const receiver = await startReceiver();
  const upstream = await startUpstream();
  stage.atEnd(receiver.close);
  stage.atEnd(upstream.close);
  const env = await settingsOf(stage, { GATEWAY_UPSTREAM_URL: upstream.url, ...more });
  const token = await addLine(env, '--forward-url', `${receiver.url}/hook`, '--window', 'upstream');
  await addWatcher(env);
  const settings = [env, { ...env, GATEWAY_PORT: String(await freePort()) }];
  const gateways = settings.map((one) => launch(stage, one));
  await Promise.all(gateways.map(({ listening }) => listening));
  let turn = 0;
  const url = () => urlOf(settings[turn++ % settings.length] ?? env);
  const producer = produce({
    url,
    count: Infinity,
    contacts: contactsOf(100),
    atOnce: 24,
    rate: rates.events,
    repeatAfter: 200,
  });
  const sends = sendWithKeys(url, token, rates.sends);
  const visits = visitLists(url, await logIn(urlOf(env)));
  for (const { stop } of [producer, sends, visits]) stage.atEnd(stop);

  return {
    gateways,
    producer,
    sends,
    receiver,
    async killAndRestart(which) {
      await gateways[which]?.end('SIGKILL');
      const next = launch(stage, settings[which] ?? env);
      gateways[which] = next;
      await next.listening;
    },
    async finish(databaseUrl, repeats) {
      for (const { stop } of [producer, sends, visits]) stop();
      await Promise.all([producer.done, sends.done, visits.done]);
      const isAllTaken = await untilTaken([producer], [receiver], ARRIVED_WITHIN);
      // Late repeats would still come.
      await wait(500);
      const unrecorded = unrecordedIn(stage.folder);
      const faults = await sends.check(upstream, unrecorded);
      await Promise.all(gateways.map((gateway) => gateway.end('SIGKILL')));
      const account = settle([producer], receiver.arrivals);
      faults.push(...faultsOf(account), ...(await missingIn(databaseUrl, producer, sends, unrecorded)));
      if (!isAllTaken) faults.push('Not all that was acknowledged had arrived in the end');
      if (account.repeated.length > repeats)
        faults.push(`${account.repeated.length} events were repeated, more than ${repeats}`);
      const wrong = (answers: Map<string, number>, right: RegExp) =>
        [...answers.keys()]
          .filter((answer) => !right.test(answer))
          .map((answer) => `There were answers ${answer}`);
      faults.push(
        ...wrong(producer.refusals, /^(503|[A-Z_]+)$/),
        ...wrong(sends.refusals, /^(409|503|504|[A-Z_]+)$/),
        ...wrong(visits.answers, /^(200|503|[A-Z_]+)$/),
      );
      return {
        figures: {
          'events acknowledged': account.acknowledged,
          'refused or cut, repeated by upstream': counted(producer.refusals),
          lost: account.lost.length,
          repeated: `${account.repeated.length} (${repeats} allowed)`,
          'first attempts out of order': account.outOfOrder.length,
          'sends accepted': sends.accepted.size,
          'of them in the log, because the database was away': unrecorded.size,
          'sends refused, repeated if allowed': counted(sends.refusals),
          "the panel's lists were answered": counted(visits.answers),
        },
        faults,
      };
    },
  };
}

/**
 * Waits until an event is acknowledged after a moment of this process's clock.
 * @returns milliseconds between both
 */
export async function untilAcknowledged(
  { producer }: Pick<TwoGateways, 'producer'>,
  since: number,
): Promise<number> {
  const later = () =>
    producer.acknowledged().flatMap(({ acknowledgedAt: at }) => (at && at > since ? [at] : []));
  await until(
    () => later().length > 0,
    GIVEN_UP,
    () => 'no event was acknowledged again',
  );
  return Math.min(...later()) - since;
}

/** The most events that may arrive again after this number of kills. */
export const repeatsAfter = (kills: number): number => kills * MOST_REPEATED;

/**
 * The keys of messages that the platform accepted while the database was away. Their senders get 200, because the
 * message is on its way, and the log has what the database lacks.
 */
function unrecordedIn(folder: string): Set<string> {
  const logs = readdirSync(folder).filter((name) => /^gateway-\d+\.log$/.test(name));
  const lines = logs.flatMap((name) => logLines(readFileSync(join(folder, name), 'utf8')));
  return new Set(
    lines
      .filter(({ msg }) => msg === 'accepted message not recorded')
      .map(({ wamid }) => String(wamid).replace('wamid.out-', '')),
  );
}

async function missingIn(
  databaseUrl: string,
  { acknowledged }: Producer,
  { accepted }: KeyedSends,
  unrecorded: ReadonlySet<string>,
) {
  const stored = async (query: string) =>
    new Set((await rows(databaseUrl, query)).map(({ wamid }) => wamid as string));
  const events = await stored('select wamid from events');
  const messages = await stored('select wamid from messages where accepted_at is not null');
  const lost = acknowledged().filter(({ wamid }) => !events.has(wamid)).length;
  const unsaid = [...accepted.keys()].filter(
    (text) => !messages.has(`wamid.out-${text}`) && !unrecorded.has(text),
  ).length;
  return [
    ...(lost ? [`${lost} acknowledged events are not in the database`] : []),
    ...(unsaid ? [`${unsaid} accepted sends are not in the database`] : []),
  ];
}

function visitLists(url: () => string, cookie: string) {
  const answers = new Map<string, number>();
  let stopped = false;
  async function work(): Promise<void> {
    for (let number = 0; !stopped; number++) {
      const answer = await fetch(`${url()}${LISTS[number % LISTS.length]}`, {
        headers: { cookie },
        redirect: 'manual',
        signal: AbortSignal.timeout(30_000),
      })
        .then(async (page) => (await page.arrayBuffer(), String(page.status)))
        .catch((error: Error) => (error.cause as { code?: string } | undefined)?.code ?? 'BROKEN');
      answers.set(answer, (answers.get(answer) ?? 0) + 1);
      await wait(VISITED_EVERY);
    }
  }
  return { answers, stop: () => void (stopped = true), done: work() };
}
