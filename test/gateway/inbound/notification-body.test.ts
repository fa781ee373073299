import { type IncomingMessage } from 'node:http';
import { connect, type Socket } from 'node:net';
import { PassThrough } from 'node:stream';
import { setTimeout as wait } from 'node:timers/promises';
import { type FastifyRequest } from 'fastify';
import { type Refusal } from '../../../gateway/errors';
import { notificationBodies } from '../../../gateway/inbound/notification-body';
import { DATABASES } from '../../support/databases';
import { until } from '../../support/http-peer';
import { startScene, type Scene } from '../../support/scene';
import { notify } from '../../support/test-gateway';

const [sqlite] = DATABASES;
const LARGEST = 3 * 1024 * 1024;

describe('notifications that arrive at once', () => {
  let scene: Scene;
  const senders: Socket[] = [];
  const answers: string[] = [];

  beforeAll(async () => {
    scene = await startScene((await sqlite?.createUrl()) ?? '');
  });
  afterAll(async () => {
    for (const sender of senders) sender.destroy();
    await scene.stop();
  });

  /** Sends all of a notification but its last byte. */
  function begin(): void {
    const { hostname, port } = new URL(scene.gateway.url);
    const sender = connect({ host: hostname, port: Number(port) });
    sender.on('error', () => undefined);
    sender.on('data', (chunk) => answers.push(chunk.toString()));
    sender.write(`POST /webhooks/platform HTTP/1.1\r\nHost: a\r\nContent-Length: ${LARGEST}\r\n\r\n`);
    sender.write(Buffer.alloc(LARGEST - 1, ' '));
    senders.push(sender);
  }

  test('are held up to 64 MB in all; one more is to be sent again', async () => {
    for (let count = 0; count < 22; count++) begin();
    await until(() => answers.length > 0);
    expect(answers).toHaveLength(1);
    const [head = '', body = ''] = answers.join('').split('\r\n\r\n');
    expect(head).toMatch(/^HTTP\/1\.1 503 /);
    expect(head.toLowerCase()).toContain('\r\nretry-after: 5');
    expect(JSON.parse(body)).toMatchObject({
      success: false,
      error_code: 'too_many_notifications',
      error: { code: 2, error_data: { details: expect.stringContaining('Send it again in a moment') } },
    });
  });

  test('keep out none of those that are small', async () => {
    expect(await notify(scene.gateway, '{}')).toBe(200);
  });

  test('give way to one that comes where they have been arriving for long', async () => {
    const large = '{}'.padEnd(LARGEST, ' ');
    let status = 503;
    while (status === 503) status = await notify(scene.gateway, large);
    expect(status).toBe(200);
    // One for the one at the beginning, and no more than the room took.
    expect(answers.map((answer) => answer.split(' ')[1]).slice(0, 2)).toEqual(['503', '503']);
    expect(senders.filter(({ destroyed }) => !destroyed).length).toBeGreaterThan(15);
  });

  test('are taken at once where those that did not arrive are gone', async () => {
    for (const sender of senders) sender.destroy();
    const large = '{}'.padEnd(LARGEST, ' ');
    // One that is refused is sent again a little later, as upstream does: these senders share the gateway's processor, and
    // would keep it under pressure for as long as they send.
    const isTaken = async () => {
      const taken = (await notify(scene.gateway, large)) === 200;
      if (!taken) await wait(2000 * Math.random());
      return taken;
    };
    await Promise.all(Array.from({ length: 20 }, () => until(isTaken, 40_000)));
  }, 60_000);
});

describe('notifications that arrive at once from one address', () => {
  const take = notificationBodies({ warn: () => undefined });
  const MEGABYTE = 1024 * 1024;

  /** Three megabytes from there, of which the last does not come. @returns why it is refused, once it is */
  function begin(remoteAddress: string): Promise<string> {
    const payload = Object.assign(new PassThrough(), { socket: { remoteAddress } });
    const taken = take({ headers: {} } as FastifyRequest, payload as unknown as IncomingMessage);
    for (let sent = 0; sent < 2; sent++) payload.write(Buffer.alloc(MEGABYTE));
    return taken.then(
      () => '',
      ({ errorCode }: Refusal) => errorCode,
    );
  }

  test('are held up to a quarter of what is taken in all; those of other addresses are still taken', async () => {
    const held = Array.from({ length: 8 }, () => begin('203.0.114.1'));
    await expect(begin('203.0.114.1')).resolves.toBe('too_many_notifications');
    const others = ['203.0.114.2', '10.0.0.1'].flatMap((address) =>
      Array.from({ length: address === '10.0.0.1' ? 9 : 8 }, () => begin(address)),
    );
    const next = new Promise((resolve) => setImmediate(resolve, 'taken'));
    expect(await Promise.race([...held, ...others, next])).toBe('taken');
  });
});
