import { withSecret } from '../../../gateway/alerts/channels/webhook';
import { outbox, type OutboxDeps } from '../../../gateway/alerts/outbox';
import { addChannel } from '../../../gateway/alerts/use-cases/add-channel';
import { offline } from '../../../gateway/cli/offline';
import { createHttpClient } from '../../../gateway/http/http-client';
import { HOUR, isoTime, MINUTE, SECOND } from '../../../gateway/time';
import { DATABASES } from '../../support/databases';
import { startPeer, until } from '../../support/http-peer';
import { settings } from '../../support/test-gateway';
import { ACTOR, TERMS } from './support';

test.each(DATABASES)(
  'of each channel one notice after the other, the oldest first; one that hangs holds no other up ($name)',
  async ({ createUrl }) => {
    let status = 503;
    const receiver = await startPeer(({ url }) => (url === '/hangs' ? 'handled' : { status }));
    const came = () =>
      receiver.received.map(({ url, headers }) => `${url.slice(1)} ${String(headers['webhook-id'])}`);
    let now = Date.parse('2026-03-10T12:00:00.000Z');
    await offline(settings(await createUrl()), async (world) => {
      const http = createHttpClient({ rules: world.rules, maxAnswerBytes: 1_000, brokenBody: 'ignored' });
      const deps = { ...world, http, clock: () => now, log: { warn: () => undefined } };
      const [one, other] = [outbox(deps as unknown as OutboxDeps), outbox(deps as unknown as OutboxDeps)];
      const add = (path: string) =>
        addChannel(world, ACTOR, null, {
          ...{ ...TERMS, kind: 'webhook', settings: withSecret({ url: `${receiver.url}/${path}` }) },
        });
      const [hangs, works] = [await add('hangs'), await add('works')];
      const tell = (channel: { id: number }, id: string) =>
        world.store.alerts.insertNotices([
          {
            ...{
              id,
              channel_id: channel.id,
              what: 'opened',
              kind: 'line_credentials',
              body: JSON.stringify({ id }),
            },
            created_at: isoTime((now += 1)),
          },
        ]);
      for (const id of ['b', 'a']) await tell(hangs, id);
      for (const id of ['d', 'c']) await tell(works, id);
      // The first is refused: the second waits for it, and does not overtake it.
      await one.takeDue();
      await until(() => came().length === 2);
      await other.takeDue();
      now += 9 * SECOND;
      await other.takeDue();
      expect(came().sort()).toEqual(['hangs b', 'works d']);
      status = 200;
      await until(async () => (await world.store.alerts.notice('d'))?.attempts === 1);
      now += 2 * SECOND;
      await other.takeDue();
      await until(async () => typeof (await world.store.alerts.notice('c'))?.told_at === 'string');
      expect(came().slice(2)).toEqual(['works d', 'works c']);
      await http.close();
      await receiver.close();
      await Promise.all([one.stop(), other.stop()]);
    });
  },
);

test.each(DATABASES)(
  'operators are told before customers, and what a wrong clock put off is due ($name)',
  async ({ createUrl }) => {
    const now = Date.parse('2026-03-10T12:00:00.000Z');
    await offline(settings(await createUrl()), async (world) => {
      const { alerts } = world.store;
      const add = (origin: 'operator' | 'token') =>
        addChannel(world, ACTOR, null, {
          ...{
            ...TERMS,
            origin,
            kind: 'webhook',
            settings: withSecret({ url: `https://${origin}.example.com` }),
          },
        });
      const [ofCustomer, ofOperator] = [await add('token'), await add('operator')];
      const notice = (id: string, channel: { id: number }, at: number) => ({
        ...{ id, channel_id: channel.id, what: 'opened' as const, kind: 'line_limit', body: '{}' },
        created_at: isoTime(at),
      });
      await alerts.insertNotices([
        notice('a', ofCustomer, now - MINUTE),
        notice('b', ofOperator, now + 24 * HOUR),
      ]);
      const claim = async (until: number) =>
        (await alerts.claim(isoTime(now), isoTime(until), 1)).map(({ id }) => id);
      expect(await claim(now + MINUTE)).toEqual(['b']);
      expect(await claim(now + MINUTE)).toEqual(['a']);
    });
  },
);
