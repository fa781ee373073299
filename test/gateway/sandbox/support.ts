/** A sandbox with a clock that the test moves, and a receiver of its callbacks; both are closed after each test. */
import { createServer, type IncomingHttpHeaders } from 'node:http';
import { type AddressInfo } from 'node:net';
import { DEMO_LINE, type SandboxLine } from '../../../gateway/sandbox/platform/account';
import { type Sandbox, type SandboxOptions, startSandbox } from '../../../gateway/sandbox/server';

export const TOKEN = 'EAAsandboxToken';
export const APP_SECRET = 'app-secret-of-the-test';
export const VERIFY_TOKEN = 'verify-token-of-the-test';
export const LINE = '109351478203615';
export const WABA = '102748391650274';
export const CONTACT = '12025550147';

/** A line beside the demo's, of the same business account and with the same access token unless said otherwise. */
export const lineWith = (line: Partial<SandboxLine> & Pick<SandboxLine, 'phoneNumberId'>): SandboxLine => ({
  ...DEMO_LINE,
  accessToken: TOKEN,
  ...line,
});

export const HOUR = 60 * 60 * 1000;
const START = Date.parse('2026-03-02T10:00:00Z');

export const silent = { info: () => undefined, warn: () => undefined, error: () => undefined };

/** What a test started. */
const open: { close(): Promise<unknown> }[] = [];
afterEach(() => Promise.all(open.splice(0).map((each) => each.close())));

/** Tests look into bodies at any depth. */
export type Json = ReturnType<typeof JSON.parse>;

export interface Received {
  body: string;
  headers: IncomingHttpHeaders;
  json: Json;
}

export interface Receiver {
  url: string;
  received: Received[];
  /** Answers of the next POSTs, in order; 200 when there is none left. */
  answers: number[];
  /** Waits until that many notifications were accepted, and returns them all. */
  accepted(count: number): Promise<Received[]>;
  close(): Promise<unknown>;
}

/** Knows VERIFY_TOKEN, echoes the challenge, and keeps what it accepts. */
export async function startReceiver(): Promise<Receiver> {
  const received: Received[] = [];
  const answers: number[] = [];
  const waiting: { count: number; resolve: (all: Received[]) => void }[] = [];
  const server = createServer(async (request, response) => {
    const url = new URL(request.url ?? '/', 'http://receiver');
    if (request.method === 'GET') {
      const isKnown = url.searchParams.get('hub.verify_token') === VERIFY_TOKEN;
      response.statusCode = isKnown ? 200 : 403;
      response.end(isKnown ? url.searchParams.get('hub.challenge') : 'no');
      return;
    }
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks).toString();
    response.statusCode = answers.shift() ?? 200;
    response.end();
    if (response.statusCode !== 200) return;
    received.push({ body, headers: request.headers, json: JSON.parse(body) });
    waiting.filter(({ count }) => received.length >= count).forEach(({ resolve }) => resolve(received));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const receiver: Receiver = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/webhooks/platform`,
    received,
    answers,
    accepted: (count) =>
      received.length >= count
        ? Promise.resolve(received)
        : new Promise((resolve) => waiting.push({ count, resolve })),
    close: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(resolve));
    },
  };
  open.push(receiver);
  return receiver;
}

export interface TestSandbox extends Sandbox {
  /** Moves the sandbox's clock. */
  later(milliseconds: number): void;
  call(
    method: 'GET' | 'POST' | 'DELETE',
    path: string,
    body?: unknown,
    headers?: Record<string, string>,
  ): Promise<Answer>;
  /** Sends from LINE to CONTACT unless the body says otherwise. */
  send(body: object): Promise<Answer>;
  /** CONTACT does something. */
  contact(body: unknown): Promise<Answer>;
  /** POSTs to a control route, which must take it. @param path under /sandbox */
  play(path: string, body?: object): Promise<Json>;
}

export interface Answer {
  code: number;
  json: Json;
  headers: Headers;
}

export async function startTestSandbox(options: Partial<SandboxOptions> = {}): Promise<TestSandbox> {
  let time = START;
  const sandbox = await startSandbox({
    host: '127.0.0.1',
    port: 0,
    lines: () => [{ ...DEMO_LINE, accessToken: TOKEN }],
    statusDelays: { sent: 1, delivered: 2, read: 3 },
    callbackWaits: [5, 10],
    now: () => new Date(time),
    log: silent,
    ...options,
  });
  open.push(sandbox);
  const call: TestSandbox['call'] = async (method, path, body, headers = {}) => {
    const text = body === undefined || typeof body === 'string' ? body : JSON.stringify(body);
    const answer = await fetch(sandbox.url + path, {
      method,
      body: text,
      headers: { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json', ...headers },
    });
    return { code: answer.status, json: await answer.json(), headers: answer.headers };
  };
  return {
    ...sandbox,
    call,
    later: (milliseconds) => {
      time += milliseconds;
    },
    send: (body) =>
      call('POST', `/v22.0/${LINE}/messages`, { messaging_product: 'whatsapp', to: CONTACT, ...body }),
    contact: (body) => call('POST', `/sandbox/contacts/${CONTACT}/messages`, body),
    play: async (path, body) => {
      const { code, json } = await call('POST', `/sandbox/${path}`, body);
      expect([code, json]).toEqual([200, json]);
      return json;
    },
  };
}

export const callbackTo = (receiver: Receiver) => ({
  url: receiver.url,
  appSecret: APP_SECRET,
  verifyToken: VERIFY_TOKEN,
});

/** A sandbox, and who receives its callbacks. */
export async function startObserved(
  options: Partial<SandboxOptions> = {},
): Promise<{ receiver: Receiver; sandbox: TestSandbox }> {
  const receiver = await startReceiver();
  return { receiver, sandbox: await startTestSandbox({ callback: callbackTo(receiver), ...options }) };
}

export const text = (body: string) => ({ type: 'text', text: { body } });

export const buttons = (...titles: string[]) => ({
  type: 'interactive',
  interactive: {
    type: 'button',
    body: { text: 'Choose' },
    action: {
      buttons: titles.map((title) => ({ type: 'reply', reply: { id: `id-${title.toLowerCase()}`, title } })),
    },
  },
});

export const list = (rows: { id: string; title: string; description?: string }[]) => ({
  type: 'interactive',
  interactive: {
    type: 'list',
    body: { text: 'Choose' },
    action: { button: 'Open', sections: [{ rows }] },
  },
});

export const template = (name: string, components: object[] = [], language = 'en_US') => ({
  type: 'template',
  template: { name, language: { code: language }, components },
});

export const bodyOf = (...values: string[]) => ({
  type: 'body',
  parameters: values.map((value) => ({ type: 'text', text: value })),
});

/** What a notification tells: the value of its first change. */
export const valueOf = (received: Received): Json => received.json.entry[0].changes[0].value;

/** The inner object of a notification: the contact's message, or the status. */
export const inside = (received: Received) => {
  const value = received.json.entry[0].changes[0].value;
  return value.messages?.[0] ?? value.statuses?.[0];
};
