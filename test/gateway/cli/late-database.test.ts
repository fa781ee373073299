import { spawn } from 'node:child_process';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { logLines, MAIN, runCommand } from '../../support/gateway-process';
import { until } from '../../support/http-peer';
import { createDatabase, freePort } from '../../support/postgres';
import { freshSettings } from './support';

/** A port on which PostgreSQL is there only once it is opened, and what it says before. */
async function lateDatabase() {
  const [address, port] = [new URL(await createDatabase()), await freePort()];
  const sockets = new Set<Socket>();
  let server: Server | null = null;
  const listen = (answer: (socket: Socket) => void) =>
    new Promise<void>((resolve) => {
      server = createServer((socket) => {
        sockets.add(socket.on('error', () => undefined));
        answer(socket);
      }).listen(port, '127.0.0.1', resolve);
    });
  const close = async () => {
    sockets.forEach((socket) => socket.destroy());
    await new Promise((resolve) => (server ? server.close(resolve) : resolve(null)));
    server = null;
  };
  const url = new URL(address);
  url.port = String(port);
  return {
    url: url.href,
    close,
    /** As a server that reads its log after a power cut. */
    startsUp: () => listen((socket) => socket.once('data', () => socket.end(STARTING_UP))),
    async open() {
      await close();
      await listen((socket) => {
        const through = connect(Number(address.port), address.hostname).on('error', () => undefined);
        socket.pipe(through).pipe(socket);
        sockets.add(through);
      });
    },
  };
}

/** ErrorResponse with SQLSTATE 57P03. */
const STARTING_UP = (() => {
  const fields = 'SFATAL\0VFATAL\0C57P03\0Mthe database system is starting up\0\0';
  const length = Buffer.alloc(4);
  length.writeInt32BE(fields.length + 4);
  return Buffer.concat([Buffer.from('E'), length, Buffer.from(fields)]);
})();

function starting(env: Record<string, string>) {
  const child = spawn(process.execPath, [MAIN, 'start'], {
    env: { PATH: process.env.PATH, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => void (output += text));
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  return {
    ended,
    end: (signal: NodeJS.Signals) => child.kill(signal),
    says: (message: string) =>
      until(
        () => logLines(output).some(({ msg }) => msg === message),
        30_000,
        () => output,
      ),
    output: () => output,
  };
}

const WAITING = 'the database is not reachable: waiting for it';

test('a gateway waits for a PostgreSQL that is away, or starts up, and serves once it is there', async () => {
  const database = await lateDatabase();
  const gateway = starting(freshSettings({ GATEWAY_DATABASE_URL: database.url }));
  try {
    await gateway.says(WAITING);
    expect(gateway.output()).toContain('ECONNREFUSED');
    await database.startsUp();
    await database.open();
    await gateway.says('the database is reachable');
    await gateway.says('listening');
    gateway.end('SIGTERM');
    expect(await gateway.ended).toBe(0);
  } finally {
    gateway.end('SIGKILL');
    await database.close();
  }
});

test('a gateway waits while PostgreSQL starts up, and ends at once when it is asked to', async () => {
  const database = await lateDatabase();
  await database.startsUp();
  const gateway = starting(freshSettings({ GATEWAY_DATABASE_URL: database.url }));
  try {
    await gateway.says(WAITING);
    expect(gateway.output()).toContain('the database system is starting up');
    gateway.end('SIGTERM');
    expect(await gateway.ended).toBe(0);
    expect(gateway.output()).not.toContain('    at ');
  } finally {
    gateway.end('SIGKILL');
    await database.close();
  }
});

test('it does not wait for a database that there is not, and a command waits for none', async () => {
  const there = new URL(await createDatabase());
  there.pathname = '/not_there';
  const missing = await runCommand(['start'], freshSettings({ GATEWAY_DATABASE_URL: there.href }));
  expect(missing).toMatchObject({ code: 2, stderr: expect.stringContaining('Create that database first') });
  const away = freshSettings({ GATEWAY_DATABASE_URL: `postgres://a:b@127.0.0.1:${await freePort()}/c` });
  const listed = await runCommand(['line', 'list'], away);
  expect(listed).toMatchObject({ code: 2, stderr: expect.stringContaining('that the server runs') });
});
