import { type AddressInfo } from 'node:net';
import pino from 'pino';
import { tokenFailures } from '../../../gateway/api/access/token-failures';
import { tokenRates } from '../../../gateway/api/access/token-rates';
import { LINE_TOKENS } from '../../../gateway/lines/line-token';
import { watchPressure, type PressureCause } from '../../../gateway/monitoring/pressure';
import { rateLimitsInMemory } from '../../../gateway/primitives/rate-limit';
import { SCOPES } from '../../../gateway/store/schema';
import { ALL_ROLES } from '../../../gateway/process-roles';
import { createServer, type Services } from '../../../gateway/server';
import { until } from '../../support/http-peer';
import { call, expectRefusal } from '../../support/scene';

const MEGABYTE = 1024 * 1024;

/** Looks as the gateway does, only more often, at what a test says. */
function watched() {
  const seen = {
    writes: 0,
    bytes: 0,
    free: null as number | null,
    count: 250,
    median: 20,
    busy: 0.95,
    /** At each millisecond. */
    requests: 1_000,
    resets: 0,
  };
  const told: object[] = [];
  const pressure = watchPressure(
    { waiting: () => ({ writes: seen.writes, bytes: seen.bytes }), freeSpace: async () => seen.free },
    { warn: (fields, message) => told.push({ ...fields, message }) },
    {
      count: () => seen.count,
      median: () => seen.median,
      busy: () => seen.busy,
      reset: () => void seen.resets++,
    },
    5,
  );
  const requests = setInterval(() => {
    for (let n = 0; n < seen.requests; n++) pressure.cause();
  }, 1);
  afterEachStop.push(pressure.stop, () => clearInterval(requests));
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
    seen.free = 127 * MEGABYTE;
    await until(() => cause() === 'disk');
    seen.free = 129 * MEGABYTE;
    await new Promise((resolve) => setTimeout(resolve, 30));
    expect(cause()).toBe('disk');
    seen.free = 300 * MEGABYTE;
    await until(() => cause() === null);
    expect(told).toMatchObject([
      { cause: 'disk', freeBytes: 127 * MEGABYTE },
      { cause: 'disk', freeBytes: 300 * MEGABYTE },
    ]);
  });

  test('while it is busy all the time in long turns; not for a few of them', async () => {
    const { seen, told, cause } = watched();
    seen.median = 1_500;
    seen.count = 2;
    const { resets } = seen;
    await new Promise((resolve) => setTimeout(resolve, 30));
    expect(cause()).toBeNull();
    // Turns that take so long that few of them fit between two looks are counted on.
    expect(seen.resets).toBe(resets);
    seen.count = 40;
    seen.median = 120;
    await until(() => cause() === 'event_loop');
    seen.median = 60;
    const looks = seen.resets;
    await until(() => seen.resets > looks + 2);
    expect(cause()).toBe('event_loop');
    seen.median = 45;
    await until(() => cause() === null);
    expect(told).toMatchObject([
      { cause: 'event_loop', medianTurnMs: 120, busy: 0.95 },
      { cause: 'event_loop', medianTurnMs: 45 },
    ]);
  });

  test('not while it is others that keep it from running, nor where it does much in short turns', async () => {
    const { seen, told } = watched();
    seen.median = 500;
    seen.busy = 0.5;
    await until(() => seen.resets > 3);
    seen.busy = 1;
    seen.median = 25;
    await until(() => seen.resets > 6);
    expect(told).toEqual([]);
  });

  test('not while few requests come: it is something else that takes its time', async () => {
    const { seen, told } = watched();
    seen.median = 500;
    seen.requests = 1;
    await until(() => seen.resets > 6);
    expect(told).toEqual([]);
    seen.requests = 1_000;
    await until(() => told.length > 0);
  });

  test('as its own event loop says', async () => {
    const told: object[] = [];
    const quiet = { waiting: () => ({ writes: 0, bytes: 0 }), freeSpace: async () => null };
    const pressure = watchPressure(quiet, { warn: (fields) => told.push(fields) }, undefined, 1_000);
    afterEachStop.push(pressure.stop);
    let isFlooded = true;
    /** Work that never ends, in turns shorter than a second. */
    const flood = (): void => {
      const until = performance.now() + 150;
      while (performance.now() < until);
      for (let n = 0; n < 50; n++) pressure.cause();
      if (isFlooded) setImmediate(flood);
    };
    flood();
    await until(() => pressure.cause() === 'event_loop');
    isFlooded = false;
    await until(() => pressure.cause() === null);
    expect(told).toHaveLength(2);
  });
});

describe('under pressure', () => {
  const { token } = LINE_TOKENS.create();
  const line = { id: 1, isActive: true, apiEnabled: true };
  let cause: PressureCause | null = null;
  const logged: string[] = [];
  const store = {
    registry: { revision: async () => 1 },
    canWrite: async () => undefined,
    destinations: { healthOf: async () => [] },
    users: { any: async () => true },
    oidcProviders: { all: async () => [] },
  };
  const services = {
    log: pino({ level: 'warn' }, { write: (line: string) => void logged.push(line) }),
    publicUrl: null,
    metrics: { answered: () => undefined, text: async () => 'figures', contentType: 'text/plain' },
    roles: ALL_ROLES,
    pressure: { cause: () => cause },
    isServing: () => true,
    clock: Date.now,
    lines: { byTid: () => line, openedBy: () => ({ line, token: { id: 1, scopes: SCOPES } }) },
    destinations: { ofLine: () => [] },
    // The log-in page reads nothing of lines.
    store: { ...store, within: () => store },
    sandboxUrl: null,
    providersOfSettings: [],
    markUsed: () => undefined,
    tokenFailures: tokenFailures(
      20,
      rateLimitsInMemory(() => 0),
    ),
    tokenRates: tokenRates('line', null, rateLimitsInMemory(Date.now)),
    metricsToken: null,
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
        expect(expectRefusal(refused, 503, 'overloaded', 2)).toContain('Try again in a moment');
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

  test('a form of the panel is refused with a page before it is read; pages can be looked at', async () => {
    for (const one of ['disk', 'backlog', 'event_loop'] as const) {
      cause = one;
      const refused = await send('/panel/log-in');
      expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '5']);
      expect(refused.headers.get('content-security-policy')).toContain("default-src 'none'");
      expect(refused.text).toMatch(/^<!doctype html>/);
      expect(refused.text).toContain('Try again in a moment');
      expect((await call(`${url}/panel/log-in`)).status).toBe(200);
    }
    // It is told where it begins and ends, not by each request.
    expect(logged).toEqual([]);
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
