import { connect, type AddressInfo, type Socket } from 'node:net';
import Fastify, { type FastifyInstance } from 'fastify';
import { endOf, type EndPatience } from '../../gateway/shutdown';
import { turns, until } from '../support/http-peer';

const LONG = 3_600_000;

let app: FastifyInstance;
let end: (isNoticed?: boolean) => Promise<void>;
const sockets: { socket: Socket; answered: string; isClosed: boolean }[] = [];

async function start(given: Partial<EndPatience>): Promise<void> {
  const patience = { anyone: 50, notice: LONG, firstByte: 50, all: LONG, ...given };
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
  await start({});
  const silent = await client('');
  await end();
  await until(() => silent.isClosed);
});

test('a client whose request does not end holds up the end no longer than for everything', async () => {
  await start({ all: 300 });
  const dripping = await client(UNENDED);
  const halfAHeader = await client('GET /slow HT');
  await end();
  await until(() => dripping.isClosed && halfAHeader.isClosed);
});

test('what is on its way is answered, and its connection closed after that', async () => {
  await start({});
  const waiting = await client('GET /slow HTTP/1.1\r\nHost: a\r\n\r\n');
  const arriving = await client(UNENDED);
  await turns(10);
  const ended = end();
  arriving.socket.write('"a": 12}');
  await ended;
  await until(() => waiting.isClosed && arriving.isClosed);
  expect(waiting.answered).toMatch(/^HTTP\/1\.1 200 [^]*done$/);
  expect(arriving.answered).toMatch(/^HTTP\/1\.1 200 [^]*\{"a":12\}$/);
});

describe('where clients get the time to notice', () => {
  const GET = 'GET /slow HTTP/1.1\r\nHost: a\r\n\r\n';
  const answers = ({ answered }: { answered: string }) => answered.split('HTTP/1.1 200').length - 1;

  test('connections that are used stay open, and others are taken, until that time is over', async () => {
    await start({ notice: 4000 });
    const idle = await client(GET);
    await until(() => idle.answered.endsWith('done'));
    let isEnded = false;
    const ended = end(true).then(() => (isEnded = true));
    await turns(10);
    idle.socket.write(GET);
    const late = await client(GET);
    await until(() => answers(idle) === 2 && answers(late) === 1);
    expect([isEnded, idle.isClosed]).toEqual([false, false]);
    await ended;
    await until(() => idle.isClosed && late.isClosed);
  });

  test('one to whom nobody is connected does not wait for that', async () => {
    await start({});
    const gone = await client(GET);
    gone.socket.destroy();
    await until(() => new Promise((resolve) => app.server.getConnections((_, count) => resolve(!count))));
    await end(true);
  });
});
