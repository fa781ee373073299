import { once } from 'node:events';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { type FastifyInstance } from 'fastify';
import pino from 'pino';
import { tokenFailures } from '../../gateway/api/access/token-failures';
import { tokenRates } from '../../gateway/api/access/token-rates';
import { LINE_TOKENS } from '../../gateway/lines/line-token';
import { rateLimitsInMemory } from '../../gateway/primitives/rate-limit';
import { SCOPES } from '../../gateway/store/schema';
import { ALL_ROLES } from '../../gateway/process-roles';
import { createServer, type Services } from '../../gateway/server';
import { exchange } from '../support/raw-http';

const line = { id: 1, isActive: true, apiEnabled: true };
const { token } = LINE_TOKENS.create();

/** A server whose answers come before a store, an upstream or a destination is asked. */
const services = {
  log: pino({ level: 'silent' }),
  publicUrl: null,
  roles: ALL_ROLES,
  metrics: { answered: () => undefined, suspected: () => undefined },
  pressure: { cause: () => null },
  isServing: () => true,
  clock: Date.now,
  lines: { byTid: () => line, openedBy: () => ({ line, token: { id: 1, scopes: SCOPES } }) },
  markUsed: () => undefined,
  tokenFailures: tokenFailures(
    20,
    rateLimitsInMemory(() => 0),
  ),
  tokenRates: tokenRates('line', null, rateLimitsInMemory(Date.now)),
  callback: { appSecret: 'app-secret', verifyToken: 'verify-token' },
} as unknown as Services;

let app: FastifyInstance;
let url: string;

async function start(patience: { body: number; rest: number }): Promise<void> {
  app = createServer(services, patience);
  await app.listen({ host: '127.0.0.1', port: 0 });
  url = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`;
}
afterEach(() => app.close());

const request = (method: string, path: string, ...headers: string[]): string =>
  [`${method} ${path} HTTP/1.1`, 'Host: a', ...headers, '', ''].join('\r\n');
const unended = (path: string, ...headers: string[]): string =>
  `${request('POST', path, 'Content-Type: application/json', 'Content-Length: 9', ...headers)}{`;

const LONG = 3_600_000;

describe('a body that does not end', () => {
  test.each([
    ['of a notification', '/webhooks/platform'],
    ['of a request to the API', '/v22.0/1/destinations'],
  ])('is given up with an answer: %s', async (_which, path) => {
    await start({ body: 100, rest: LONG });
    const answers = await exchange(url, unended(path, `Authorization: Bearer ${token}`));
    expect(answers.map(({ status }) => status)).toEqual([400]);
    expect(answers[0]?.body).toContain('The request took too long to arrive. Send it again.');
  });

  test.each([
    ['an unknown path', '/nothing', 404],
    ['a request without a token', '/v22.0/1/messages', 401],
    ['a method that a path does not have', '/v22.0/1/status', 405],
  ])('is cut off soon after its answer: %s', async (_which, path, status) => {
    await start({ body: LONG, rest: 100 });
    expect((await exchange(url, unended(path))).map((answer) => answer.status)).toEqual([status]);
  });
});

test.each([
  ['hang', 4000],
  ['have gone', LONG],
])(
  'a body that was refused is passed over once it is its turn, however many before it %s',
  async (how, rest) => {
    await start({ body: LONG, rest });
    const { hostname, port } = new URL(url);
    const post = (length: number) => {
      const socket = connect({ host: hostname, port: Number(port) });
      const head = request('POST', '/nothing', `Content-Length: ${length}`);
      socket.on('error', () => undefined).write(head);
      return socket;
    };
    const answered = (socket: Socket) => once(socket, 'data');
    // One more than are passed over at once.
    const before = Array.from({ length: 5 }, () => post(9));
    await Promise.all(before.map(answered));
    if (how === 'have gone') before.forEach((socket) => socket.destroy());
    // More than there is room for on the way.
    const size = 32 * 1024 * 1024;
    const large = post(size);
    await answered(large);
    const sent = new Promise<string>((resolve) => {
      large.once('error', ({ message }) => resolve(message));
      large.once('close', () => resolve('cut off'));
      large.write(Buffer.alloc(size), (error) => resolve(error?.message ?? 'all was sent'));
    });
    expect(await sent).toBe('all was sent');
    [large, ...before].forEach((socket) => socket.destroy());
  },
);

test('a connection that is used again is not given up with the request before', async () => {
  await start({ body: 50, rest: 50 });
  const get = request('GET', '/webhooks/platform');
  const post = `${request('POST', '/webhooks/platform', 'Content-Length: 2')}{}`;
  const { hostname, port } = new URL(url);
  const answered = await new Promise<string>((resolve, reject) => {
    let received = '';
    const socket = connect({ host: hostname, port: Number(port) }, () => socket.write(get + post));
    // Well after both have been waited for.
    setTimeout(() => socket.write(request('GET', '/webhooks/platform', 'Connection: close')), 300);
    socket.on('data', (chunk) => (received += chunk.toString()));
    socket.on('error', reject);
    socket.on('end', () => resolve(received));
  });
  expect(answered.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 403', 'HTTP/1.1 401', 'HTTP/1.1 403']);
});
