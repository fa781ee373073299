import { Client } from 'pg';
import { HOUR, isoTime, MINUTE } from '../../gateway/time';
import { until } from '../support/http-peer';
import { addPanelUser, PASSWORD } from '../support/panel/visitor';
import { createDatabase } from '../support/postgres';
import {
  call,
  CONTACT,
  imageTo,
  inTheEnd,
  startScene,
  type Reply,
  type Scene,
  type TestLine,
} from '../support/scene';
import { startTestGateway, type TestGateway } from '../support/test-gateway';

const JSON_TYPE = { 'content-type': 'application/json' };

/** How many were answered with each status. */
const counted = (replies: Reply[]): Record<number, number> =>
  Object.fromEntries(
    Array.from(
      Map.groupBy(replies, ({ status }) => status),
      ([status, all]) => [status, all.length],
    ),
  );

describe('two gateways on one PostgreSQL', () => {
  let scene: Scene;
  let second: TestGateway;
  let line: TestLine;

  async function open(env: Record<string, string> = {}): Promise<void> {
    scene = await startScene(await createDatabase(), env);
    line = await scene.line();
    second = await startTestGateway(scene.gateway.env, () => scene.clock.now);
  }
  afterEach(async () => {
    await second.stop();
    await scene.stop();
  });

  /** Asks both in turn, all at once. */
  const askBoth = (count: number, path: string, init: (index: number) => RequestInit = () => ({})) =>
    Promise.all(
      Array.from({ length: count }, (_, index) => {
        const { url } = [scene.gateway, second][index % 2] as TestGateway;
        const { headers, ...more } = init(index);
        const ask = () =>
          call(`${url}/v22.0/${line.phoneNumberId}${path}`, {
            ...more,
            headers: { authorization: `Bearer ${line.token}`, ...(headers as Record<string, string>) },
          });
        return inTheEnd(ask);
      }),
    );
  const sendToBoth = (count: number, body: object | string, headers: Record<string, string> = {}) =>
    askBoth(count, '/messages', () => ({
      method: 'POST',
      headers: { ...JSON_TYPE, ...headers },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    }));

  test('let a line send as fast as one of them would, and no faster', async () => {
    await open({ GATEWAY_LINE_RATE: '5' });
    expect(counted(await sendToBoth(40, '{'))).toEqual({ 400: 10, 429: 30 });
    scene.clock.now += 1000;
    expect(counted(await sendToBoth(40, '{'))).toEqual({ 400: 5, 429: 35 });
    scene.clock.now += MINUTE;
    const replies = await sendToBoth(10, '{');
    const left = replies.map(({ headers }) => Number(headers.get('x-ratelimit-remaining')));
    expect(left.sort((one, other) => one - other)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
  });

  test('count large bodies by their size, and use nothing up for what they refuse', async () => {
    await open({ GATEWAY_LINE_RATE: '5' });
    // As four sends of ten; a refused one as the one that every request is.
    const large = `{"to":"${' '.repeat(60_000)}`;
    const statuses: number[] = [];
    for (let times = 0; times < 3; times++)
      for (const { status } of await sendToBoth(1, large)) statuses.push(status);
    expect(statuses).toEqual([400, 400, 429]);
    expect(counted(await sendToBoth(6, '{'))).toEqual({ 400: 1, 429: 5 });
  });

  test('send a contact as many messages as one of them would', async () => {
    await open();
    expect(counted(await sendToBoth(60, imageTo(CONTACT)))).toEqual({ 200: 45, 429: 15 });
    expect(line.sent()).toHaveLength(45);
    scene.clock.now += 6000;
    expect(counted(await sendToBoth(6, imageTo(CONTACT)))).toEqual({ 200: 1, 429: 5 });
  });

  test('count the wrong tokens of an address together', async () => {
    await open();
    const wrong = () => ({ headers: { authorization: 'Bearer wrong' } });
    expect(counted(await askBoth(30, '/status', wrong))).toEqual({ 401: 20, 429: 10 });
    expect(counted(await askBoth(2, '/status'))).toEqual({ 200: 2 });
  });

  test('count the wrong passwords of an account together', async () => {
    await open();
    await addPanelUser(scene, 'ana');
    const guess = async (index: number, password: string) => {
      const { url } = [scene.gateway, second][index % 2] as TestGateway;
      const page = await fetch(`${url}/panel/log-in`);
      const [cookie = ''] = (page.headers.get('set-cookie') ?? '').split(';');
      const [, key = ''] = /name="form_token" value="([^"]*)"/.exec(await page.text()) ?? [];
      const { status } = await fetch(`${url}/panel/log-in`, {
        method: 'POST',
        redirect: 'manual',
        headers: { cookie, origin: url },
        body: new URLSearchParams({ name: 'ana', password, form_token: key }),
      });
      return status;
    };
    // What is right uses nothing up.
    for (let turn = 0; turn < 6; turn++) expect(await guess(turn, PASSWORD)).toBe(303);
    const guesses = await Promise.all(Array.from({ length: 10 }, (_, index) => guess(index, `no ${index}`)));
    expect(guesses.sort()).toEqual([...Array<number>(5).fill(422), ...Array<number>(5).fill(429)]);
    expect([await guess(0, PASSWORD), await guess(1, PASSWORD)]).toEqual([429, 429]);
  });

  test('make one send of a hundred under one key', async () => {
    await open({ GATEWAY_LINE_RATE: 'off' });
    const replies = await sendToBoth(100, imageTo(CONTACT), { 'idempotency-key': 'one' });
    expect(line.sent()).toHaveLength(1);
    const made = replies.filter(({ status }) => status === 200);
    expect(new Set(made.map(({ body }) => JSON.stringify(body))).size).toBe(1);
    expect(made.filter(({ headers }) => !headers.has('idempotency-replayed'))).toHaveLength(1);
    const others = replies.filter(({ status }) => status !== 200);
    expect(new Set(others.map(({ body }) => String(body.error_code)))).toEqual(
      new Set(others.length ? ['idempotency_in_progress'] : []),
    );
    const again = await sendToBoth(2, imageTo(CONTACT), { 'idempotency-key': 'one' });
    expect(counted(again)).toEqual({ 200: 2 });
    expect(line.sent()).toHaveLength(1);
  });

  test('refuse a token at once that is revoked beside the other', async () => {
    await open({ GATEWAY_AUTH_FAILURE_RATE: 'off' });
    expect(counted(await askBoth(2, '/status'))).toEqual({ 200: 2 });
    await scene.change(async ({ store }) => {
      for (const { id } of await store.tokens.ofLine(line.id))
        await store.tokens.revoke(id, isoTime(scene.clock.now));
    });
    await until(async () => counted(await askBoth(2, '/status'))[401] === 2);
  });

  test('give back the place of a list whose client left before it was reached', async () => {
    await open();
    const alive = () => Promise.all([scene.gateway, second].map(({ url }) => call(`${url}/healthz`)));
    const client = new Client({ connectionString: scene.databaseUrl });
    await client.connect();
    try {
      await client.query('begin; lock table rates in access exclusive mode');
      const leaving = new AbortController();
      const left = askBoth(8, '/opt-outs', () => ({ signal: leaving.signal })).catch(() => 'left');
      await until(
        async () => (await client.query('select 1 from pg_locks where not granted')).rows.length > 0,
      );
      await alive();
      leaving.abort();
      expect(await left).toBe('left');
      await alive();
      await client.query('commit');
    } finally {
      await client.end();
    }
    expect(counted(await askBoth(2, '/opt-outs'))).toEqual({ 200: 2 });
  });

  test.each(['templates', 'status'] as const)('ask upstream for %s once in a minute', async (what) => {
    await open();
    const kind = what === 'status' ? 'phoneNumber' : 'templates';
    const id = what === 'status' ? line.phoneNumberId : ((await wabaId()) ?? '');
    expect(counted(await askBoth(20, `/${what}?refresh=1`))).toEqual({ 200: 20 });
    expect(scene.upstream.asked(kind, id)).toHaveLength(1);
    scene.clock.now += MINUTE;
    await askBoth(20, `/${what}?refresh=1`);
    expect(scene.upstream.asked(kind, id)).toHaveLength(2);
    // What one of them asks by itself keeps no customer of the other waiting.
    scene.clock.now += HOUR;
    await second.pollDue();
    await askBoth(1, `/${what}?refresh=1`);
    expect(scene.upstream.asked(kind, id)).toHaveLength(4);
  });
  const wabaId = async () => (await scene.change(({ store }) => store.lines.all()))[0]?.waba_id;
});
