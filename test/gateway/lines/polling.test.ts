import { DATABASES } from '../../support/databases';
import { turns, until, type Answer } from '../../support/http-peer';
import { createDatabase } from '../../support/postgres';
import { rows } from '../../support/rows';
import {
  imageTo,
  phoneNumberNode,
  sceneOf,
  startScene,
  upstreamError,
  type TestLine,
} from '../../support/scene';
import { settings, startTestGateway, type TestGateway } from '../../support/test-gateway';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

describe.each(DATABASES)('what is asked of upstream without being asked for ($name)', ({ createUrl }) => {
  const scene = sceneOf(createUrl);

  /** Nothing is asked any more of the lines of a test that is over. */
  afterEach(async () => {
    scene.upstream.answers.phoneNumber = () => phoneNumberNode();
    scene.upstream.answers.templates = () => ({ body: { data: [] } });
    scene.upstream.received.length = 0;
    const deactivated_at = new Date(scene.clock.now).toISOString();
    await scene.change(async ({ store }) => {
      for (const { id } of await store.lines.all()) await store.lines.update(id, { deactivated_at });
    });
  });

  const asked = (line: TestLine) => [
    scene.upstream.asked('phoneNumber', line.phoneNumberId).length,
    scene.upstream.received.filter(({ url }) =>
      url.includes(`${line.phoneNumberId.slice(-2)}/message_templates`),
    ).length,
  ];
  const after = async (time: number) => {
    scene.clock.now += time;
    await scene.gateway.pollDue();
  };
  /** Looks every minute. */
  const during = async (time: number) => {
    for (let passed = 0; passed < time; passed += MINUTE) await after(MINUTE);
  };

  test('is the status and the templates of a line that was never asked about, as soon as it is there', async () => {
    const line = await scene.line();
    await scene.gateway.pollDue();
    expect(asked(line)).toEqual([1, 1]);
    expect((await line.get('/status')).body).toMatchObject({
      state: 'connected',
      platform: { quality_rating: 'HIGH', last_checked_at: new Date(scene.clock.now).toISOString() },
    });
    expect((await line.get('/templates')).body.synced_at).toBe(new Date(scene.clock.now).toISOString());
    await scene.gateway.pollDue();
    expect(asked(line)).toEqual([1, 1]);
  });

  test('Polled on a schedule: the status some six times an hour, and the templates once', async () => {
    const line = await scene.line();
    await during(4 * HOUR);
    const [status, templates] = asked(line);
    expect(status).toBeGreaterThanOrEqual(18);
    expect(status).toBeLessThanOrEqual(30);
    expect(templates).toBeGreaterThanOrEqual(4);
    expect(templates).toBeLessThanOrEqual(6);
  });

  test('and what the checks need once a day, for all lines of a business account', async () => {
    const wabaId = '202290129340397';
    const lines = [await scene.line({ wabaId }), await scene.line({ wabaId })];
    const checked = () =>
      scene.upstream.received.filter(({ url }) => url.includes(`/${wabaId}/subscribed_apps`)).length;
    await scene.gateway.pollDue();
    expect(checked()).toBe(1);
    await after(19 * HOUR);
    expect(checked()).toBe(1);
    await after(10 * HOUR);
    expect(checked()).toBe(2);
    const stored = await scene.change(({ store }) => store.lines.checks());
    expect(stored.map(({ id }) => id)).toEqual(lines.map(({ id }) => id));
    expect(scene.gateway.logged()).not.toContain('upstream-access-token');
  });

  test('Quality is no longer pushed by upstream: poll it on a schedule. It then decides about sends', async () => {
    const line = await scene.line();
    await scene.gateway.pollDue();
    scene.upstream.answers.phoneNumber = () => phoneNumberNode({ quality_rating: 'RED' });
    expect((await line.send(imageTo('16505551234'))).status).toBe(200);
    await after(12 * MINUTE);
    expect((await line.send(imageTo('16505551234'))).body.error_code).toBe('line_quality_low');
    scene.upstream.answers.phoneNumber = () => phoneNumberNode({ quality_rating: 'YELLOW' });
    await after(12 * MINUTE);
    expect((await line.send(imageTo('16505551234'))).status).toBe(200);
  });

  test('tells of a check that found nothing new too, without every process reading its lines again', async () => {
    const line = await scene.line();
    await scene.gateway.pollDue();
    const revision = () => rows(scene.databaseUrl, 'select revision from registry');
    const before = await revision();
    await after(12 * MINUTE);
    expect(asked(line)[0]).toBe(2);
    expect((await line.get('/status')).body.platform.last_checked_at).toBe(
      new Date(scene.clock.now).toISOString(),
    );
    expect(await revision()).toEqual(before);
  });

  test('counts from a refresh that somebody asked for', async () => {
    const line = await scene.line();
    await scene.gateway.pollDue();
    await after(7 * MINUTE);
    await line.get('/status?refresh=1');
    await after(7 * MINUTE);
    expect(asked(line)).toEqual([2, 1]);
  });

  test('and what somebody asks for at that time are one request', async () => {
    const line = await scene.line();
    let answer = () => {};
    const held = new Promise<void>((resolve) => (answer = resolve));
    scene.upstream.answers.phoneNumber = async () => {
      await held;
      return phoneNumberNode();
    };
    const polled = scene.gateway.pollDue();
    await until(() => asked(line)[0] === 1);
    const requested = line.get('/status?refresh=1');
    const granted = () => scene.change(({ store }) => store.lines.refreshedAt(line.id, 'status', 'person'));
    await until(async () => (await granted()) !== null);
    await turns(10);
    answer();
    expect((await requested).body.platform.refresh).toEqual({ requested: true, performed: true });
    await polled;
    expect(asked(line)[0]).toBe(1);
    expect((await line.get('/status?refresh=1')).body.platform.refresh).toEqual({
      requested: true,
      performed: false,
      reason: 'cooldown',
      retry_after: 60,
    });
  });

  test.each(['templates', 'status'])(
    'starts no cooldown, which a customer alone does, from when the refresh of the %s began',
    async (what) => {
      const line = await scene.line();
      const refresh = async () => {
        const { body } = await line.get(`/${what}?refresh=1`);
        return body.refresh ?? body.platform.refresh;
      };
      await scene.gateway.pollDue();
      const slowly = (answer: Answer) => {
        scene.clock.now += MINUTE / 3;
        return answer;
      };
      scene.upstream.answers.phoneNumber = () => slowly(phoneNumberNode());
      scene.upstream.answers.templates = () => slowly({ body: { data: [] } });
      expect(await refresh()).toEqual({ requested: true, performed: true });
      expect(await refresh()).toMatchObject({ performed: false, retry_after: 40 });
    },
  );

  test('is asked ever more seldom of a line that fails, and as before once it does not', async () => {
    const failing = await scene.line();
    const line = await scene.line();
    const node = phoneNumberNode();
    scene.upstream.answers.phoneNumber = ({ url }) =>
      url.includes(failing.phoneNumberId) ? upstreamError(401, 190) : node;
    await scene.gateway.pollDue();
    await during(8 * HOUR);
    const [status = 0] = asked(failing);
    // 0, 2, 7, 22, 52 minutes, 2, 4, 8 hours.
    expect(status).toBeGreaterThanOrEqual(7);
    expect(status).toBeLessThanOrEqual(9);
    expect(asked(line)[0]).toBeGreaterThan(36);
    expect((await failing.get('/status')).body.platform).toMatchObject({ last_checked_at: null });
    expect(scene.gateway.logged()).toContain('line not polled');
    expect(scene.gateway.logged()).not.toContain('upstream-access-token');

    scene.upstream.answers.phoneNumber = () => node;
    await after(5 * HOUR);
    const before = asked(failing)[0] ?? 0;
    await during(HOUR);
    expect(asked(failing)[0]).toBeGreaterThanOrEqual(before + 4);
  });

  test('is asked soon of a line that is given other credentials, however often it failed before', async () => {
    const line = await scene.line();
    scene.upstream.answers.phoneNumber = () => upstreamError(401, 190);
    scene.upstream.answers.templates = () => upstreamError(401, 190);
    await during(5 * HOUR);
    scene.upstream.answers.phoneNumber = () => phoneNumberNode();
    const [status = 0, templates = 0] = asked(line);
    await scene.change(({ store, vault }) =>
      store.lines.update(line.id, { access_token_sealed: vault.seal('lines.access_token', 'another') }),
    );
    await after(MINUTE);
    expect(asked(line)).toEqual([status + 1, templates + 1]);
    expect((await line.get('/status')).body.state).toBe('connected');
    const { headers } = scene.upstream.received.findLast((one) => one.headers.authorization) ?? {};
    expect(headers?.authorization).toBe('Bearer another');
  });

  test('is asked of a line once it has credentials, and not before', async () => {
    const line = await scene.line({ accessToken: null });
    await during(HOUR);
    expect(asked(line)).toEqual([0, 0]);
    await scene.change(({ store, vault }) =>
      store.lines.update(line.id, { access_token_sealed: vault.seal('lines.access_token', 'a-token') }),
    );
    await after(MINUTE);
    expect(asked(line)).toEqual([1, 1]);
  });

  test('is not asked of a line while it is deactivated, but is while only its API is off', async () => {
    const line = await scene.line();
    const quiet = await scene.line();
    await line.edit({ deactivated_at: new Date(scene.clock.now).toISOString() });
    await quiet.edit({ api_disabled_at: new Date(scene.clock.now).toISOString() });
    await after(HOUR);
    expect(asked(line)).toEqual([0, 0]);
    expect(asked(quiet)).toEqual([1, 1]);
    await line.edit({ deactivated_at: null });
    await after(MINUTE);
    expect(asked(line)).toEqual([1, 1]);
  });

  test('is never asked of more than four lines at once, nor of all in the same minute again', async () => {
    await Promise.all(Array.from({ length: 30 }, () => scene.line()));
    let atOnce = 0;
    let most = 0;
    const slowly = async (answer: Answer) => {
      most = Math.max(most, ++atOnce);
      await new Promise((resolve) => setTimeout(resolve, 20));
      atOnce -= 1;
      return answer;
    };
    scene.upstream.answers.phoneNumber = ({ url }) =>
      /primary_funding_id|pricing_analytics/.test(url) ? phoneNumberNode() : slowly(phoneNumberNode());
    scene.upstream.answers.templates = () => slowly({ body: { data: [] } });
    await scene.gateway.pollDue();
    expect([2, 3, 4]).toContain(most);
    const minutes = [];
    for (let minute = 1; minute <= 13; minute++) {
      scene.upstream.received.length = 0;
      await after(MINUTE);
      const { length } = scene.upstream.received.filter(({ url }) => url.includes('?fields='));
      if (length) minutes.push(length);
    }
    expect(minutes.reduce((sum, count) => sum + count)).toBe(30);
    expect(minutes.length).toBeGreaterThanOrEqual(4);
    expect(Math.max(...minutes)).toBeLessThan(20);
  });

  test('is asked of a line at its time, however slow the answer to what was asked of another', async () => {
    const slow = await scene.line();
    const line = await scene.line();
    let answer = () => {};
    const held = new Promise<void>((resolve) => (answer = resolve));
    scene.upstream.answers.templates = async ({ url }) => {
      if (url.includes(`${slow.phoneNumberId.slice(-2)}/message_templates`)) await held;
      return { body: { data: [] } };
    };
    const first = scene.gateway.pollDue();
    await until(() => asked(slow)[1] === 1 && asked(line)[1] === 1);
    await during(45 * MINUTE);
    expect(asked(line)[0]).toBeGreaterThanOrEqual(4);
    expect(asked(slow)[0]).toBeGreaterThanOrEqual(4);
    expect(asked(slow)[1]).toBe(1);
    answer();
    await first;
  });

  test('is one list for all lines of a business account, which together stay below its 200 requests an hour', async () => {
    const wabaId = '202290129340398';
    const lines: TestLine[] = [];
    for (let more = 0; more < 30; more++) lines.push(await scene.line({ wabaId }));
    const list = {
      data: [{ id: '1', name: 'order', language: 'en', category: 'UTILITY', status: 'APPROVED' }],
    };
    scene.upstream.answers.templates = () => ({ body: list });
    const lists = () => scene.upstream.asked('templates', wabaId).length;
    const shown = async () => {
      const answers = await Promise.all(lines.map((line) => line.get('/templates?status=approved')));
      return new Set(answers.map(({ body }) => `${body.count} at ${body.synced_at}`));
    };
    await scene.gateway.pollDue();
    expect(lists()).toBe(1);
    expect(await shown()).toEqual(new Set([`1 at ${new Date(scene.clock.now).toISOString()}`]));
    for (let hour = 1; hour <= 3; hour++) {
      const before = scene.upstream.received.length;
      await during(HOUR);
      expect(scene.upstream.received.length - before).toBeLessThan(200);
      expect((await shown()).size).toBe(1);
    }
    expect(lists()).toBeGreaterThanOrEqual(3);
    expect(lists()).toBeLessThanOrEqual(6);
    for (const line of lines)
      expect(scene.upstream.asked('phoneNumber', line.phoneNumberId).length).toBeGreaterThanOrEqual(9);
  });

  test('is a list for each credential of a business account, and fails for all lines that share it', async () => {
    const wabaId = '202290129340399';
    const lines = [await scene.line({ wabaId }), await scene.line({ wabaId })];
    const other = await scene.line({ wabaId, accessToken: 'another' });
    scene.upstream.answers.templates = ({ headers }) =>
      headers.authorization === 'Bearer another' ? { body: { data: [] } } : upstreamError(401, 190);
    await scene.gateway.pollDue();
    expect(scene.upstream.asked('templates', wabaId)).toHaveLength(2);
    const failures = await rows(
      scene.databaseUrl,
      `select id, templates_failures as failed from lines where waba_id = '${wabaId}'`,
    );
    expect(new Map(failures.map(({ id, failed }) => [Number(id), Number(failed)]))).toEqual(
      new Map([...lines.map(({ id }) => [id, 1] as const), [other.id, 0]]),
    );
  });

  test('is asked again after a restart only when it is due', async () => {
    const first = await startScene(await createUrl(), { GATEWAY_UPSTREAM_URL: scene.upstream.url });
    const line = await first.line();
    await first.gateway.pollDue();
    await first.stop();
    const again = await startTestGateway(first.gateway.env, () => first.clock.now);
    await again.pollDue();
    expect(asked(line)).toEqual([1, 1]);
    first.clock.now += 13 * MINUTE;
    await again.pollDue();
    expect(asked(line)).toEqual([2, 1]);
    await again.stop();
  });

  test('is asked again soon where a clock that was wrong left a time in the future', async () => {
    const line = await scene.line();
    const future = '2031-01-01T00:00:00.000Z';
    await line.edit({
      status_refresh_at: future,
      templates_refresh_at: future,
      status_checked_at: future,
      templates_read_at: future,
    });
    await scene.gateway.pollDue();
    expect(asked(line)).toEqual([1, 1]);
    expect((await line.get('/status')).body).toMatchObject({ state: 'connected' });
    expect((await line.get('/templates')).body.synced_at).toBe(new Date(scene.clock.now).toISOString());
  });

  test('does not hold up the end of a gateway whose upstream is silent', async () => {
    scene.upstream.answers.phoneNumber = () => 'handled';
    scene.upstream.answers.templates = () => 'handled';
    // Its upstream outlives it, silent.
    const other = await startScene(await createUrl(), { GATEWAY_UPSTREAM_URL: scene.upstream.url });
    const line = await other.line();
    const polled = other.gateway.pollDue();
    await until(() => asked(line)[0] === 1);
    await other.stop();
    await polled;
  });
});

