import { connect, type AddressInfo, type Socket } from 'node:net';
import Fastify, { type FastifyInstance } from 'fastify';
import { endOf, type EndPatience } from '../../../gateway/cli/end-server';
import { until } from '../../support/http-peer';

const LONG = 3_600_000;

let app: FastifyInstance;
let end: () => Promise<void>;
const sockets: { socket: Socket; answered: string; isClosed: boolean }[] = [];

async function start(patience: EndPatience): Promise<void> {
  app = Fastify();
  app.post('/echo', async ({ body }) => body);
  app.get('/slow', async () => {
    await new Promise((resolve) => setTimeout(resolve, 300));
    return 'done';
  });
  end = endOf(app, patience);
  await app.listen({ host: '127.0.0.1', port: 0 });
}
afterEach(async () => {
  sockets.splice(0).forEach(({ socket }) => socket.destroy());
  await app.close();
});

/** Connects, and sends this. */
async function client(bytes: string) {
  const { port } = app.server.address() as AddressInfo;
  const one = { socket: connect({ host: '127.0.0.1', port }), answered: '', isClosed: false };
  one.socket.on('error', () => undefined);
  one.socket.on('data', (chunk) => (one.answered += chunk.toString()));
  one.socket.on('close', () => (one.isClosed = true));
  sockets.push(one);
  await new Promise((resolve) => one.socket.once('connect', resolve));
  if (bytes) one.socket.write(bytes);
  return one;
}

const UNENDED =
  'POST /echo HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{';

test('a client that only connects does not hold up the end', async () => {
  await start({ firstByte: 50, all: LONG });
  const silent = await client('');
  await end();
  await until(() => silent.isClosed);
});

test('a client whose request does not end holds up the end no longer than for everything', async () => {
  await start({ firstByte: 50, all: 300 });
  const dripping = await client(UNENDED);
  const halfAHeader = await client('GET /slow HT');
  await end();
  await until(() => dripping.isClosed && halfAHeader.isClosed);
});

test('what is on its way is answered, and its connection closed after that', async () => {
  await start({ firstByte: 50, all: LONG });
  const waiting = await client('GET /slow HTTP/1.1\r\nHost: a\r\n\r\n');
  const arriving = await client(UNENDED);
  await new Promise((resolve) => setTimeout(resolve, 50));
  const ended = end();
  arriving.socket.write('"a": 12}');
  await ended;
  await until(() => waiting.isClosed && arriving.isClosed);
  expect(waiting.answered).toMatch(/^HTTP\/1\.1 200 [^]*done$/);
  expect(arriving.answered).toMatch(/^HTTP\/1\.1 200 [^]*\{"a":12\}$/);
});
