import { clockDoubts } from '../../../gateway/housekeeping/clear-old';
import { cloudApi } from '../../../gateway/cloud-api/client';
import { createHttpClient } from '../../../gateway/http/http-client';
import { eventIdBefore } from '../../../gateway/store/event-id';
import { DAY } from '../../../gateway/time';
import { DATABASES } from '../../support/databases';
import { startPeer } from '../../support/http-peer';
import { at, notificationOf, openStores, owed } from '../store/support';

describe.each(DATABASES)('a clock that is far ahead ($name)', ({ createUrl }) => {
  const open = openStores();
  const http = createHttpClient({ maxAnswerBytes: 1000, brokenBody: 'fails' });
  afterAll(() => http.close());
  const newest = Date.parse(at(0));
  const eventAt = (time: number) => notificationOf([owed(eventIdBefore(time).slice('evt_'.length), [])]);

  /** @param told what the platform answers as its time */
  async function judges(told: () => number) {
    const store = await open(await createUrl());
    const platform = await startPeer(() => ({
      status: 400,
      headers: { date: new Date(told()).toUTCString() },
    }));
    const api = cloudApi(http, platform.url);
    let now = newest;
    const begin = () => clockDoubts({ store, clock: () => now, cloudApi: api });
    return {
      store,
      platform,
      begin,
      async isDoubted(days: number, judge?: () => Promise<boolean>) {
        now = newest + days * DAY;
        return (judge ?? (await begin()))();
      },
    };
  }

  test('is found by the newest event before the start, so that nothing is cleared away by it', async () => {
    const { store, platform, begin, isDoubted } = await judges(() => newest);
    expect(await isDoubted(3650)).toBe(false);
    await store.write(eventAt(newest));
    const judge = await begin();
    for (const [days, doubted] of [
      [0, false],
      [6, false],
      [8, true],
      [3650, true],
    ] as const)
      expect(await isDoubted(days, judge)).toBe(doubted);
    // What came meanwhile has its time from that clock.
    await store.write(eventAt(newest + 3650 * DAY));
    expect(await isDoubted(3650, judge)).toBe(true);
    await platform.close();
    expect(await isDoubted(3650, judge)).toBe(true);
  });

  test('is none where the platform tells the same day, though no event came for weeks', async () => {
    const days = 30;
    const { store, platform, isDoubted } = await judges(() => newest + (days - 0.5) * DAY);
    await store.write(eventAt(newest));
    expect(await isDoubted(days)).toBe(false);
    expect(await isDoubted(days + 2)).toBe(true);
    // It is not told who asks.
    expect(platform.received.map(({ headers }) => headers.authorization)).toEqual([undefined, undefined]);
    await platform.close();
    expect(await isDoubted(days)).toBe(true);
  });
});
