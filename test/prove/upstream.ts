import { createServer } from 'node:http';
import { type AddressInfo } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { Agent } from 'undici';
import { PHONE_NUMBER_ID } from '../support/test-gateway';
import { steadily } from './steadily';

/** Acts as the platform: accepts every message, and counts each text. */
export interface Upstream {
  url: string;
  /** Counts by text. */
  received: Map<string, number>;
  /** Sends distinct texts through a gateway. Repeats a send only if the connection was refused. */
  sendSteadily(url: string | (() => string), token: string, rate: number): Sends;
  close(): Promise<void>;
}

export interface Sends {
  /** Texts that were answered 200. */
  accepted: string[];
  /** Count of each other answer: a status, or the code of an error. */
  refusals: Map<string, number>;
  /** Number of sends repeated after a refused connection. */
  again: number;
  lastAcceptedAt(): number;
  stop(): void;
  done: Promise<void>;
}

/** @param where path of a Unix socket; defaults to any free port on loopback */
export async function startUpstream(where: string | number = 0): Promise<Upstream> {
  const received = new Map<string, number>();
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    response.setHeader('content-type', 'application/json');
    if (request.method !== 'POST') {
      // The gateway adds a line only if its number belongs to the business account.
      const isOfNumbers = request.url?.includes('/phone_numbers') ?? false;
      return response.end(JSON.stringify({ data: isOfNumbers ? [{ id: PHONE_NUMBER_ID }] : [] }));
    }
    const { to, text } = JSON.parse(Buffer.concat(chunks).toString('utf8')) as {
      to: string;
      text: { body: string };
    };
    received.set(text.body, (received.get(text.body) ?? 0) + 1);
    const answer = {
      messaging_product: 'whatsapp',
      contacts: [{ input: to, wa_id: to }],
      messages: [{ id: `wamid.out-${text.body}` }],
    };
    return response.end(JSON.stringify(answer));
  });
  await new Promise<void>((resolve) =>
    typeof where === 'string' ? server.listen(where, resolve) : server.listen(where, '127.0.0.1', resolve),
  );
  const address = server.address() as AddressInfo | string;
  return {
    url: typeof address === 'string' ? address : `http://127.0.0.1:${address.port}`,
    received,
    sendSteadily,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/**
 * The most tries of a simple client that reconnects when a connection is refused, as in a rolling restart.
 */
const TRIES = 100;

function sendSteadily(url: string | (() => string), token: string, rate: number): Sends {
  const agent = new Agent({ connections: 64, pipelining: 1, headersTimeout: 60_000 });
  let stopped = false;
  let last = 0;
  const sends: Sends = {
    accepted: [],
    refusals: new Map(),
    again: 0,
    lastAcceptedAt: () => last,
    stop: () => void (stopped = true),
    done: work(),
  };
  return sends;

  async function work(): Promise<void> {
    await steadily(
      rate,
      () => !stopped,
      (number) => send(`text ${number}`, String(16505550000 + (number % 100))),
    );
    await agent.close();
  }

  async function send(text: string, to: string): Promise<void> {
    for (let turn = 1; ; turn++) {
      const answer = await post(text, to);
      if (answer === '200') {
        sends.accepted.push(text);
        last = performance.now();
        return;
      }
      if (answer === 'ECONNREFUSED' && turn < TRIES) {
        sends.again++;
        await wait(50);
        continue;
      }
      sends.refusals.set(answer, (sends.refusals.get(answer) ?? 0) + 1);
      return;
    }
  }

  async function post(text: string, to: string): Promise<string> {
    try {
      const { statusCode, body } = await agent.request({
        origin: typeof url === 'string' ? url : url(),
        path: `/v22.0/${PHONE_NUMBER_ID}/messages`,
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: JSON.stringify({ messaging_product: 'whatsapp', to, type: 'text', text: { body: text } }),
      });
      await body.dump();
      return String(statusCode);
    } catch (error) {
      const { code, message } = error as { code?: string; message: string };
      return code ?? message;
    }
  }
}
