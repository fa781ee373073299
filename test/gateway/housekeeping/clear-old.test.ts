import { clearingRounds, clearWhatIsOld } from '../../../gateway/housekeeping/clear-old';
import { cloudApi } from '../../../gateway/cloud-api/client';
import { createHttpClient } from '../../../gateway/http/http-client';
import { LONGEST_WAIT } from '../../../gateway/forwarding/retry-schedule';
import { eventIdBefore } from '../../../gateway/store/event-id';
import { createVault } from '../../../gateway/store/vault';
import { DAY, HOUR, isoTime, SECOND } from '../../../gateway/time';
import { rebuildAll } from '../../../gateway/usage/rebuild';
import { DATABASES } from '../../support/databases';
import { startPeer, type HttpPeer } from '../../support/http-peer';
import { addDestination, addLine, event, notificationOf, openStores, owed } from '../store/support';

const KEPT = {
  GATEWAY_KEEP_BODIES: 30 * DAY,
  GATEWAY_KEEP_EVENTS: 90 * DAY,
  GATEWAY_KEEP_MESSAGES: null,
  GATEWAY_KEEP_CONTACTS: null,
  GATEWAY_KEEP_AUDIT: null,
};

describe.each(DATABASES)('a clock that is far ahead ($name)', ({ createUrl }) => {
  const open = openStores();
  const http = createHttpClient({ maxAnswerBytes: 1000, brokenBody: 'fails' });
  const platforms: HttpPeer[] = [];
  afterAll(async () => {
    await http.close();
    await Promise.all(platforms.map((one) => one.close()));
  });
  const eventAt = (time: number) => notificationOf([owed(eventIdBefore(time).slice('evt_'.length), [])]);

  /** @param right days by which the platform's clock differs from the right one */
  async function gatewayOf(right = 0) {
    const store = await open(await createUrl());
    const platform = await startPeer(() => ({
      status: 400,
      headers: { date: new Date(Date.now() + right * DAY).toUTCString() },
    }));
    platforms.push(platform);
    let ahead = 0;
    const clock = () => Date.now() + ahead * DAY;
    const start = () =>
      clearingRounds({
        ...{ store, clock, config: KEPT, registry: { refresh: async () => undefined } },
        vault: createVault('a-key-of-at-least-32-characters!'),
        cloudApi: cloudApi(http, platform.url),
        goesOn: () => true,
        isFirst: async () => true,
      });
    return {
      store,
      platform,
      /** Of a gateway that has just started with its clock so many days ahead. */
      round: (days: number) => {
        ahead = days;
        return start()();
      },
      receives: () => store.write(eventAt(clock())),
      isThere: async () => (await store.events.newest()) !== null,
    };
  }

  test('clears nothing away, however often it starts and whatever came meanwhile', async () => {
    const { platform, round, receives, isThere } = await gatewayOf();
    await receives();
    expect(await round(100)).toBe(false);
    // Its time is from the clock that is wrong.
    await receives();
    for (const days of [100, 3650, 2]) expect(await round(days)).toBe(false);
    expect(await isThere()).toBe(true);
    expect(await round(0.5)).toBe(true);
    // It is not told who asks.
    expect(platform.received.flatMap(({ headers }) => headers.authorization ?? [])).toEqual([]);
  });

  test('is told by the platform, and doubted while the platform cannot be asked', async () => {
    const { store, platform, round, isThere } = await gatewayOf(100);
    await store.write(eventAt(Date.now()));
    await platform.close();
    expect(await round(100)).toBe(false);
    expect(await isThere()).toBe(true);
    const later = await gatewayOf(100);
    await later.store.write(eventAt(Date.now()));
    expect(await later.round(100)).toBe(true);
    expect(await later.isThere()).toBe(false);
  });

  test('has planned retries that are made as soon as it is right again', async () => {
    const { store } = await gatewayOf();
    const now = isoTime(Date.now());
    const id = await addDestination(store, await addLine(store));
    const due = async () => (await store.deliveries.ofDestination(id)).map(({ due_at: at }) => at);
    const late = isoTime(Date.now() + 30 * DAY);
    const soon = isoTime(Date.now() + DAY);
    for (const [event, at] of [
      ['0001', late],
      ['0002', soon],
    ] as const) {
      const { events, ...rest } = notificationOf([owed(event, [id])]);
      await store.write({
        ...rest,
        events: events.map((one) => ({
          ...one,
          deliveries: one.deliveries.map((delivery) => ({ ...delivery, due_at: at })),
        })),
      });
    }
    expect(await due()).toEqual([late, soon]);
    await store.deliveries.bringForward(now, isoTime(Date.now() + LONGEST_WAIT));
    expect(await due()).toEqual([now, soon]);
  });
});

describe.each(DATABASES)('what is deleted while a day begins ($name)', ({ createUrl }) => {
  const open = openStores();

  test('is of days whose usage is frozen', async () => {
    const store = await open(await createUrl());
    const lineId = await addLine(store);
    let now = Date.parse('2026-11-10T23:59:59Z');
    const kept = 30 * DAY;
    const at = now - kept + 2 * SECOND;
    for (const [wamid, accepted] of [
      ['first', at],
      ['later', at + HOUR],
    ] as const)
      // prettier-ignore
      await store.write({
        kind: 'message',
        message: { line_id: lineId, wamid, type: 'text', accepted_at: isoTime(accepted) },
      });
    await store.write(notificationOf([event('b', { id: `${eventIdBefore(at)}b`, line_id: lineId })]));
    await store.usage.settled('2026-11-08');
    const counted = (day: string) => ({
      ...{ line_id: lineId, day, category: '', type: '', country: '', delivered: 0 },
      read_at: '2026-11-01T00:00:00.000Z',
    });
    const days = ['2026-10-11', '2026-10-12'];
    await store.platformUsage.replace(lineId, '2026-10-11', '2026-10-12', days.map(counted));
    await store.usage.markOf(lineId, ['2026-10-12']);
    const deps = {
      ...{ store, clock: () => now, registry: { refresh: async () => undefined } },
      ...{ vault: createVault('a-key-of-at-least-32-characters!') },
      config: { ...KEPT, GATEWAY_KEEP_EVENTS: kept, GATEWAY_KEEP_MESSAGES: kept },
      goesOn: () => {
        now = Date.parse('2026-11-11T00:01:00Z');
        return true;
      },
    };
    await clearWhatIsOld(deps);
    expect(await store.usageReport.totals('2026-10')).toMatchObject([{ messages: 1 }, { messages: 2 }]);
    expect(await rebuildAll(deps)).toMatchObject({ changed: 0 });
    // Older counts of the platform are not compared any more.
    expect((await store.platformUsage.since('2026-10-01')).map(({ day }) => day)).toEqual(['2026-10-12']);
  });
});
