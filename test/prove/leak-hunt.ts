import { connect } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { Agent } from 'undici';
import { PHONE_NUMBER_ID } from '../support/test-gateway';
import { counted, untilTaken } from './account';
import { addLine, launch, settingsOf, urlOf } from './gateway';
import { inspect, INSPECTED, type Holdings } from './inspector';
import { contactsOf, produce } from './producer';
import { type Proof, type Report } from './proof';
import { startReceiver } from './receiver';
import { startUpstream } from './upstream';
import { addWatcher, logIn } from './watcher';

/** Rounds until caches reach their limits and code is compiled. */
const WARM_UP = 3;
/** Average bytes that an event or a request may leave behind; the smallest object has about 50. */
const MOST_LEFT = 40;
/** Milliseconds before the next round, so that idle connections are closed and delayed writes are done. */
const SETTLED_AFTER = 8000;
const AT_ONCE = 8;
/** The same contacts in every round, because data about contacts is stored. */
const CONTACTS = contactsOf(100);

export const leakHunt: Proof<{ rounds: number; events: number }> = {
  name: 'leak-hunt',
  proves: 'events, sends, refusals, broken connections and visits leave no object, socket or timer behind',
  on: ['SQLite', 'PostgreSQL'],
  sizes: { rounds: 9, events: 2000 },

  async run(stage): Promise<Report> {
    const { rounds, events } = stage.sizes;
    const receiver = await startReceiver(({ attempt }) =>
      attempt === 1 && stage.random() < 0.05 ? 500 : 200,
    );
    const upstream = await startUpstream();
    stage.atEnd(receiver.close);
    stage.atEnd(upstream.close);
    const env = await settingsOf(stage, {
      GATEWAY_UPSTREAM_URL: upstream.url,
      GATEWAY_AUTH_FAILURE_RATE: 'off',
      GATEWAY_TOKEN_RATE: 'off',
    });
    const token = await addLine(env, '--forward-url', `${receiver.url}/hook`);
    await addWatcher(env);
    const gateway = launch(stage, { ...env, NODE_OPTIONS: INSPECTED });
    await gateway.listening;
    const inspector = await inspect(gateway.pid, gateway.said());
    stage.atEnd(inspector.close);
    const cookie = await logIn(urlOf(env));

    const seen: Holdings[] = [];
    const answers = new Map<string, number>();
    let things = 0;
    for (let round = 0; round < rounds; round++) {
      const agent = new Agent({ connections: 64, pipelining: 1 });
      const guest = { agent, url: urlOf(env), token, cookie };
      const producer = produce({
        url: () => guest.url,
        count: events,
        contacts: CONTACTS,
        atOnce: AT_ONCE,
        name: `round-${round}`,
      });
      const told = await Promise.all(
        VISITS.map(({ of, pay }) => inTurn(events / of, (index) => pay(guest, `${round}-${index}`))),
      );
      await producer.done;
      for (const answer of told.flat()) answers.set(answer, (answers.get(answer) ?? 0) + 1);
      if (!(await untilTaken([producer], [receiver], 120_000)))
        return { figures: {}, faults: [`Not all of round ${round + 1} has arrived`] };
      things = events + told.flat().length;
      await agent.close();
      await wait(SETTLED_AFTER);
      const holds = await inspector.holdings();
      seen.push(holds);
      stage.tell(`round ${round + 1}: ${sentence(holds)}`);
    }

    const [before, after] = halves(seen.slice(WARM_UP));
    const apart = things * before.length;
    const left = (of: keyof Holdings) => ((mean(after, of) - mean(before, of)) * 1024 * 1024) / apart;
    const faults: string[] = [];
    for (const of of ['heap', 'buffers'] as const)
      if (left(of) > MOST_LEFT) faults.push(`Each thing leaves ${left(of).toFixed(0)} bytes of ${of} behind`);
    for (const of of ['descriptors', 'timers'] as const)
      if (mean(after, of) > mean(before, of) * 1.2 + 2)
        faults.push(`${of}: ${mean(before, of).toFixed(0)} became ${mean(after, of).toFixed(0)}`);
    for (const needed of NEEDED) if (!answers.has(needed)) faults.push(`Nothing was answered ${needed}`);
    return {
      figures: {
        'things in each round': `${events} events, ${things - events} requests`,
        answers: counted(answers),
        'left behind by each': `${left('heap').toFixed(1)} bytes of heap, ${left('buffers').toFixed(1)} of buffers`,
        'in the beginning': sentence(seen[WARM_UP]),
        'in the end': sentence(seen.at(-1)),
      },
      faults,
    };
  },
};

