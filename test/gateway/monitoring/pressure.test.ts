import { type AddressInfo } from 'node:net';
import pino from 'pino';
import { tokenFailures } from '../../../gateway/api/token-failures';
import { createLineToken } from '../../../gateway/lines/line-token';
import { watchPressure, type PressureCause } from '../../../gateway/monitoring/pressure';
import { rateLimitsInMemory } from '../../../gateway/rate-limit';
import { createServer, type Services } from '../../../gateway/server';
import { until } from '../../support/http-peer';
import { call, expectRefusal } from '../../support/scene';

const MEGABYTE = 1024 * 1024;
const MILLISECOND = 1e6;

/** Looks as the gateway does, only more often, at what a test says. */
function watched() {
  const seen = {
    writes: 0,
    bytes: 0,
    free: null as number | null,
    count: 250,
    min: 20 * MILLISECOND,
    resets: 0,
  };
  const told: object[] = [];
  const pressure = watchPressure(
    { waiting: () => ({ writes: seen.writes, bytes: seen.bytes }), freeSpace: async () => seen.free },
    { warn: (fields, message) => told.push({ ...fields, message }) },
    {
      get count() {
        return seen.count;
      },
      get min() {
        return seen.min;
      },
      reset: () => void seen.resets++,
    },
    5,
  );
  afterEachStop.push(pressure.stop);
  return { seen, told, ...pressure };
}
const afterEachStop: (() => void)[] = [];
afterEach(() => afterEachStop.splice(0).forEach((stop) => stop()));

describe('the gateway is under pressure', () => {
  test('while more writes wait for their commit than can be made soon, until half of them are', () => {
    const { seen, told, cause } = watched();
    expect(cause()).toBeNull();
    seen.writes = 10_001;
    expect([cause(), cause()]).toEqual(['backlog', 'backlog']);
    seen.writes = 9_000;
    expect(cause()).toBe('backlog');
    seen.writes = 5_000;
    expect(cause()).toBeNull();
    expect(told).toMatchObject([
      { cause: 'backlog', writes: 10_001, message: 'overloaded: what is new is refused' },
      { cause: 'backlog', writes: 5_000, message: 'no longer overloaded' },
    ]);
  });

  test('while what waits for its commit takes too much memory, however few it is', () => {
    const { seen, cause } = watched();
    seen.bytes = 64 * MEGABYTE + 1;
    expect(cause()).toBe('backlog');
    seen.bytes = 0;
    expect(cause()).toBeNull();
  });

  test('while the disk has no room for the outcome of what is on its way; told when it begins and ends', async () => {
    const { seen, told, cause } = watched();
    seen.free = 63 * MEGABYTE;
    await until(() => cause() === 'disk');
    seen.free = 65 * MEGABYTE;
    await new Promise((resolve) => setTimeout(resolve, 30));
    expect(cause()).toBe('disk');
    seen.free = 200 * MEGABYTE;
    await until(() => cause() === null);
    expect(told).toMatchObject([
      { cause: 'disk', freeBytes: 63 * MEGABYTE },
      { cause: 'disk', freeBytes: 200 * MEGABYTE },
    ]);
  });

  test('while every turn of the event loop is long; not for a single long one', async () => {
    const { seen, cause } = watched();
    seen.min = 1_500 * MILLISECOND;
    seen.count = 2;
    const { resets } = seen;
    await new Promise((resolve) => setTimeout(resolve, 30));
    expect(cause()).toBeNull();
    // Turns that take so long that few of them fit between two looks are counted on.
    expect(seen.resets).toBe(resets);
    seen.count = 4;
    await until(() => cause() === 'event_loop');
    seen.min = 20 * MILLISECOND;
    await until(() => cause() === null);
  });
});

describe('under pressure', () => {
  const { token } = createLineToken();
  const line = { id: 1, isActive: true, apiEnabled: true };
  let cause: PressureCause | null = null;
  const services = {
    log: pino({ level: 'silent' }),
    publicUrl: null,
    metrics: { answered: () => undefined, text: async () => 'figures', contentType: 'text/plain' },
    pressure: { cause: () => cause },
    isServing: () => true,
    clock: Date.now,
    lines: { byTid: () => line, openedBy: () => ({ line, tokenId: 1 }) },
    destinations: { ofLine: () => [] },
    store: {
      registry: { revision: async () => 1 },
      canWrite: async () => undefined,
      destinations: { healthOf: async () => [] },
    },
    markUsed: () => undefined,
    tokenFailures: tokenFailures(
      20,
      rateLimitsInMemory(() => 0),
    ),
    callback: { appSecret: null, verifyToken: null },
  } as unknown as Services;
  const app = createServer(services);
  let url = '';

  beforeAll(async () => {
    await app.listen({ host: '127.0.0.1', port: 0 });
    url = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`;
  });
  afterAll(() => app.close());

  const send = (path: string) =>
    call(url + path, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: '{}',
    });
  const read = (path: string) => call(url + path, { headers: { authorization: `Bearer ${token}` } });

  test.each(['disk', 'backlog', 'event_loop'] as const)(
    'what is new is refused before it is read, and may come again: %s',
    async (one) => {
      cause = one;
      for (const path of ['/v22.0/1/messages', '/api/v22.0/1/media', '/webhooks/platform']) {
        const refused = await send(path);
        expect(expectRefusal(refused, 503, 'overloaded', 2)).toContain('try again in a moment');
        expect(refused.headers.get('retry-after')).toBe('5');
      }
    },
  );

  test('what only reads goes on, unless it is time that is short', async () => {
    cause = 'disk';
    expect((await read('/v22.0/1/destinations')).status).toBe(200);
    cause = 'event_loop';
    expectRefusal(await read('/v22.0/1/destinations'), 503, 'overloaded', 2);
  });

  test('whoever asks how the gateway is hears it: not ready, and why', async () => {
    cause = 'disk';
    expect((await call(`${url}/healthz`)).status).toBe(200);
    expect((await call(`${url}/metrics`)).status).toBe(200);
    const ready = await call(`${url}/readyz`);
    expect(expectRefusal(ready, 503, 'overloaded', 2)).toContain('its disk is almost full');
    cause = null;
    expect((await call(`${url}/readyz`)).status).toBe(200);
  });
});
