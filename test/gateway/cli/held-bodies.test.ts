import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { call } from '../../support/scene';
import { addTestLine, APP_SECRET, notify, PHONE_NUMBER_ID } from '../../support/test-gateway';
import { pagesOf } from '../../../gateway/panel/routes';
import { type GatewayProcess } from '../../support/gateway-process';
import { until } from '../../support/http-peer';
import { ask, freshSettings, start } from './support';

const MEGABYTE = 1024 * 1024;
const CONNECTIONS = 200;
const BODY = Buffer.alloc(16 * MEGABYTE, 'x');
/** Bytes of memory that a process has. */
function memoryOf({ pid }: GatewayProcess): number {
  const [, kilobytes] = /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kilobytes) * 1024;
}

interface Sender {
  socket: Socket;
  /** What was answered before the last byte came; empty while nothing was. */
  answer: string;
}

/** Sends a body to its last byte, and holds that back. */
function hold(gateway: GatewayProcess, path: string, size: number): Sender {
  const { hostname, port, host, origin } = new URL(gateway.url);
  const socket = connect({ host: hostname, port: Number(port) });
  const sender = { socket, answer: '' };
  socket.on('error', () => undefined).on('data', (chunk) => (sender.answer += chunk.toString('latin1')));
  socket.write(
    `POST ${path} HTTP/1.1\r\nHost: ${host}\r\nOrigin: ${origin}\r\nContent-Length: ${size}\r\n\r\n`,
  );
  socket.write(BODY.subarray(0, size - 1));
  return sender;
}

test('strangers who hold back the last byte of 200 bodies take no memory, and keep nobody out', async () => {
  const env = freshSettings({ GATEWAY_UPSTREAM_URL: 'sandbox' });
  const { token } = await addTestLine(env);
  const gateway = await start(env);
  const targets: [string, number][] = [
    ...pagesOf({ sandboxUrl: '' })
      .filter(({ method }) => method === 'POST')
      .map(({ url, limit }): [string, number] => [`/panel${url.replace(/:\w+/g, '1')}`, limit]),
    ['/panel/nothing', MEGABYTE],
    ['/panel/phone/1/12025550147', BODY.length],
    ['/panel/phone/1/12025550147', BODY.length],
    ...['messages', 'destinations', 'media'].map((path): [string, number] => [
      `/v22.0/${PHONE_NUMBER_ID}/${path}`,
      MEGABYTE,
    ]),
    ...Array.from({ length: 8 }, (): [string, number] => ['/webhooks/platform', 3 * MEGABYTE]),
    [`/webhooks/platform/${PHONE_NUMBER_ID}`, 3 * MEGABYTE],
  ];
  // What any load makes it take, whatever it is, is no memory of bodies.
  for (let round = 0; round < 20; round++)
    await Promise.all(Array.from({ length: 50 }, () => call(`${gateway.url}/panel/log-in`)));
  const before = memoryOf(gateway);

  const senders = Array.from({ length: CONNECTIONS }, (_, count) =>
    hold(gateway, ...(targets[count % targets.length] ?? ['/', 2])),
  );
  let most = before;
  const looking = setInterval(() => (most = Math.max(most, memoryOf(gateway))), 20);
  try {
    // Whoever is not known to the panel, and whoever finds no room, has his answer; the others wait for theirs.
    await until(
      () => senders.filter(({ answer }) => answer).length > CONNECTIONS / 2,
      15_000,
      () => `they hold ${Math.round((most - before) / MEGABYTE)} MB`,
    );
    expect(await notify(gateway, '{}', APP_SECRET)).toBe(200);
    expect(await ask(gateway, token, 'status')).toMatchObject({ status: 200 });
    expect(await ask(gateway, token, 'destinations', { url: 'no address' })).toMatchObject({ status: 400 });
    expect((await call(`${gateway.url}/panel/log-in`)).status).toBe(200);
    await new Promise((resolve) => setTimeout(resolve, 500));
  } finally {
    clearInterval(looking);
    senders.forEach(({ socket }) => socket.destroy());
  }
  expect(senders.filter(({ answer }) => !answer).length).toBeGreaterThan(4);
  // All bodies together have some 200 MB; what a busy machine leaves uncollected for a while is less than half of that.
  expect((most - before) / MEGABYTE).toBeLessThan(96);
});