/** A visitor of the gateway, with its credentials. */
interface Guest {
  agent: Agent;
  url: string;
  token: string;
  cookie: string;
}

/** @param name makes the visit distinguishable */
type Visit = (guest: Guest, name: string) => Promise<string>;

const MESSAGES = `/v22.0/${PHONE_NUMBER_ID}/messages`;
const JSON_BODY = { 'content-type': 'application/json' };

const text = (name: string) =>
  JSON.stringify({ messaging_product: 'whatsapp', to: CONTACTS[0], type: 'text', text: { body: name } });

/** Kinds of visits; each round makes one for every `of` events. */
const VISITS: { of: number; pay: Visit }[] = [
  {
    of: 1,
    pay: (guest, name) => ask(guest, 'POST', MESSAGES, { ...bearer(guest.token), ...JSON_BODY }, text(name)),
  },
  {
    of: 4,
    pay: (guest, name) =>
      ask(
        guest,
        'POST',
        MESSAGES,
        { ...bearer(guest.token), ...JSON_BODY, 'idempotency-key': name },
        text(name),
      ),
  },
  {
    of: 4,
    pay: (guest, name) => ask(guest, 'POST', MESSAGES, { ...bearer(name), ...JSON_BODY }, text(name)),
  },
  {
    of: 4,
    pay: (guest, name) => ask(guest, 'POST', MESSAGES, { ...bearer(guest.token), ...JSON_BODY }, `{"${name}`),
  },
  {
    of: 4,
    pay: (guest, name) =>
      ask(
        guest,
        'POST',
        '/webhooks/platform',
        { ...JSON_BODY, 'x-hub-signature-256': 'sha256=00' },
        text(name),
      ),
  },
  { of: 4, pay: (guest, name) => ask(guest, 'GET', `/nowhere/${name}`) },
  { of: 4, pay: (guest) => ask(guest, 'GET', `/v22.0/${PHONE_NUMBER_ID}/templates`, bearer(guest.token)) },
  { of: 20, pay: (guest) => ask(guest, 'GET', '/panel/messages', { cookie: guest.cookie }) },
  { of: 20, pay: leaveStream },
  { of: 20, pay: breakOff },
];

/** Answers that must occur; a missing one means that something was not tested. */
const NEEDED = ['200', '400', '401', '404', 'left', 'broken off'];

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

/** @returns the status of the answer */
async function ask(
  { agent, url }: Guest,
  method: 'GET' | 'POST',
  path: string,
  headers: Record<string, string> = {},
  body?: string,
): Promise<string> {
  const answer = await agent.request({ origin: url, path, method, headers, body });
  await answer.body.dump();
  return String(answer.statusCode);
}

/** Opens a live page of the panel, and closes the connection after the first part. */
async function leaveStream({ agent, url, cookie }: Guest): Promise<string> {
  const { statusCode, body } = await agent.request({
    origin: url,
    path: '/panel/messages',
    method: 'GET',
    headers: { cookie, accept: 'text/event-stream' },
  });
  for await (const chunk of body) if (String(chunk)) break;
  body.destroy();
  return statusCode === 200 ? 'left' : String(statusCode);
}

/** Sends half of a notification and closes the connection. */
function breakOff({ url }: Guest, name: string): Promise<string> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const socket = connect({ host: hostname, port: Number(port) }, () => {
      const head = `POST /webhooks/platform HTTP/1.1\r\nHost: ${hostname}\r\nContent-Type: application/json`;
      socket.write(`${head}\r\nContent-Length: 100000\r\n\r\n{"${name}`, () => socket.destroy());
    });
    socket.once('error', reject).once('close', () => resolve('broken off'));
  });
}

/** @returns the result of each */
async function inTurn(count: number, one: (index: number) => Promise<string>): Promise<string[]> {
  const came: string[] = [];
  for (let index = 0; index < count; index += AT_ONCE)
    came.push(
      ...(await Promise.all(
        Array.from({ length: Math.min(AT_ONCE, count - index) }, (_nothing, next) => one(index + next)),
      )),
    );
  return came;
}

const halves = (seen: Holdings[]): [Holdings[], Holdings[]] => {
  const half = Math.floor(seen.length / 2);
  return [seen.slice(0, half), seen.slice(-half)];
};

const mean = (seen: Holdings[], of: keyof Holdings): number =>
  seen.reduce((sum, one) => sum + one[of], 0) / seen.length;

const sentence = (holds?: Holdings): string =>
  holds
    ? `${holds.heap.toFixed(1)} MB of heap, ${holds.buffers.toFixed(1)} of buffers, ${holds.descriptors} descriptors, ${holds.timers} timers`
    : '';