describe('gateways that share a PostgreSQL', () => {
  test('ask upstream once between them, whatever tells them that it is time', async () => {
    const scene = await startScene(await createDatabase());
    const env = settings(scene.databaseUrl, { GATEWAY_UPSTREAM_URL: scene.upstream.url });
    const gateways: TestGateway[] = [scene.gateway];
    for (let more = 0; more < 2; more++) gateways.push(await startTestGateway(env, () => scene.clock.now));
    await Promise.all(Array.from({ length: 10 }, () => scene.line()));
    await Promise.all(gateways.map((one) => one.refresh()));
    const everyone = () => Promise.all(gateways.map((one) => one.pollDue()));

    await everyone();
    // Of each line the status, the templates, and seven requests for its checks.
    expect(scene.upstream.received).toHaveLength(90);
    scene.clock.now += 12 * MINUTE;
    await everyone();
    expect(scene.upstream.received).toHaveLength(100);
    scene.upstream.answers.phoneNumber = () => upstreamError(500, 2);
    scene.clock.now += 12 * MINUTE;
    await everyone();
    scene.clock.now += MINUTE;
    await everyone();
    expect(scene.upstream.received).toHaveLength(110);

    await Promise.all(gateways.slice(1).map((one) => one.stop()));
    await scene.stop();
  });
});
