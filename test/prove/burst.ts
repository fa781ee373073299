import { statSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import { Agent } from 'undici';
import { signatureOf } from '../../gateway/cloud-api/signature';
import { rows } from '../support/rows';
import { APP_SECRET, notification, textFrom } from '../support/test-gateway';
import { counted, faultsOf, lateOf, milliseconds, quantile, seconds, settle, untilTaken } from './account';
import { startCrowd } from './crowd';
import { launch, settingsOf, urlOf } from './gateway';
import { addLines } from './lines';
import { contactsOf, produce } from './producer';
import { type Proof } from './proof';
import { startReceiver } from './receiver';
import { steadily } from './steadily';
import { startUpstream } from './upstream';

/**
 * The least number of the neighbour's events recorded between the first and last part of the notification. If
 * it were recorded as a whole, there would be none.
 */
const LEAST_BETWEEN = 5;
/** Size of SQLite's write-ahead log, in MB. */
const MOST_LOG = 96;

export const burst: Proof<{
  messages: number;
  destinations: number;
  seconds: number;
  rate: number;
  budget: number;
  late: number;
}> = {
  name: 'burst',
  proves:
    "one notification of 1,000 messages × 100 destinations that refuse holds no other line's send, acknowledgement or look-up up for more than 500 ms (P9)",
  on: ['SQLite', 'PostgreSQL'],
  sizes: { messages: 1000, destinations: 100, seconds: 30, rate: 20, budget: 500, late: 0 },

  async run(stage) {
    const { sizes } = stage;
    const upstream = await startUpstream();
    stage.atEnd(upstream.close);
    const receiver = await startReceiver();
    stage.atEnd(receiver.close);
    const refusing = await startCrowd(stage, sizes.destinations, 'refuses');
    const env = await settingsOf(stage, { GATEWAY_UPSTREAM_URL: upstream.url });
    const [loud, neighbour] = await addLines(env, [refusing.urls, [`${receiver.url}/hook`]]);
    if (!loud || !neighbour) throw new Error('Two lines were added');
    await launch(stage, env).listening;
    const url = urlOf(env);
    const agent = new Agent({ connections: 64, pipelining: 1, headersTimeout: 300_000 });
    stage.atEnd(() => agent.close());

    const contacts = contactsOf(50);
    const producer = produce({
      url: () => url,
      count: Infinity,
      contacts,
      // Enough that no event waits for the answer to the previous one.
      atOnce: contacts.length,
      rate: sizes.rate,
      phoneNumberId: neighbour.phoneNumberId,
    });
    stage.atEnd(producer.stop);
    let asked = 0;
    const path = `/v22.0/${neighbour.phoneNumberId}`;
    const headers = { authorization: `Bearer ${neighbour.token}`, 'content-type': 'application/json' };
    const steadily = {
      send: () => {
        const message = { messaging_product: 'whatsapp', type: 'text', text: { body: `text ${asked++}` } };
        const body = JSON.stringify({ ...message, to: contacts[asked % contacts.length] });
        return agent.request({ origin: url, path: `${path}/messages`, method: 'POST', headers, body });
      },
      'look-up': () =>
        agent.request({
          origin: url,
          path: `${path}/window/${contacts[asked++ % contacts.length]}`,
          method: 'GET',
          headers,
        }),
    };
    const probes = Object.entries(steadily).map(([name, ask]) => probe(name, ask, sizes.rate));
    for (const { stop } of probes) stage.atEnd(stop);
    const file = stage.databaseUrl.slice('sqlite:'.length);
    let mostLog = 0;
    const looking = setInterval(() => (mostLog = Math.max(mostLog, sizeOf(`${file}-wal`))), 50);
    stage.atEnd(() => clearInterval(looking));

    await wait(Math.min(10_000, sizes.seconds * 1000));
    const burstAt = performance.now();
    const body = JSON.stringify(
      notification(
        {
          messages: contactsOf(sizes.messages, 17505550000).flatMap(
            (contact, index) => textFrom(contact, 'Hello', `wamid.burst-${index}`).messages,
          ),
        },
        loud.phoneNumberId,
      ),
    );
    const post = async () => {
      const answered = await agent.request({
        origin: url,
        path: '/webhooks/platform',
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          'x-hub-signature-256': signatureOf(Buffer.from(body), APP_SECRET),
        },
        body,
      });
      await answered.body.dump();
      return answered;
    };
    let answer = await post();
    // On a busy machine, the gateway may refuse it, and the platform then sends it again.
    for (; answer.statusCode === 503; answer = await post()) await wait(1000);
    const acknowledged = performance.now() - burstAt;
    await wait(sizes.seconds * 1000);
    for (const { stop } of probes) stop();
    producer.stop();
    await Promise.all([producer.done, ...probes.map(({ done }) => done)]);
    const isAllTaken = await untilTaken([producer], [receiver], 30_000);
    clearInterval(looking);

    const watched = [
      ...probes,
      {
        name: 'acknowledgement',
        took: [...producer.events.values()].map(({ postedAt, acknowledgedAt }) => ({
          at: postedAt,
          took: (acknowledgedAt ?? Infinity) - postedAt,
        })),
        refusals: producer.refusals,
      },
    ];
    const account = settle([producer], receiver.arrivals);
    const faults = faultsOf(account);
    const figures: Record<string, string | number> = {
      notification: `${seconds(acknowledged)} to its answer ${answer.statusCode}, ${(body.length / 1024).toFixed(0)} KB`,
    };
    for (const { name, took, refusals } of watched) {
      const before = took.filter(({ at }) => at < burstAt).map((one) => one.took);
      const after = took.filter(({ at, took: its }) => at + its >= burstAt).map((one) => one.took);
      figures[`${name}: refused`] = counted(refusals);
      figures[`${name}: before`] = figure(before);
      figures[`${name}: from the burst on`] = `${figure(after)} (${milliseconds(sizes.budget)} allowed)`;
      const late = lateOf(after, sizes);
      if (late) faults.push(`A neighbour's ${name} came late: ${late}`);
      // On a busy machine, some refusals are acceptable.
      const isRefused =
        refusals.size > 0 && !(sizes.late && [...refusals.keys()].every((one) => one === '503'));
      if (isRefused) faults.push(`A neighbour's ${name} was answered ${counted(refusals)}`);
    }
    const ofLine = ({ phoneNumberId }: { phoneNumberId: string }) =>
      `from deliveries join events on events.id = deliveries.event_id where phone_number_id = '${phoneNumberId}'`;
    const [{ owed = 0, first = 0, last = 0 } = {}] = await rows(
      stage.databaseUrl,
      `select count(*) as owed, min(sequence) as first, max(sequence) as last ${ofLine(loud)}`,
    );
    const [{ between_them: between = 0 } = {}] = await rows(
      stage.databaseUrl,
      `select count(*) as between_them ${ofLine(neighbour)} and sequence between ${Number(first)} and ${Number(last)}`,
    );
    figures['deliveries owed by the burst'] = Number(owed);
    figures["neighbour's events recorded between its parts"] = Number(between);
    if (Number(between) < LEAST_BETWEEN)
      faults.push(
        `${Number(between)} of a neighbour's events were recorded between the notification's parts`,
      );
    figures['attempts at those that refuse'] = (await refusing.ask()).came;
    if (answer.statusCode !== 200) faults.push(`The notification was answered ${answer.statusCode}`);
    else if (Number(owed) !== sizes.messages * sizes.destinations)
      faults.push(`${String(owed)} deliveries are owed, not ${sizes.messages * sizes.destinations}`);
    if (!isAllTaken) faults.push("Not all of the neighbour's events had arrived in the end");
    if (account.repeated.length) faults.push(`${account.repeated.length} events were repeated`);
    if (stage.ground === 'SQLite') {
      figures['write-ahead log, at most'] = `${mostLog.toFixed(0)} MB (${MOST_LOG} allowed)`;
      if (!(mostLog < MOST_LOG)) faults.push(`The write-ahead log had ${mostLog.toFixed(0)} MB`);
    }
    return { figures, faults };
  },
};

