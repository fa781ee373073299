import { connect, type Socket } from 'node:net';
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
      error: { code: 2, error_data: { details: expect.stringContaining('send it again in a moment') } },
    });
  });

  test('keep out none of those that are small', async () => {
    expect(await notify(scene.gateway, '{}')).toBe(200);
  });

  test('are taken again once those that did not arrive are gone', async () => {
    for (const sender of senders) sender.destroy();
    const large = '{}'.padEnd(LARGEST, ' ');
    let status = 503;
    while (status === 503) status = await notify(scene.gateway, large);
    expect(status).toBe(200);
  });
});
