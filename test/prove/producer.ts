import { setTimeout as wait } from 'node:timers/promises';
import { Agent } from 'undici';
import { signatureOf } from '../../gateway/cloud-api/signature';
import { APP_SECRET, notification, PHONE_NUMBER_ID, textFrom } from '../support/test-gateway';

/** A contact's message, and the result of its notification. */
export interface Produced {
  wamid: string;
  contact: string;
  /** Time of the first post, in milliseconds on this process's clock. */
  postedAt: number;
  /** Time of the first 200; null if there was none. */
  acknowledgedAt: number | null;
  /** Number of posts. */
  posts: number;
}

export interface Production {
  /** Returns the URL for each post. */
  url: () => string;
  /** Number of events; `Infinity` until `stop`. */
  count: number;
  /**
   * The writing contacts. Events of one contact are posted in order, each after the previous one was
   * acknowledged.
   */
  contacts: readonly string[];
  /** The most notifications posted at once. */
  atOnce: number;
  /** Events per notification, from one contact after the other; default 1. */
  each?: number;
  /** The text of each message. */
  text?: string;
  /** Events per second; default: as fast as they are answered. */
  rate?: number;
  /** Whether events without acknowledgement are posted again, like the platform does. */
  repeats?: boolean;
  /** Milliseconds until the next post. */
  repeatAfter?: number;
  /** Distinguishes this production from others on the same gateway. */
  name?: string;
  phoneNumberId?: string;
}

/** Acts as the platform: posts signed notifications and records the acknowledgements. */
export interface Producer {
  /** Events by message ID, in order of their first post. */
  events: Map<string, Produced>;
  acknowledged(): Produced[];
  /** Count of each other answer: a status, or the code of an error. */
  refusals: Map<string, number>;
  /** Refusals with a Retry-After header. */
  retryAfters: number;
  /** Milliseconds of each 200, in order of arrival; one per notification. */
  took: number[];
  /** Posts no new events, and stops repeating. */
  stop(): void;
  /** Resolves once everything is posted. */
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

  /** Each worker has its own contacts, which preserves their order. */
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
        headers: {
          'content-type': 'application/json',
          'x-hub-signature-256': signatureOf(Buffer.from(body), APP_SECRET),
        },
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