interface Took {
  /** Time of the request, on this process's clock. */
  at: number;
  took: number;
}

/** Sends requests at a steady rate, however long the answers take. */
function probe(
  name: string,
  ask: () => ReturnType<Agent['request']>,
  rate: number,
): { name: string; took: Took[]; refusals: Map<string, number>; stop: () => void; done: Promise<unknown> } {
  const took: Took[] = [];
  const refusals = new Map<string, number>();
  let stopped = false;
  const one = async () => {
    const at = performance.now();
    const answer = await ask()
      .then(async ({ statusCode, body }) => {
        await body.dump();
        return String(statusCode);
      })
      .catch((error: { code?: string; message: string }) => error.code ?? error.message);
    took.push({ at, took: performance.now() - at });
    if (answer !== '200') refusals.set(answer, (refusals.get(answer) ?? 0) + 1);
  };
  return {
    ...{ name, took, refusals },
    stop: () => void (stopped = true),
    done: steadily(rate, () => !stopped, one),
  };
}

const figure = (took: number[]): string =>
  `p50 ${milliseconds(quantile(took, 0.5))}, p99 ${milliseconds(quantile(took, 0.99))}, longest ${milliseconds(Math.max(...took))}`;

/** Size in MB; 0 if the file does not exist. */
const sizeOf = (path: string): number =>
  (statSync(path, { throwIfNoEntry: false })?.size ?? 0) / (1024 * 1024);
