import { until } from '../../support/http-peer';
import { createDatabase } from '../../support/postgres';
import { call, phoneNumberNode, startScene, upstreamError, type Reply } from '../../support/scene';
import { settings, startTestGateway } from '../../support/test-gateway';
import {
  askedForStatus,
  askedForTemplates,
  bearer,
  onEachDatabase,
  refuses,
  SECOND,
  upstreamTemplate,
} from './support';

/** What upstream tells, once `before` has happened. */
const answersOf = (word: string, before: () => void | Promise<void> = () => {}) => ({
  templates: async () => {
    await before();
    return { body: { data: [upstreamTemplate('one', { status: word })] } };
  },
  phoneNumber: async () => {
    await before();
    return phoneNumberNode({ name_status: word });
  },
});

const PERFORMED = { requested: true, performed: true };

describe.each(['templates', 'status'] as const)('8. Refresh (templates and status): %s', (operation) => {
  const reportOf = ({ body }: Reply) => (operation === 'status' ? body.platform.refresh : body.refresh);
  const told = ({ body }: Reply) =>
    operation === 'status'
      ? body.platform.name_status
      : body.data.find(({ name }: { name: string }) => name === 'one')?.platform_status;

  // Replicas need a PostgreSQL: a SQLite file serves one gateway.
  describe(`${operation} (PostgreSQL)`, () => {
    test('and replicas', async () => {
      const scene = await startScene(await createDatabase());
      const wabaId = '302290129340398';
      const line = await scene.line({ wabaId });
      Object.assign(scene.upstream.answers, answersOf('APPROVED'));
      await line.get(`/${operation}?refresh=1`);
      const other = await startTestGateway(
        settings(scene.databaseUrl, { GATEWAY_UPSTREAM_URL: scene.upstream.url }),
        () => scene.clock.now,
      );
      try {
        const reply = await call(`${other.url}/v22.0/${line.phoneNumberId}/${operation}?refresh=1`, {
          headers: bearer(line.token),
        });
        expect(reportOf(reply)).toMatchObject({ performed: false, reason: 'cooldown' });
        expect(told(reply)).toBe('APPROVED');
        scene.clock.now += 60 * SECOND;
        // What another one has just asked by itself keeps no customer waiting.
        await other.pollDue();
        scene.clock.now += 3600 * SECOND;
        await other.pollDue();
        expect(reportOf(await line.get(`/${operation}?refresh=1`))).toEqual(PERFORMED);
      } finally {
        await other.stop();
        await scene.stop();
      }
      const world = { scene, line, wabaId };
      expect(operation === 'status' ? askedForStatus(world) : askedForTemplates(world)).toHaveLength(3);
    });
  });

  onEachDatabase(operation, (world) => {
    const asked = () => (operation === 'status' ? askedForStatus(world) : askedForTemplates(world));
    const get = (query = '?refresh=1') => world.line.get(`/${operation}${query}`);
    /** What upstream tells, once `before` has happened. */
    const telling = (before: () => void | Promise<void> = () => {}, word = 'APPROVED') => {
      Object.assign(world.scene.upstream.answers, answersOf(word, before));
    };
    const failing = () => {
      world.scene.upstream.answers.templates = () => upstreamError(500, 2);
      world.scene.upstream.answers.phoneNumber = () => upstreamError(500, 2);
    };

    test('60 s cooldown per line and operation (refresh cooldown | templates, status | 60 seconds between refreshes (Cloud API lines only))', async () => {
      telling();
      expect(reportOf(await get())).toEqual(PERFORMED);
      const other = operation === 'status' ? '/templates?refresh=1' : '/status?refresh=1';
      const { body } = await world.line.get(other);
      expect(body.refresh ?? body.platform.refresh).toEqual(PERFORMED);
      const line = await world.scene.line();
      expect(reportOf(await line.get(`/${operation}?refresh=1`))).toEqual(PERFORMED);
      world.scene.clock.now += 60 * SECOND - 1;
      expect(reportOf(await get())).toMatchObject({ performed: false });
      world.scene.clock.now += 1;
      expect(reportOf(await get())).toEqual(PERFORMED);
    });

    test("only a customer's refresh=1 starts the 60 seconds; what the gateway asks by itself does not", async () => {
      telling();
      await world.scene.gateway.pollDue();
      // As right after a start: what was never asked for has just been.
      expect(asked()).toHaveLength(1);
      expect(reportOf(await get())).toEqual(PERFORMED);
      expect(asked()).toHaveLength(2);
      expect(reportOf(await get())).toMatchObject({ performed: false, retry_after: 60 });
    });

    test('a poll that is on its way is joined, and the 60 seconds begin all the same', async () => {
      let answer = () => {};
      const held = new Promise<void>((resolve) => (answer = resolve));
      telling(() => held);
      const polled = world.scene.gateway.pollDue();
      await until(() => asked().length === 1);
      const asking = [get(), get(), get()];
      await new Promise((resolve) => setTimeout(resolve, 50));
      answer();
      for (const reply of await Promise.all(asking)) expect(reportOf(reply)).toEqual(PERFORMED);
      await polled;
      expect(asked()).toHaveLength(1);
      expect(reportOf(await get())).toMatchObject({ performed: false, retry_after: 60 });
    });

    test('shared by tokens', async () => {
      telling();
      await get();
      const second = await world.scene.token(world.line.id, null);
      const reply = await call(
        `${world.scene.gateway.url}/v22.0/${world.line.phoneNumberId}/${operation}?refresh=1`,
        { headers: bearer(second) },
      );
      expect(reportOf(reply)).toMatchObject({ performed: false, reason: 'cooldown' });
      expect(asked()).toHaveLength(1);
    });

    test('counted from the start of a refresh', async () => {
      telling(() => {
        world.scene.clock.now += 20 * SECOND;
      });
      await get();
      expect(reportOf(await get())).toMatchObject({ retry_after: 40 });
    });

    test('simultaneous refreshes are one upstream call.', async () => {
      let answer = () => {};
      const held = new Promise<void>((resolve) => (answer = resolve));
      telling(() => held);
      const before = world.scene.upstream.received.length;
      const asking = Array.from({ length: 10 }, () => get());
      await world.scene.upstream.untilReceived(before + 1);
      answer();
      for (const reply of await Promise.all(asking)) expect(told(reply)).toBe('APPROVED');
      expect(asked()).toHaveLength(1);
    });

    test('Inside it: 200 with what is stored and refresh: {requested: true, performed: false, reason: "cooldown", retry_after: 37}', async () => {
      telling();
      await get();
      telling(undefined, 'REJECTED');
      world.scene.clock.now += 23 * SECOND;
      const reply = await get();
      expect([reply.status, told(reply)]).toEqual([200, 'APPROVED']);
      expect(reportOf(reply)).toEqual({
        requested: true,
        performed: false,
        reason: 'cooldown',
        retry_after: 37,
      });
    });

    test('Upstream failing: 200 with what is stored, performed: false, reason: "upstream_error"', async () => {
      telling();
      await get();
      world.scene.clock.now += 60 * SECOND;
      failing();
      const reply = await get();
      expect([reply.status, told(reply)]).toEqual([200, 'APPROVED']);
      expect(reportOf(reply)).toEqual({ requested: true, performed: false, reason: 'upstream_error' });
    });

    test('502 only where nothing is stored.', async () => {
      failing();
      refuses(world, await get(), 502, 'upstream_unavailable', 2);
      expect((await get('')).status).toBe(200);
    });

    test.each([
      ['1', true],
      ['true', true],
      ['0', false],
      ['false', false],
    ])('refresh takes 1/true, 0/false: %s', async (value, requested) => {
      telling();
      await get('');
      world.scene.clock.now += 60 * SECOND;
      const before = asked().length;
      expect(reportOf(await get(`?refresh=${value}`))).toEqual(requested ? PERFORMED : { requested: false });
      expect(asked().length - before).toBe(requested ? 1 : 0);
    });

    test.each(['', 'yes', '2', 'TRUE', '1&refresh=1'])('else 400: "%s"', async (value) => {
      refuses(world, await get(`?refresh=${value}`), 400, 'invalid_query', 100);
      expect(asked()).toEqual([]);
    });
  });
});
