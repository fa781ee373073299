import { databaseWatch } from '../../../gateway/alerts/database-away';
import { withSecret } from '../../../gateway/alerts/channels/webhook';
import { lookOnce, type LookDeps } from '../../../gateway/alerts/look';
import { type Notice } from '../../../gateway/alerts/notice';
import { outbox, type OutboxDeps } from '../../../gateway/alerts/outbox';
import { addChannel } from '../../../gateway/alerts/use-cases/add-channel';
import { offline } from '../../../gateway/cli/offline';
import { createHttpClient } from '../../../gateway/http/http-client';
import { HOUR, isoTime, MINUTE, SECOND } from '../../../gateway/time';
import { DATABASES } from '../../support/databases';
import { startPeer } from '../../support/http-peer';
import { settings } from '../../support/test-gateway';
import { ACTOR, TERMS } from './support';

test.each(DATABASES)(
  'that the database is away is told from memory by any process, once a channel, and so is its end ($name)',
  async ({ createUrl }) => {
    let status = 200;
    const receiver = await startPeer(() => ({ status }));
    const notices = () => receiver.received.map(({ body }) => JSON.parse(body).data as Notice);
    const START = Date.parse('2026-03-10T12:00:00.000Z');
    let now = START;
    await offline(settings(await createUrl()), async (world) => {
      const given = { ...TERMS, kind: 'webhook', settings: withSecret({ url: receiver.url }) } as const;
      await addChannel(world, ACTOR, null, given);
      const paused = await addChannel(world, ACTOR, null, given);
      await world.store.alerts.updateChannel(paused.id, { paused_at: isoTime(now) });
      const http = createHttpClient({ rules: world.rules, maxAnswerBytes: 1_000, brokenBody: 'ignored' });
      // What only other channels and what only the first process needs is left out.
      const deps = {
        ...world,
        http,
        clock: () => now,
        log: { warn: () => undefined },
        watch: { seen: () => ({ conditions: [], unknown: new Set() }) },
        processId: () => 'not the first',
        address: () => 'https://gateway.example.com',
        pathOf: () => '/panel/overview',
        alertsPath: '/panel/alerts',
      } as unknown as LookDeps & OutboxDeps;
      const away = databaseWatch(deps);
      expect(await lookOnce(deps, away.know, true)).toBe(false);

      const failed = async () => {
        away.failed();
        await away.stop();
      };
      const sent = () => outbox(deps).sendDue();

      await failed();
      now += MINUTE - 1;
      await failed();
      expect(receiver.received).toEqual([]);
      now += 1;
      // It is tried again until it is taken.
      status = 503;
      await failed();
      status = 200;
      for (let look = 0; look < 3; look++, now += 10 * SECOND) await failed();
      const [id, ...more] = receiver.received.map(({ headers }) => headers['webhook-id']);
      expect(more).toEqual([id]);
      expect(notices()[1]).toMatchObject({
        ...{ what: 'opened', condition: 'database_away', severity: 'critical', since: isoTime(START) },
        title: 'The database does not answer',
      });

      // What cannot be stored is told once it can.
      const { inTurn } = world.store.alerts;
      world.store.alerts.inTurn = () => Promise.reject(new Error('away once more'));
      await expect(away.answered()).rejects.toThrow('away once more');
      world.store.alerts.inTurn = inTurn;
      await away.answered();
      await away.answered();
      await sent();
      expect(notices().slice(2)).toMatchObject([
        { what: 'recovered', condition: 'database_away', since: isoTime(START), ended: isoTime(now) },
      ]);
      // The history has it with its length.
      expect(await world.store.alerts.closed(9)).toMatchObject([
        { kind: 'database_away', since: isoTime(START), closed_at: isoTime(now) },
      ]);

      // It comes and goes for two hours: three times each hour, and in the end as it is.
      const before = receiver.received.length;
      for (const end = now + 2 * HOUR; now < end; now += 2 * MINUTE) {
        await failed();
        now += MINUTE;
        await failed();
        await away.answered();
        await sent();
      }
      const flaps = notices().slice(before);
      expect(flaps.length).toBeGreaterThan(3);
      expect(flaps.length).toBeLessThanOrEqual(7);
      now += HOUR;
      await away.answered();
      await sent();
      expect(notices().at(-1)).toMatchObject({ what: 'recovered' });
      await http.close();
    });
    await receiver.close();
  },
);
