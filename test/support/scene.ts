import { type ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { addLine } from './add-line';
import { type Offline } from '../../gateway/cli/offline';
import { readConfig } from '../../gateway/config';
import { destinationRules } from '../../gateway/http/destination-address';
import { type NewLine } from '../../gateway/lines/add-line';
import { type TokenValues } from '../../gateway/lines/token-input';
import { addToken } from '../../gateway/lines/tokens';
import { openStore } from '../../gateway/store/store';
import { type LineRow } from '../../gateway/store/tables/lines';
import { createVault } from '../../gateway/store/vault';
import { HOUR } from '../../gateway/time';
import { DATABASES } from './databases';
import { expectDescribed } from './described';
import { startPeer, type Answer, type HttpPeer, type Received } from './http-peer';
import { notification, notify, settings, startTestGateway, textFrom, type TestGateway } from './test-gateway';

/** A contact whose window with a line is open after `wrote`. */
export const CONTACT = '16505551234';

type Answering = (
  request: Received,
  response: ServerResponse,
) => Answer | 'handled' | Promise<Answer | 'handled'>;

/** A server that acts as the platform. Tests can change its answers at any time. */
export interface Upstream extends HttpPeer {
  answers: { messages: Answering; templates: Answering; phoneNumbers: Answering; phoneNumber: Answering };
  /** Requests of one kind received for a phone number or business account. */
  asked(kind: keyof Upstream['answers'], id: string): Received[];
}

const accepted: Answering = ({ body }) => {
  const { to, status } = JSON.parse(body) as { to?: string; status?: string };
  if (status === 'read') return { body: { success: true } };
  return {
    body: {
      messaging_product: 'whatsapp',
      contacts: [{ input: to, wa_id: to }],
      messages: [{ id: `wamid.${to}` }],
    },
  };
};

const KINDS = {
  messages: /^\/v22\.0\/([^/]+)\/messages$/,
  templates: /^\/v22\.0\/([^/]+)\/message_templates/,
  phoneNumbers: /^\/v22\.0\/([^/]+)\/phone_numbers/,
  phoneNumber: /^\/v22\.0\/([^/?]+)\?fields=/,
};

export const phoneNumberNode = (more: object = {}): Answer => ({
  body: {
    id: '1',
    status: 'CONNECTED',
    quality_rating: 'GREEN',
    verified_name: 'Lucky Shrub',
    name_status: 'APPROVED',
    ...more,
  },
});

export async function startUpstream(): Promise<Upstream> {
  const answers: Upstream['answers'] = {
    messages: accepted,
    templates: () => ({ body: { data: [] } }),
    // The platform's answer to a token that may not list phone numbers.
    phoneNumbers: () => upstreamError(403, 200),
    phoneNumber: () => phoneNumberNode(),
  };
  const peer = await startPeer((request, response) => {
    const kind = (Object.keys(KINDS) as (keyof typeof KINDS)[]).find((one) => KINDS[one].test(request.url));
    if (!kind)
      return {
        status: 404,
        body: { error: { message: 'Unknown path', type: 'OAuthException', code: 2500 } },
      };
    return answers[kind](request, response);
  });
  return {
    ...peer,
    answers,
    asked: (kind, id) => peer.received.filter(({ url }) => KINDS[kind].exec(url)?.[1] === id),
  };
}

/** An error in the platform's format. */
export const upstreamError = (status: number, code: number, more: object = {}): Answer => ({
  status,
  body: { error: { message: `(#${code}) As upstream says it`, type: 'OAuthException', code, ...more } },
});

/** Any JSON, untyped so that tests can read nested values. */
export type Json = ReturnType<typeof JSON.parse>;

export interface Reply {
  status: number;
  headers: Headers;
  text: string;
  /** Null if it is not JSON. */
  body: Json;
}

/** Calls the gateway, and checks the answer against the OpenAPI document. */
export async function call(url: string, init: RequestInit = {}): Promise<Reply> {
  const answer = await fetch(url, init);
  const text = await answer.text();
  const { status, headers } = answer;
  const sent = typeof init.body === 'string' ? init.body : undefined;
  expectDescribed({ method: init.method ?? 'GET', url, sent, status, headers, text });
  const isJson = answer.headers.get('content-type')?.startsWith('application/json');
  return {
    status: answer.status,
    headers: answer.headers,
    text,
    body: isJson && text ? JSON.parse(text) : null,
  };
}

/** Retries like a client while a busy machine delays the database. */
export async function inTheEnd(ask: () => Promise<Reply>): Promise<Reply> {
  for (;;) {
    const reply = await ask();
    if (reply.status !== 503) return reply;
    await sleep(100);
  }
}

/** Removes the gateway's addition to the platform's error, `error_data.action`. */
export const withoutAction = (text: string): string =>
  text.replace(/,"error_data":\{"action":"(?:[^"\\]|\\.)*"\}|,"action":"(?:[^"\\]|\\.)*"/, '');

/**
 * Expects an error in the API's format.
 * @returns the advice to the customer
 */
export function expectRefusal(reply: Reply, status: number, errorCode: string, code: number): string {
  // Includes the text, so that a failure shows the actual answer.
  expect([reply.status, reply.text]).toEqual([status, reply.text]);
  expect(reply.headers.get('content-type')).toBe('application/json; charset=utf-8');
  expect(reply.body).toMatchObject({
    success: false,
    error_code: errorCode,
    error: { message: expect.any(String), type: expect.any(String), code },
    request_id: expect.any(String),
  });
  expect(reply.body).not.toHaveProperty('messages');
  return reply.body.error.error_data?.details;
}

const BEARER = (token: string) => ({ authorization: `Bearer ${token}` });
const JSON_TYPE = { 'content-type': 'application/json' };

/** A line of the tested gateway, and its token. */
export interface TestLine {
  id: number;
  phoneNumberId: string;
  token: string;
  /** Sends JSON; text and bytes are sent unchanged. */
  send(body: object | string | Uint8Array<ArrayBuffer>, headers?: Record<string, string>): Promise<Reply>;
  get(path: string): Promise<Reply>;
  /** Lets a contact write to the line. */
  wrote(contact: string, hoursAgo: number): Promise<void>;
  edit(change: Partial<Omit<LineRow, 'id' | 'customer_suspended_at'>>): Promise<void>;
  /** Changes the platform's rating of the line, and lets the gateway read it. */
  rated(rating: string): Promise<void>;
  /** Messages that the platform received for this line. */
  sent(): string[];
}

/** A gateway with a server that acts as the platform, and a clock that the test controls. */
export interface Scene {
  gateway: TestGateway;
  upstream: Upstream;
  databaseUrl: string;
  clock: { now: number };
  /** Adds a line with its own phone number ID and business account. */
  line(more?: Partial<NewLine>): Promise<TestLine>;
  /**
   * Adds a token to a line.
   * @param expiresAt ISO time
   */
  token(lineId: number, expiresAt: string | null, more?: Partial<TokenValues>): Promise<string>;
  /** Changes the database like a command, and waits until the gateway has read the change. */
  change<T>(work: (world: Offline) => Promise<T>): Promise<T>;
  stop(): Promise<void>;
}

export async function startScene(databaseUrl: string, env: Record<string, string> = {}): Promise<Scene> {
  const upstream = await startUpstream();
  const clock = { now: Date.parse('2026-03-10T12:00:00.000Z') };
  const gateway = await startTestGateway(
    settings(databaseUrl, { GATEWAY_UPSTREAM_URL: upstream.url, ...env }),
    () => clock.now,
  );
  // The dependencies of commands, kept open because a scene adds many lines.
  const world: Offline = {
    store: await openStore(databaseUrl),
    vault: createVault(gateway.env.GATEWAY_SECRET_KEY ?? ''),
    rules: destinationRules(readConfig(gateway.env).GATEWAY_ALLOW_DESTINATIONS),
    registry: { refresh: async () => {} },
    clock: () => clock.now,
  };
  let lines = 0;
  let wamids = 0;

  async function change<T>(work: (world: Offline) => Promise<T>): Promise<T> {
    const done = await work(world);
    await gateway.refresh();
    return done;
  }

  async function line(more: Partial<NewLine> = {}): Promise<TestLine> {
    const number = ++lines;
    const phoneNumberId = more.phoneNumberId ?? `1065403522429${String(number).padStart(2, '0')}`;
    const wabaId = `1022901293403${String(number).padStart(2, '0')}`;
    const { row, token } = await change(() =>
      addLine(world, {
        name: 'Test line',
        phoneNumberId,
        phoneNumber: '15550783881',
        wabaId,
        accessToken: 'upstream-access-token',
        appSecret: 'app-secret-of-this-line',
        windowMode: 'text',
        ...more,
      }),
    );
    const { id } = row;
    const address = `${gateway.url}/v22.0/${phoneNumberId}`;
    return {
      id,
      phoneNumberId,
      token,
      send: (body, headers = JSON_TYPE) =>
        call(`${address}/messages`, {
          method: 'POST',
          headers: { ...BEARER(token), ...headers },
          body: typeof body === 'string' || body instanceof Uint8Array ? body : JSON.stringify(body),
        }),
      get: (path) => call(`${address}${path}`, { headers: BEARER(token) }),
      async wrote(contact, hoursAgo) {
        const at = Math.floor((clock.now - hoursAgo * HOUR) / 1000);
        const written = textFrom(contact, 'Hello', `wamid.in.${++wamids}`, at);
        expect(await notify(gateway, notification(written, phoneNumberId))).toBe(200);
      },
      edit: (changed) => change(({ store }) => store.lines.update(id, changed)),
      async rated(rating) {
        const before = upstream.answers.phoneNumber;
        upstream.answers.phoneNumber = () => phoneNumberNode({ quality_rating: rating });
        const { body } = await call(`${address}/status?refresh=1`, { headers: BEARER(token) });
        expect(body.platform.refresh).toEqual({ requested: true, performed: true });
        upstream.answers.phoneNumber = before;
      },
      sent: () => upstream.asked('messages', phoneNumberId).map(({ body }) => body),
    };
  }

  return {
    gateway,
    upstream,
    databaseUrl,
    clock,
    line,
    token: async (lineId, expiresAt, more) =>
      (await change(() => addToken(world, lineId, { expiresAt, ...more }))).token,
    change,
    async stop() {
      await world.store.close();
      await gateway.stop();
      await upstream.close();
    },
  };
}

export const sqliteUrl = async (): Promise<string> => (await DATABASES[0]?.createUrl()) ?? '';

/** Starts a scene for all tests of the enclosing block, and stops it afterwards. */
export function sceneOf(createUrl = sqliteUrl, env: Record<string, string> = {}): Scene {
  const scene = {} as Scene;
  beforeAll(async () => void Object.assign(scene, await startScene(await createUrl(), env)));
  afterAll(() => scene.stop());
  return scene;
}

/** Adds a line for all tests of the enclosing block. */
export function lineOf(scene: Scene, more: Partial<NewLine> = {}): TestLine {
  const line = {} as TestLine;
  beforeAll(async () => void Object.assign(line, await scene.line(more)));
  return line;
}

/** Adds a new line for each test of the enclosing block. */
export function freshLineOf(scene: Scene, more: Partial<NewLine> = {}): TestLine {
  const line = {} as TestLine;
  beforeEach(async () => void Object.assign(line, await scene.line(more)));
  return line;
}

export const textTo = (to: string, body = 'Hello'): object => ({
  messaging_product: 'whatsapp',
  to,
  type: 'text',
  text: { body },
});

/** A message that needs no window and no template; only body, token and quality are checked. */
export const imageTo = (to: string): object => ({
  messaging_product: 'whatsapp',
  to,
  type: 'image',
  image: { id: '2762702990552401' },
});

/** Like `imageTo`, with a link: the sandbox knows only files that were uploaded to it. */
export const linkedImageTo = (to: string): object => ({
  messaging_product: 'whatsapp',
  to,
  type: 'image',
  image: { link: 'https://example.com/picture.png' },
});
