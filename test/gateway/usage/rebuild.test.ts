import { type MessageChange, type NotificationWrite } from '../../../gateway/store/commit/writes';
import { eventIdBefore } from '../../../gateway/store/event-id';
import { type Whose } from '../../../gateway/store/reports/traces';
import { type UsageDayRow } from '../../../gateway/store/tables/usage';
import { DAY, HOUR, isoTime, MINUTE, SECOND } from '../../../gateway/time';
import { countryOf } from '../../../gateway/usage/country-of-number';
import { toldPricing } from '../../../gateway/usage/pricing';
import { freezeBefore, rebuildAll, rebuildMarked, usageRounds } from '../../../gateway/usage/rebuild';
import { DATABASES } from '../../support/databases';
import { addLine, event, notificationOf, openStores } from '../store/support';

const NOON = Date.parse('2026-11-10T12:00:00Z');
const MARKETING = { billable: true, pricing_model: 'PMP', type: 'regular', category: 'MARKETING' };
const FREE = { billable: false, pricing_model: 'PMP', type: 'free_customer_service', category: 'service' };

describe.each(DATABASES)('usage ($name)', ({ createUrl }) => {
  const open = openStores();
  let now = NOON;
  const goesOn = () => true;

  async function sceneWith(zone: string | null = null) {
    const store = await open(await createUrl());
    now = NOON;
    const lineId = await addLine(store);
    await store.db.updateTable('lines').set({ time_zone: zone }).execute();
    const deps = { store, clock: () => now, goesOn };
    const rows = (clock: 'line' | 'utc' = 'utc') =>
      store.db
        .selectFrom('usage_days')
        .selectAll()
        .where('clock', '=', clock)
        .orderBy('day')
        .orderBy('direction')
        .orderBy('kind')
        .orderBy('category')
        .orderBy('country')
        .execute();
    const send = (wamid: string, at: number, more: Partial<MessageChange> = {}) =>
      store.write({
        kind: 'message',
        message: {
          ...{ line_id: lineId, wamid, contact: '5511987654321', type: 'text' },
          ...{ accepted_at: isoTime(at), ...more },
        },
      });
    const tell = (wamid: string, status: string, at: number, pricing: unknown = MARKETING) =>
      store.write(
        notificationOf([], {
          messages: [
            {
              ...{ line_id: lineId, wamid, contact: '5511987654321' },
              ...{ [`${status}_at`]: isoTime(at), pricing: toldPricing(status, pricing) },
            },
          ],
        } satisfies Partial<NotificationWrite>),
      );
    return { store, lineId, deps, rows, send, tell, round: usageRounds(deps) };
  }

  const counted = (rows: UsageDayRow[]) =>
    rows.map(
      ({ day, direction, kind, category, country, sent, delivered, read, failed, received, charged }) =>
        [day, direction, kind, category, country, sent, delivered, read, failed, received, charged].join(' '),
    );

  test('counts each message once, whatever the order and number of its statuses', async () => {
    const { store, deps, rows, send, tell, round } = await sceneWith();
    await send('a', now - HOUR);
    await send('b', now - HOUR);
    await send('c', now - HOUR);
    await send('d', now - HOUR);
    for (const status of ['read', 'delivered', 'sent', 'delivered', 'read']) await tell('a', status, now);
    await tell('b', 'sent', now);
    await tell('c', 'failed', now);
    await tell('d', 'played', now, FREE);
    await round();
    expect(counted(await rows())).toEqual([
      '2026-11-10 out text marketing BR 3 1 1 1 0 1',
      '2026-11-10 out text service BR 1 1 1 0 0 0',
    ]);
    const before = await rows();
    expect(await rebuildAll(deps)).toMatchObject({ changed: 0 });
    expect(await rows()).toEqual(before);
    const months = await store.db.selectFrom('usage_months').selectAll().where('clock', '=', 'utc').execute();
    expect(months.map(({ month, sent, charged }) => [month, sent, charged]).toSorted()).toEqual([
      ['2026-11', 1, 0],
      ['2026-11', 3, 1],
    ]);
  });

  test('a status marks the day of its message; a send alone is found by the round', async () => {
    const { store, rows, send, tell, round } = await sceneWith();
    await send('late', now - 3 * DAY);
    await round();
    await tell('late', 'read', now);
    expect((await store.usage.marked()).marked).toMatchObject([{ day: '2026-11-07' }]);
    await round();
    expect(counted(await rows())).toEqual(['2026-11-07 out text marketing BR 1 1 1 0 0 1']);
    await send('new', now);
    expect((await store.usage.marked()).marked).toEqual([]);
    await round();
    expect(counted(await rows()).at(-1)).toBe('2026-11-10 out text  BR 1 0 0 0 0 0');
  });

  test('the pricing of the delivery wins, in both orders', async () => {
    const { rows, send, tell, round } = await sceneWith();
    for (const [wamid, statuses] of [
      ['a', ['sent', 'delivered']],
      ['b', ['delivered', 'sent']],
    ] as const) {
      await send(wamid, now);
      for (const status of statuses) await tell(wamid, status, now, status === 'sent' ? MARKETING : FREE);
    }
    await round();
    expect(counted(await rows())).toEqual(['2026-11-10 out text service BR 2 2 0 0 0 0']);
  });

  test('days are those of the time zone of the line, and of UTC', async () => {
    const { rows, send, round } = await sceneWith('America/Los_Angeles');
    const midnight = Date.parse('2026-11-10T08:00:00Z');
    await send('before', midnight - 1);
    await send('after', midnight);
    await round();
    expect(counted(await rows('line'))).toEqual([
      '2026-11-09 out text  BR 1 0 0 0 0 0',
      '2026-11-10 out text  BR 1 0 0 0 0 0',
    ]);
    expect(counted(await rows('utc'))).toEqual(['2026-11-10 out text  BR 2 0 0 0 0 0']);
  });

  test('counts what contacts sent, the phone app, and messages sent past the gateway', async () => {
    const { store, lineId, rows, tell, round } = await sceneWith();
    const received = (id: string, kind: string, contact: string) =>
      event(id, {
        id: `${eventIdBefore(now)}${id}`,
        ...{ line_id: lineId, kind, contact, received_at: isoTime(now) },
      });
    await store.write(
      notificationOf([
        received('a', 'text', '12025550147'),
        received('b', 'text', '12045550147'),
        received('c', 'image', 'US.13491208655302741918'),
      ]),
    );
    await store.write(
      notificationOf([], {
        messages: [
          {
            ...{ line_id: lineId, wamid: 'app', contact: '4915112345678', type: 'text', sent_from: 'app' },
            ...{ accepted_at: isoTime(now), sent_at: isoTime(now) },
          },
        ],
      }),
    );
    await tell('past', 'delivered', now);
    await round();
    expect(counted(await rows())).toEqual([
      '2026-11-10 app text  DE 1 0 0 0 0 0',
      '2026-11-10 in image  US 0 0 0 0 1 0',
      '2026-11-10 in text  CA 0 0 0 0 1 0',
      '2026-11-10 in text  US 0 0 0 0 1 0',
      '2026-11-10 out  marketing BR 1 1 0 0 0 1',
    ]);
  });

  test('a first status that arrives late moves the message to its day', async () => {
    const { rows, tell, round } = await sceneWith();
    await tell('past', 'delivered', now - DAY);
    await round();
    await tell('past', 'sent', now - 2 * DAY);
    await round();
    expect(counted(await rows())).toEqual(['2026-11-08 out  marketing BR 1 1 0 0 0 1']);
  });

  test('a frozen day stays as it is when its messages are gone', async () => {
    const { store, lineId, deps, rows, send, tell } = await sceneWith();
    await send('old', now - 5 * DAY);
    await tell('old', 'delivered', now - 5 * DAY);
    await freezeBefore(deps, now - 4 * DAY);
    await store.messages.removeBefore(isoTime(now - 4 * DAY), 100);
    // Its row comes back without the rest.
    await tell('old', 'read', now);
    await store.usage.markOf(lineId, ['2026-11-05']);
    await rebuildMarked(deps);
    expect(counted(await rows())).toContain('2026-11-05 out text marketing BR 1 1 0 0 0 1');
  });

  test('an erased contact changes nothing of the usage', async () => {
    const { store, deps, lineId, rows, send, tell, round } = await sceneWith();
    await send('a', now);
    await tell('a', 'delivered', now);
    await store.write(
      notificationOf([
        event('x', {
          id: eventIdBefore(now),
          ...{ line_id: lineId, contact: '5511987654321', received_at: isoTime(now) },
        }),
      ]),
    );
    await round();
    const before = await rows();
    const whose: Whose = { identities: ['5511987654321'], lines: 'all', countryOf };
    await store.traces.emptyEvents(whose, '', isoTime(now), 10);
    await store.traces.removeRest(whose);
    expect(await rebuildAll(deps)).toMatchObject({ changed: 0 });
    expect(await rows()).toEqual(before);
    expect(before).toHaveLength(2);
  });

  test('a day that is read in parts has the same rows', async () => {
    const { store, lineId, deps, rows, send, tell, round } = await sceneWith('America/Los_Angeles');
    for (let hour = 0; hour < 12; hour++) {
      await send(`m${hour}`, now - hour * HOUR);
      if (hour % 2) await tell(`m${hour}`, 'read', now - hour * HOUR);
    }
    await round();
    const before = [await rows(), await rows('line')];
    // As if the day had had many messages.
    await store.db.updateTable('usage_days').set({ sent: 1_000_000 }).execute();
    await store.usage.markOf(lineId, ['2026-11-10']);
    expect(await rebuildMarked(deps)).toMatchObject({ days: 3, changed: 3 });
    expect([await rows(), await rows('line')]).toEqual(before);
  });

  test('a rebuild that was outrun writes nothing', async () => {
    const { store, rows, send, tell, round } = await sceneWith();
    await send('a', now);
    await tell('a', 'delivered', now);
    const [seen] = (await store.usage.marked()).marked;
    await round();
    const before = await rows();
    expect(seen && (await store.usage.replace(seen, [{ clock: 'utc', day: '2026-11-10', rows: [] }]))).toBe(
      false,
    );
    expect(await rows()).toEqual(before);
  });

  test('a line that is removed while its day is rebuilt keeps its usage', async () => {
    const { store, lineId, rows, send, round } = await sceneWith();
    await send('a', now);
    await round();
    const before = await rows();
    await store.usage.markOf(lineId, ['2026-11-10']);
    const [seen] = (await store.usage.marked()).marked;
    await store.db
      .updateTable('lines')
      .set({ removed_at: isoTime(now) })
      .execute();
    expect(seen && (await store.usage.replace(seen, [{ clock: 'utc', day: '2026-11-10', rows: [] }]))).toBe(
      true,
    );
    expect(await rows()).toEqual(before);
    expect((await store.usage.marked()).marked).toEqual([]);
  });

  test('a mark that became visible late stays', async () => {
    const { store, lineId, send, tell } = await sceneWith();
    await send('a', now);
    await tell('a', 'delivered', now);
    const [seen] = (await store.usage.marked()).marked;
    await store.usage.markOf(lineId, ['2026-11-10']);
    // As if both had been recorded before the last one was read.
    expect(seen && (await store.usage.replace({ ...seen, lastMark: seen.lastMark + 1 }, []))).toBe(true);
    expect((await store.usage.marked()).marked).toMatchObject([{ day: '2026-11-10', marks: 1 }]);
  });

  test('the first round rebuilds everything that was recorded before, and each day once more after its end', async () => {
    const { store, rows, send, round } = await sceneWith();
    await send('a', now - 40 * DAY);
    await send('b', now - DAY);
    await round();
    expect(counted(await rows()).map((row) => row.slice(0, 10))).toEqual(['2026-10-01', '2026-11-09']);
    // Recorded by another process long after its time.
    now += MINUTE;
    await send('c', now - HOUR);
    await round();
    expect(await rows()).toHaveLength(2);
    now = Date.parse('2026-11-11T00:10:01Z') + SECOND;
    await round();
    expect(counted(await rows()).at(-1)).toBe('2026-11-10 out text  BR 1 0 0 0 0 0');
    expect(await store.usage.progress()).toMatchObject({ settled: '2026-11-10' });
  });

  test('ends between two days when it must stop', async () => {
    const { store, send, tell } = await sceneWith();
    for (const days of [1, 2, 3]) {
      await send(`m${days}`, now - days * DAY);
      await tell(`m${days}`, 'sent', now);
    }
    let asked = 0;
    await rebuildMarked({ store, goesOn: () => ++asked < 2 });
    expect((await store.usage.marked()).marked.map(({ day }) => day)).toEqual(['2026-11-08', '2026-11-07']);
  });
});
