import { setTimeout as wait } from 'node:timers/promises';
import { Agent } from 'undici';
import { until } from '../support/http-peer';
import { PHONE_NUMBER_ID } from '../support/test-gateway';
import { counted, MOST_REPEATED, seconds, settle } from './account';
import { addDestination, addLine, launch, settingsOf, urlOf } from './gateway';
import { contactsOf, produce } from './producer';
import { type Proof } from './proof';
import { startReceiver, type Arrival } from './receiver';
import { startUpstream } from './upstream';

const AT_ONCE = 16;
/** How long to wait for all answers in milliseconds; a busy machine takes minutes. */
const WITHIN = 15 * 60_000;
/** The number of questions looked up, because reads count against the rate of changes. */
const LOOKED_UP = 10;

export const questions: Proof<{ questions: number; kills: number }> = {
  name: 'questions',
  proves:
    'kill -9 while contacts are asked and while they answer loses no question and no answer, asks nobody twice and repeats only answers in flight; questions cost no registration and no change',
  on: ['SQLite', 'PostgreSQL'],
  sizes: { questions: 10_000, kills: 10 },

  async run(stage) {
    const { sizes, random } = stage;
    const [upstream, callback, receiver] = await Promise.all([
      startUpstream(),
      startReceiver(),
      startReceiver(),
    ]);
    for (const { close } of [upstream, callback, receiver]) stage.atEnd(close);
    const settings = await settingsOf(stage, {
      GATEWAY_ALLOW_FOR_TOKENS: 'on',
      // If questions counted as changes, the token could ask only two.
      GATEWAY_TOKEN_RATE: '1',
    });
    // Added before the platform is configured, which would check the account.
    const token = await addLine(settings, '--forward-url', `${receiver.url}/hook`, '--window', 'upstream');
    const env = { ...settings, GATEWAY_UPSTREAM_URL: upstream.url };
    let gateway = launch(stage, env);
    await gateway.listening;
    /** Kills and restarts the gateway while a counter advances to `of`. */
    async function killWhile(advanced: () => number, of: number): Promise<void> {
      for (let killed = 0; killed < sizes.kills; killed++) {
        const at = ((killed + random()) / sizes.kills) * of;
        await until(() => advanced() >= at, WITHIN);
        await gateway.end('SIGKILL');
        gateway = launch(stage, env);
        await gateway.listening;
      }
      stage.tell(`${sizes.kills} kills, ${advanced()} of ${of}`);
    }

    const agent = new Agent({ connections: AT_ONCE, pipelining: 1, headersTimeout: 60_000 });
    stage.atEnd(() => agent.close());
    const refusals = new Map<string, number>();
    /** @returns the status, or the code of an error */
    async function request(method: 'GET' | 'POST', path: string, body?: object) {
      try {
        const answer = await agent.request({
          origin: urlOf(env),
          path: `/v22.0/${PHONE_NUMBER_ID}${path}`,
          method,
          headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
          ...(body && { body: JSON.stringify(body) }),
        });
        const told = (await answer.body.json()) as Record<string, unknown>;
        return { came: String(answer.statusCode), told };
      } catch (error) {
        const { code, message } = error as { code?: string; message: string };
        return { came: code ?? message, told: {} };
      }
    }

    /** The question's ID for each contact; null if a kill left it unknown. */
    const asked = new Map<string, string | null>();
    async function ask(contact: string): Promise<void> {
      for (;;) {
        const { came, told } = await request('POST', '/questions', {
          contact,
          message: { type: 'text', text: { body: contact } },
          accepts: ['text'],
          expires_in: 24 * 3600,
          callback_url: `${callback.url}/answers/${contact}`,
          key: contact,
        });
        if (came === '201') return void asked.set(contact, String(told.id));
        refusals.set(came, (refusals.get(came) ?? 0) + 1);
        // The same key is in progress, or its outcome is unknown.
        if (came === '409' || came === '504') return void asked.set(contact, null);
        await wait(50);
      }
    }

    const begun = performance.now();
    const toAsk = contactsOf(sizes.questions);
    const asking = Promise.all(
      Array.from({ length: AT_ONCE }, async () => {
        for (let contact = toAsk.pop(); contact !== undefined; contact = toAsk.pop()) await ask(contact);
      }),
    );
    await killWhile(() => asked.size, sizes.questions);
    await asking;
    const allAskedAt = performance.now();

    const contacts = [...asked].flatMap(([contact, id]) => (id === null ? [] : [contact]));
    const producer = produce({
      url: () => urlOf(env),
      // Some contacts write more than once; later messages go to the line's destination.
      count: Infinity,
      contacts,
      atOnce: AT_ONCE,
    });
    stage.atEnd(producer.stop);
    const answered = () => new Set(producer.acknowledged().map(({ contact }) => contact)).size;
    await killWhile(answered, contacts.length);
    await until(() => answered() === contacts.length, WITHIN);
    producer.stop();
    await producer.done;

    const seen = new Set<string>();
    const [answers, others]: [Set<string>, Set<string>] = [new Set(), new Set()];
    for (const { wamid, contact } of producer.events.values()) {
      (seen.has(contact) ? others : answers).add(wamid);
      seen.add(contact);
    }
    const missing = () => {
      const isMissing = (taken: Set<string>) => (wamid: string) => !taken.has(wamid);
      const acknowledged = new Set(producer.acknowledged().map(({ wamid }) => wamid));
      return {
        answers: [...answers].filter(isMissing(callback.taken)),
        others: [...others].filter((wamid) => acknowledged.has(wamid)).filter(isMissing(receiver.taken)),
      };
    };
    await until(() => Object.values(missing()).every(({ length }) => !length), WITHIN).catch(() => undefined);
    const allTakenAt = performance.now();

    const faults: string[] = [];
    const expectNone = (what: string, of: readonly string[]) => {
      if (of.length) faults.push(`${of.length} ${what}, such as ${of.slice(0, 3).join(', ')}`);
    };
    const lost = missing();
    expectNone('answers are lost', lost.answers);
    expectNone('other messages are lost', lost.others);
    const wamidsOf = (arrivals: Arrival[], of: Set<string>) =>
      arrivals.map(({ wamid }) => wamid).filter((wamid) => !of.has(wamid));
    expectNone('messages that answer nothing went to a callback URL', wamidsOf(callback.arrivals, answers));
    expectNone('answers went to the destination', wamidsOf(receiver.arrivals, others));
    expectNone(
      'contacts were asked twice',
      [...asked.keys()].filter((contact) => (upstream.received.get(contact) ?? 0) > 1),
    );
    expectNone(
      'contacts were not asked',
      contacts.filter((contact) => !upstream.received.has(contact)),
    );
    const { repeated } = settle([producer], callback.arrivals);
    if (repeated.length > sizes.kills * MOST_REPEATED)
      faults.push(`${repeated.length} answers were repeated, of ${sizes.kills} kills`);
    const unknown = sizes.questions - contacts.length;
    if (unknown > sizes.kills * AT_ONCE)
      faults.push(`Of ${unknown} questions nobody knows whether they were asked`);
    for (const contact of contacts.slice(0, LOOKED_UP)) {
      const { told } = await request('GET', `/questions/${asked.get(contact)}`);
      if (told.state !== 'answered') faults.push(`A question is ${JSON.stringify(told)}`);
    }
    const { told } = await request('GET', '/destinations');
    const registered = (told.data ?? []) as { origin: string }[];
    if (registered.length !== 1) faults.push(`The line has these destinations: ${JSON.stringify(told)}`);
    // Asking questions used none of the token's changes.
    await addDestination(env, token, `${receiver.url}/another`).catch((error: unknown) =>
      faults.push(`A destination is refused: ${String(error)}`),
    );
    await gateway.end();
    return {
      figures: {
        'questions asked': contacts.length,
        'broken off by a kill, so that nobody knows': unknown,
        'kill -9': 2 * sizes.kills,
        'refused or cut while asking': counted(refusals),
        answers: answers.size,
        'lost questions and answers': lost.answers.length,
        'other messages of these contacts': others.size,
        'answers repeated': `${repeated.length} (${MOST_REPEATED} allowed after each kill)`,
        'begin → all asked': seconds(allAskedAt - begun),
        'all asked → all answers delivered': seconds(allTakenAt - allAskedAt),
      },
      faults,
    };
  },
};
