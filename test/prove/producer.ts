import { setTimeout as wait } from 'node:timers/promises';
import { Agent } from 'undici';
import { signatureOf } from '../../gateway/cloud-api/signature';
import { APP_SECRET, notification, PHONE_NUMBER_ID, textFrom } from '../support/test-gateway';

/** What a contact wrote, and what became of its notification. */
export interface Produced {
  wamid: string;
  contact: string;
  /** First posted, in milliseconds on this process's clock. */
  postedAt: number;
  /** Null as long as no POST of it was answered 200. */
  acknowledgedAt: number | null;
  /** How often it was posted. */
  posts: number;
}

export interface Production {
  /** Where upstream posts to; asked for each POST. */
  url: () => string;
  /** How many events; `Infinity` until it is stopped. */
  count: number;
  /** Who write. What one contact writes is posted in its order, each once the one before is acknowledged. */
  contacts: readonly string[];
  /** Notifications posted at once, at most. */
  atOnce: number;
  /** Events of one notification, of one contact after the other; one where it is not given. */
  each?: number;
  /** What each contact writes. */
  text?: string;
  /** Events a second; as fast as they are answered where it is not given. */
  rate?: number;
  /** Whether what was not acknowledged is posted again, as upstream does. */
  repeats?: boolean;
  /** Milliseconds until it is. */
  repeatAfter?: number;
  /** Told apart by this from other productions on the same gateway. */
  name?: string;
  phoneNumberId?: string;
}

/** Upstream: it posts signed notifications, and keeps what was acknowledged. */
export interface Producer {
  /** By wamid, in the order in which they were first posted. */
  events: Map<string, Produced>;
  acknowledged(): Produced[];
  /** How many notifications were answered otherwise, by status, or by the code of an error. */
  refusals: Map<string, number>;
  /** Answers with Retry-After among the refusals. */
  retryAfters: number;
  /** Milliseconds of each answer 200, in the order in which they came; one for each notification. */
  took: number[];
  /** Begins no further event, and gives up those that are not acknowledged. */
  stop(): void;
  /** Once all is posted. */
  done: Promise<void>;
}

export const contactsOf = (count: number, from = 16505550000): string[] =>
  Array.from({ length: count }, (_nothing, index) => String(from + index));

export function produce(production: Production): Producer {
  const { url, count, contacts, atOnce, each = 1, rate, name = 'event' } = production;
  const { text = 'Is my order ready?', repeats = true, repeatAfter = 50 } = production;
  const agent = new Agent({
    connections: atOnce,
    pipelining: 1,
    headersTimeout: 60_000,
    connectTimeout: 5000,
  });
  const events = new Map<string, Produced>();
  const refusals = new Map<string, number>();
  const took: number[] = [];
  const startedAt = performance.now();
  let index = 0;
  let stopped = false;

  const producer: Producer = {
    events,
    acknowledged: () => [...events.values()].filter(({ acknowledgedAt }) => acknowledgedAt !== null),
    refusals,
    retryAfters: 0,
    took,
    stop: () => void (stopped = true),
    done: Promise.all(Array.from({ length: atOnce }, (_nothing, worker) => work(worker)))
      .then(() => agent.close())
      .then(() => undefined),
  };
  return producer;

  /** Each worker has contacts of its own, so that nobody's order is lost. */
  async function work(worker: number): Promise<void> {
    const own = contacts.filter((_contact, position) => position % atOnce === worker);
    for (let turn = 0; own.length && index < count && !stopped;) {
      const first = index;
      const size = Math.min(each, count - first);
      index += size;
      if (rate !== undefined) {
        const early = startedAt + (first * 1000) / rate - performance.now();
        if (early > 0) await wait(early);
        if (stopped) return;
      }
      const begun = Array.from({ length: size }, (_nothing, at) =>
        begin(first + at, own[turn++ % own.length] ?? ''),
      );
      await postUntilAcknowledged(begun);
    }
  }

  function begin(number: number, contact: string): Produced {
    const wamid = `wamid.${name}-${String(number).padStart(7, '0')}`;
    const event: Produced = { wamid, contact, postedAt: performance.now(), acknowledgedAt: null, posts: 0 };
    events.set(wamid, event);
    return event;
  }

  async function postUntilAcknowledged(of: Produced[]): Promise<void> {
    const texts = of.map(({ contact, wamid }) => textFrom(contact, text, wamid));
    const body = JSON.stringify(
      notification(
        {
          contacts: texts.flatMap(({ contacts: senders }) => senders),
          messages: texts.flatMap(({ messages }) => messages),
        },
        production.phoneNumberId ?? PHONE_NUMBER_ID,
      ),
    );
    for (;;) {
      const at = performance.now();
      const answer = await post(body);
      const now = performance.now();
      for (const event of of) {
        event.posts++;
        if (answer === '200') event.acknowledgedAt = now;
      }
      if (answer === '200') {
        took.push(now - at);
        return;
      }
      refusals.set(answer, (refusals.get(answer) ?? 0) + 1);
      if (!repeats || stopped) return;
      await wait(repeatAfter);
    }
  }

  /** @returns the status, or the code of an error */
  async function post(body: string): Promise<string> {
    try {
      const answer = await agent.request({
        origin: url(),
        path: '/webhooks/platform',
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-hub-signature-256': signatureOf(body, APP_SECRET) },
        body,
      });
      if (answer.headers['retry-after'] !== undefined) producer.retryAfters++;
      await answer.body.dump();
      return String(answer.statusCode);
    } catch (error) {
      const { code, message } = error as { code?: string; message: string };
      return code ?? message;
    }
  }
}
