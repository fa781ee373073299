import { createServer, connect, type Server, type Socket } from 'node:net';
import { DatabaseSync } from 'node:sqlite';
import { createDatabase } from '../../support/postgres';
import {
  call,
  CONTACT,
  expectRefusal,
  imageTo,
  sqliteUrl,
  startScene,
  textTo,
  type Scene,
  type TestLine,
} from '../../support/scene';
import { notification, notify, textFrom } from '../../support/test-gateway';

/** Stands between the gateway and PostgreSQL, and can go away in both ways: refuse, or fall silent. */
async function startProxy(databaseUrl: string) {
  const target = new URL(databaseUrl);
  const sockets = new Set<Socket>();
  let state: 'open' | 'refusing' | 'silent' = 'open';
  const server: Server = createServer((client) => {
    if (state === 'refusing') return client.destroy();
    const database = connect(Number(target.port), target.hostname);
    for (const [from, to] of [
      [client, database],
      [database, client],
    ] as const) {
      sockets.add(from);
      from.on('data', (bytes) => {
        if (state !== 'silent') to.write(bytes);
      });
      from.on('error', () => undefined);
      from.on('close', () => {
        sockets.delete(from);
        to.destroy();
      });
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = new URL(databaseUrl);
  url.port = String((server.address() as { port: number }).port);
  const cut = () => sockets.forEach((socket) => socket.destroy());
  return {
    url: url.href,
    go(to: typeof state): void {
      state = to;
      if (to === 'refusing') cut();
    },
    close: () =>
      new Promise<void>((resolve) => {
        cut();
        server.close(() => resolve());
      }),
  };
}

describe.each(['refusing', 'silent'] as const)('while PostgreSQL is away (%s)', (how) => {
  let proxy: Awaited<ReturnType<typeof startProxy>>;
  let scene: Scene;
  let line: TestLine;

  beforeAll(async () => {
    proxy = await startProxy(await createDatabase());
    scene = await startScene(proxy.url);
    line = await scene.line();
    await line.wrote(CONTACT, 1);
  });
  afterAll(async () => {
    await scene.stop();
    await proxy.close();
  });

  test('what needs it is answered 503, notifications too, and all goes on within seconds of its return', async () => {
    expect((await line.send(textTo(CONTACT))).status).toBe(200);
    proxy.go(how);
    const [templates, unknown, event] = await Promise.all([
      line.get('/templates'),
      line.send(textTo('16505559999')),
      notify(scene.gateway, notification(textFrom(CONTACT, 'Hello', 'wamid.lost'), line.phoneNumberId)),
    ]);
    for (const answer of [templates, unknown]) {
      expectRefusal(answer, 503, 'database_unavailable', 2);
      expect(answer.headers.get('retry-after')).toBe('5');
    }
    expect(event).toBe(503);
    expect((await call(`${scene.gateway.url}/v22.0/${line.phoneNumberId}/status`)).status).toBe(401);
    proxy.go('open');
    // A connection that was begun in the silence is given up after 5 seconds.
    const end = Date.now() + 15_000;
    let status = 0;
    while (status !== 200 && Date.now() < end) ({ status } = await line.get('/templates'));
    expect(status).toBe(200);
    expect(
      await notify(scene.gateway, notification(textFrom(CONTACT, 'Hello', 'wamid.lost'), line.phoneNumberId)),
    ).toBe(200);
    expect((await line.send(imageTo(CONTACT))).status).toBe(200);
  });
});

test('while a command rewrites the SQLite file, what would write is answered 503, and goes through after that', async () => {
  const scene = await startScene(await sqliteUrl());
  const other = new DatabaseSync(scene.databaseUrl.slice('sqlite:'.length));
  try {
    const line = await scene.line();
    const event = notification(textFrom(CONTACT, 'Hello', 'wamid.locked'), line.phoneNumberId);
    const keyed = { 'content-type': 'application/json', 'idempotency-key': 'locked' };
    other.exec('begin immediate');
    const [notified, sent] = await Promise.all([
      notify(scene.gateway, event),
      line.send(imageTo(CONTACT), keyed),
    ]);
    expect(notified).toBe(503);
    expectRefusal(sent, 503, 'database_unavailable', 2);
    expect(sent.headers.get('retry-after')).toBe('5');
    expect(line.sent()).toEqual([]);
    other.exec('rollback');
    expect(await notify(scene.gateway, event)).toBe(200);
    expect((await line.send(imageTo(CONTACT), keyed)).status).toBe(200);
  } finally {
    other.close();
    await scene.stop();
  }
});
