import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import { connect, type Socket } from 'node:net';
import { PassThrough } from 'node:stream';
import { setImmediate as nextTurn, setTimeout as wait } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { type Refusal } from '../../../gateway/errors';
import { arrivingBodies, type ReadBody } from '../../../gateway/http/arriving-bodies';
import { until } from '../../support/http-peer';
import { sceneOf } from '../../support/scene';
import { notify } from '../../support/test-gateway';

const MEGABYTE = 1024 * 1024;
const LARGEST = 3 * MEGABYTE;
const LONG = 3_600_000;

function memory(): number {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}

describe('bodies of strangers that arrive at once', () => {
  const scene = sceneOf();
  const senders: Socket[] = [];
  const answers: string[] = [];

  afterAll(async () => {
    for (const sender of senders) sender.destroy();
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

  test('are held up to 14 MB in all; one more is to be sent again', async () => {
    for (let count = 0; count < 5; count++) begin();
    await until(() => answers.length > 0);
    expect(answers).toHaveLength(1);
    const [head = '', body = ''] = answers.join('').split('\r\n\r\n');
    expect(head).toMatch(/^HTTP\/1\.1 503 /);
    expect(head.toLowerCase()).toContain('\r\nretry-after: 5');
    expect(JSON.parse(body)).toMatchObject({
      success: false,
      error_code: 'overloaded',
      error: {
        code: 2,
        error_data: { details: expect.stringContaining('more arrives at once than it holds') },
      },
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
    expect(senders.filter(({ destroyed }) => !destroyed).length).toBeGreaterThan(1);
  });

  test('are taken at once where those that did not arrive are gone', async () => {
    for (const sender of senders) sender.destroy();
    const large = '{}'.padEnd(LARGEST, ' ');
    // One that is refused is sent again a little later, as the platform does: these senders share the gateway's
    // processor, and would keep it under pressure for as long as they send.
    const isTaken = async () => {
      const taken = (await notify(scene.gateway, large)) === 200;
      if (!taken) await wait(2000 * Math.random());
      return taken;
    };
    await Promise.all(Array.from({ length: 20 }, () => until(isTaken, 40_000)));
  });
});

/** A body that arrives as a test says. */
function arriving(remoteAddress = '10.0.0.1', bodyLimit = LARGEST) {
  const headers: IncomingHttpHeaders = { 'transfer-encoding': 'chunked' };
  const payload = Object.assign(new PassThrough(), {
    ...{ method: 'POST', headers },
    socket: { remoteAddress },
  });
  const raw = payload as unknown as IncomingMessage;
  const request = { raw, routeOptions: { bodyLimit }, body: undefined as unknown };
  const reply = { header: jest.fn() };
  const taken = async (read: ReadBody): Promise<Buffer> => {
    await read(request, reply);
    return request.body as Buffer;
  };
  return { payload, reply, taken };
}

describe('bodies that arrive at once from one address', () => {
  const take = arrivingBodies({ warn: () => undefined }, LONG);

  /** Two megabytes from there, of which the last byte does not come. @returns why it is refused, once it is */
  function begin(remoteAddress: string, sender: 'known' | 'stranger' = 'stranger'): Promise<string> {
    const { payload, taken } = arriving(remoteAddress);
    const taking = taken(take[sender]);
    for (let sent = 0; sent < 2; sent++) payload.write(Buffer.alloc(MEGABYTE));
    return taking.then(
      () => '',
      ({ errorCode }: Refusal) => errorCode,
    );
  }

  test('are held up to half of what is taken in all; those of other addresses, and of customers, are still taken', async () => {
    const held = Array.from({ length: 3 }, () => begin('203.0.114.1'));
    await expect(begin('203.0.114.1')).resolves.toBe('overloaded');
    const others = Array.from({ length: 4 }, () => begin('10.0.0.1'));
    const customers = Array.from({ length: 8 }, () => begin('203.0.114.1', 'known'));
    await expect(begin('10.0.0.2')).resolves.toBe('overloaded');
    const next = new Promise((resolve) => setImmediate(resolve, 'taken'));
    expect(await Promise.race([...held, ...others, ...customers, next])).toBe('taken');
  });
});

describe('a body', () => {
  const take = arrivingBodies({ warn: () => undefined }, LONG);

  test.each([1, 7, 4_000, 16_384, 65_536])('arrives whole in pieces of up to %i bytes', async (most) => {
    const body = randomBytes(200_000);
    const { payload, taken } = arriving();
    const taking = taken(take.known);
    let sent = 0;
    for (let piece = 1; sent < body.length; piece = (piece * 5 + 1) % most || most) {
      payload.write(body.subarray(sent, sent + piece));
      sent += piece;
    }
    payload.end();
    expect((await taking).equals(body)).toBe(true);
  });

  test('that arrives in crumbs takes little more memory than its bytes', async () => {
    const { payload, taken } = arriving();
    const before = memory();
    void taken(take.known).catch(() => undefined);
    await nextTurn();
    for (let sent = 0; sent < MEGABYTE; sent++) payload.emit('data', Buffer.alloc(1));
    expect(memory() - before).toBeLessThan(16 * MEGABYTE);
    payload.destroy();
  });

  test('is refused at its length, or where it goes on beyond its limit', async () => {
    const told = arriving(undefined, 16 * 1024);
    told.payload.headers['content-length'] = '16385';
    await expect(told.taken(take.stranger)).rejects.toMatchObject({ errorCode: 'payload_too_large' });
    const untold = arriving(undefined, 16 * 1024);
    const taking = untold.taken(take.stranger);
    untold.payload.write(Buffer.alloc(16 * 1024));
    untold.payload.write(Buffer.alloc(1));
    await expect(taking).rejects.toMatchObject({ errorCode: 'payload_too_large' });
    expect(untold.reply.header).toHaveBeenCalledWith('connection', 'close');
  });

  test('that is here with its head is taken at once, unless it is too large', async () => {
    const body = randomBytes(17);
    const here = (most: number) => {
      const { payload, taken } = arriving(undefined, most);
      payload.headers['content-length'] = '17';
      payload.write(body);
      return { payload, taking: taken(take.known) };
    };
    const { payload, taking } = here(17);
    // Without waiting for the end of the request.
    expect(await taking).toEqual(body);
    payload.end();
    await once(payload, 'end');
    await expect(here(16).taking).rejects.toMatchObject({ errorCode: 'payload_too_large' });
  });

  test('whose connection broke during earlier checks is refused', async () => {
    const { payload, taken } = arriving();
    await once(payload.destroy(), 'close');
    await expect(taken(take.known)).rejects.toMatchObject({ errorCode: 'malformed_request' });
  });
});
