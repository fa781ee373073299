import { setTimeout as wait } from 'node:timers/promises';
import { Agent } from 'undici';
import { PHONE_NUMBER_ID } from '../support/test-gateway';
import { steadily } from './steadily';
import { type Upstream } from './upstream';

/** A customer who repeats each send under its Idempotency-Key until its outcome is final. */
export interface KeyedSends {
  /** The answer to each accepted send, by its text, which is also its key. */
  accepted: Map<string, string>;
  /** Count of each other answer: a status, or the code of an error. */
  refusals: Map<string, number>;
  stop(): void;
  done: Promise<void>;
  /**
   * Repeats each accepted send once more.
   * @param unrecorded keys of sends that the gateway could not record, whose outcome may be unknown
   * @returns one sentence per broken promise
   */
  check(upstream: Upstream, unrecorded: ReadonlySet<string>): Promise<string[]>;
}

/** The send was not made, or its outcome may still become known. */
const IS_REPEATED = /^(409|429|503|[A-Z_]+)$/;
const REPEATED_AFTER = 200;

/** @param rate sends per second */
export function sendWithKeys(url: () => string, token: string, rate: number): KeyedSends {
  const agent = new Agent({ connections: 64, pipelining: 1, headersTimeout: 30_000 });
  let stopped = false;
  const sends: KeyedSends = {
    accepted: new Map(),
    refusals: new Map(),
    stop: () => void (stopped = true),
    done: steadily(
      rate,
      () => !stopped,
      (number) => send(`keyed ${number}`),
    ),
    check,
  };
  return sends;

  async function send(key: string): Promise<void> {
    for (;;) {
      const { status, text } = await post(key);
      if (status === '200') return void sends.accepted.set(key, text);
      sends.refusals.set(status, (sends.refusals.get(status) ?? 0) + 1);
      if (!IS_REPEATED.test(status)) return;
      await wait(REPEATED_AFTER);
    }
  }

  async function check(upstream: Upstream, unrecorded: ReadonlySet<string>): Promise<string[]> {
    const changed: string[] = [];
    for (const [key, text] of sends.accepted) {
      const again = await post(key);
      if (unrecorded.has(key)) continue;
      if (again.status !== '200' || again.text !== text) changed.push(`${key}: ${again.status}`);
    }
    await agent.close();
    const twice = [...upstream.received].filter(([, count]) => count > 1);
    return [
      ...(changed.length ? [`${changed.length} accepted sends are answered otherwise: ${changed[0]}`] : []),
      ...(twice.length ? [`${twice.length} messages were sent twice, such as ${twice[0]?.[0]}`] : []),
    ];
  }

  /** @returns the status, or the code of an error */
  async function post(key: string): Promise<{ status: string; text: string }> {
    try {
      const { statusCode, body } = await agent.request({
        origin: url(),
        path: `/v22.0/${PHONE_NUMBER_ID}/messages`,
        method: 'POST',
        headers: {
          authorization: `Bearer ${token}`,
          'content-type': 'application/json',
          'idempotency-key': key,
        },
        body: JSON.stringify({
          messaging_product: 'whatsapp',
          to: '16505550000',
          type: 'text',
          text: { body: key },
        }),
      });
      return { status: String(statusCode), text: await body.text() };
    } catch (error) {
      return { status: (error as { code?: string }).code ?? 'UNKNOWN', text: '' };
    }
  }
}
