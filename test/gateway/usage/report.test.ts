import { type Refusal } from '../../../gateway/errors';
import { type UsageInput } from '../../../gateway/usage/report-input';
import { usageReport } from '../../../gateway/usage/report';
import { type UsageSum } from '../../../gateway/usage/sums';
import { type Store, type WholeStore } from '../../../gateway/store/store';
import { DAY, isoTime } from '../../../gateway/time';
import { DATABASES } from '../../support/databases';
import { storeUsage } from '../../support/usage-days';
import { addLine, at, openStores } from '../store/support';

const open = openStores();
const clock = () => Date.parse(at(0));

const MARCH = { from: '2026-03-01', to: '2026-03-31' };

/** Period, value and messages sent of each row. */
async function sent(store: Store, asked: Partial<UsageInput>) {
  const { rows, total } = await usageReport({ store, clock }, { ...MARCH, ...asked });
  expect(total.counts.sent).toBe(rows.reduce((sum, { counts }) => sum + counts.sent, 0));
  return rows.map(({ period, value, counts }) => [period, value, counts.sent]);
}

const refused = (store: Store, asked: Partial<UsageInput>) =>
  usageReport({ store, clock }, { ...MARCH, ...asked }).then(
    () => null,
    (error: Refusal) => error.issues?.map(({ path, rule }) => `${path} ${rule}`),
  );

describe.each(DATABASES)('the usage report on $name', ({ createUrl }) => {
  let store: WholeStore;
  beforeEach(async () => {
    store = await open(await createUrl());
    await addLine(store);
    await addLine(store, '206540352242922');
  });

  test('reads whole months added up, with the same result as from days', async () => {
    const days = Array.from({ length: 400 }, (_, index) => isoTime(Date.UTC(2025, 1, 10) + index * DAY));
    await storeUsage(
      store,
      days.flatMap((time, index) =>
        ['marketing', 'utility'].map((category, place) => ({
          ...{ day: time.slice(0, 10), category, country: index % 3 ? 'BR' : 'US', sent: index + place },
        })),
      ),
    );
    for (const [from, to] of [
      ['2025-02-10', '2026-03-16'],
      ['2025-03-01', '2026-02-28'],
      ['2025-03-02', '2026-02-27'],
      ['2025-03-31', '2025-04-01'],
      ['2025-05-01', '2025-05-31'],
      ['2025-05-02', '2025-05-30'],
    ] as const)
      for (const filter of [{}, { country: 'BR' }, { category: 'utility' }]) {
        const byDay = await sent(store, { from, to, per: 'day', ...filter });
        const byMonth = await sent(store, { from, to, per: 'month', ...filter });
        const added = Map.groupBy(byDay, ([period]) => String(period).slice(0, 7));
        expect(byMonth).toEqual(
          [...added].map(([month, some]) => [
            month,
            null,
            some.reduce((sum, row) => sum + Number(row[2]), 0),
          ]),
        );
        const whole = await sent(store, { from, to, by: 'category', ...filter });
        expect(whole.reduce((sum, row) => sum + Number(row[2]), 0)).toBe(
          byMonth.reduce((sum, row) => sum + Number(row[2]), 0),
        );
      }
  });

  test('counts by day, week and month, and over the whole time', async () => {
    await storeUsage(store, [
      { day: '2026-02-28', sent: 1 },
      { day: '2026-03-01', sent: 2 },
      { day: '2026-03-02', sent: 4 },
      { day: '2026-03-08', sent: 8, kind: 'text' },
      { day: '2026-03-08', sent: 16, template: 'order' },
      { day: '2026-03-09', sent: 32 },
      { day: '2026-03-31', sent: 64 },
      { day: '2026-04-01', sent: 128 },
      { day: '2026-03-01', clock: 'utc', sent: 256 },
    ]);
    const asked = { from: '2026-02-28', to: '2026-04-01' };
    expect(await sent(store, { ...asked, per: 'day' })).toEqual([
      ['2026-02-28', null, 1],
      ['2026-03-01', null, 2],
      ['2026-03-02', null, 4],
      ['2026-03-08', null, 24],
      ['2026-03-09', null, 32],
      ['2026-03-31', null, 64],
      ['2026-04-01', null, 128],
    ]);
    // Weeks begin on Monday.
    expect(await sent(store, { ...asked, per: 'week' })).toEqual([
      ['2026-02-23', null, 3],
      ['2026-03-02', null, 28],
      ['2026-03-09', null, 32],
      ['2026-03-30', null, 192],
    ]);
    expect(await sent(store, { ...asked, per: 'month' })).toEqual([
      ['2026-02', null, 1],
      ['2026-03', null, 126],
      ['2026-04', null, 128],
    ]);
    expect(await sent(store, {})).toEqual([[null, null, 126]]);
    expect(await sent(store, { clock: 'utc' })).toEqual([[null, null, 256]]);
    expect(await sent(store, { from: '2025-03-01', to: '2025-03-31' })).toEqual([]);
  });

  test('counts all that happened to the messages', async () => {
    const counts = { sent: 1, delivered: 2, read: 3, failed: 4, received: 5, charged: 6 };
    await storeUsage(store, [counts, { ...counts, line_id: 2 }]);
    const { rows, total, asOf } = await usageReport({ store, clock }, MARCH);
    const twice = { sent: 2, delivered: 4, read: 6, failed: 8, received: 10, charged: 12 };
    expect([rows[0]?.counts, total.counts, asOf]).toEqual([twice, twice, at(0)]);
  });

  test('is grouped and filtered by each dimension', async () => {
    await store.customers.insert({ name: 'Padaria', external_id: null, created_at: at(0) });
    await store.lines.update(2, { customer_id: 1 });
    await storeUsage(store, [
      { line_id: 1, sent: 1, template: 'order', category: 'utility', country: 'BR' },
      { line_id: 1, sent: 2, template: 'sale', category: 'marketing', country: 'BR' },
      { line_id: 2, sent: 4, template: 'order', category: 'utility', country: 'PT' },
      { line_id: 2, sent: 8 },
    ]);
    const of = (...rows: [string, number][]) => rows.map(([value, count]) => [null, value, count]);
    expect(await sent(store, { by: 'line' })).toEqual(of(['1', 3], ['2', 12]));
    expect(await sent(store, { by: 'customer' })).toEqual(of(['', 3], ['1', 12]));
    expect(await sent(store, { by: 'template' })).toEqual(of(['', 8], ['order', 5], ['sale', 2]));
    expect(await sent(store, { by: 'category' })).toEqual(of(['', 8], ['marketing', 2], ['utility', 5]));
    expect(await sent(store, { by: 'country' })).toEqual(of(['??', 8], ['BR', 3], ['PT', 4]));
    expect(await sent(store, { lineId: 2 })).toEqual([[null, null, 12]]);
    expect(await sent(store, { customerId: 1 })).toEqual([[null, null, 12]]);
    expect(await sent(store, { customerId: null })).toEqual([[null, null, 3]]);
    expect(await sent(store, { customerId: 1, lineId: 1 })).toEqual([]);
    expect(await sent(store, { template: 'order', by: 'line' })).toEqual(of(['1', 1], ['2', 4]));
    expect(await sent(store, { template: '' })).toEqual([[null, null, 8]]);
    expect(await sent(store, { category: 'utility', country: 'PT' })).toEqual([[null, null, 4]]);
    expect(await sent(store, { by: 'customer', per: 'month' })).toEqual([
      ['2026-03', '', 3],
      ['2026-03', '1', 12],
    ]);
  });

  test('estimates what charged messages cost by the card of their day, country and customer', async () => {
    await store.customers.insert({ name: 'Padaria', external_id: null, created_at: at(0) });
    await store.lines.update(2, { customer_id: 1 });
    const card = (name: string, from: string, marketing: object, more: object = {}) =>
      store.rateCards.insert({
        ...{ customer_id: null, name, currency: 'USD', effective_from: from, imported_at: at(0) },
        rates: JSON.stringify({ marketing }),
        ...more,
      });
    await card('Spring', '2026-01-01', { BR: 60_000, '*': 10_000 });
    await card('Summer', '2026-03-16', { BR: 70_000 });
    await card('Padaria', '2026-03-01', { '*': 50_000 }, { customer_id: 1, currency: 'BRL' });
    const marketing = { category: 'marketing', sent: 1 };
    await storeUsage(store, [
      { ...marketing, day: '2026-03-15', country: 'BR', charged: 2 },
      { ...marketing, day: '2026-03-15', country: 'PT', charged: 4 },
      { ...marketing, day: '2026-03-16', country: 'BR', charged: 8 },
      { ...marketing, day: '2026-03-16', country: 'PT', charged: 16 },
      { ...marketing, day: '2026-03-20', country: '??', charged: 0 },
      { category: 'service', day: '2026-03-20', country: 'BR', charged: 32 },
      { ...marketing, line_id: 2, day: '2026-03-20', country: 'BR', charged: 64 },
    ]);
    const told = ({ estimates, unpriced, counts }: UsageSum) => [
      counts.charged,
      unpriced,
      ...estimates.map(({ currency, micros, cards }) => [currency, micros, ...cards.map(({ name }) => name)]),
    ];
    const report = async (asked: Partial<UsageInput>) => {
      const { rows, total } = await usageReport({ store, clock }, { ...MARCH, ...asked });
      return [...rows.map((row) => [row.value, ...told(row)]), told(total)];
    };
    const usd = ['USD', 2 * 60_000 + 4 * 10_000 + 8 * 70_000, 'Summer', 'Spring'];
    const brl = ['BRL', 64 * 50_000, 'Padaria'];
    const total = [126, 16 + 32, brl, usd];
    expect(await report({ by: 'customer' })).toEqual([['', 62, 48, usd], ['1', 64, 0, brl], total]);
    expect(await report({})).toEqual([[null, ...total], total]);
    expect(await report({ per: 'month', category: 'service' })).toEqual([
      [null, 32, 32],
      [32, 32],
    ]);
    // Another customer's card is not read.
    const seen = store.within({ lines: [1], content: [], customers: [] });
    expect(told((await usageReport({ store: seen, clock }, MARCH)).total)).toEqual([62, 48, usd]);
  });

  test('keeps the usage of a removed line for readers of all lines', async () => {
    await storeUsage(store, [
      { line_id: 1, sent: 1 },
      { line_id: 2, sent: 2 },
    ]);
    await store.lines.remove(2, at(1), '');
    expect(await sent(store, { by: 'line' })).toEqual([
      [null, '1', 1],
      [null, '2', 2],
    ]);
    expect(await sent(store, { lineId: 2 })).toEqual([[null, null, 2]]);
    const seen = store.within({ lines: [1], content: [], customers: [] });
    expect(await sent(seen, { by: 'line' })).toEqual([[null, '1', 1]]);
    expect(await refused(seen, { lineId: 2 })).toEqual(['line_id enum']);
    expect(await refused(seen, { customerId: 1 })).toEqual(['customer_id enum']);
  });

  test('is refused if it cannot be made, or would have too many rows', async () => {
    expect(await refused(store, { from: '2026-02-30', to: 'today' })).toEqual(['from pattern', 'to pattern']);
    expect(await refused(store, { to: '2026-02-28' })).toEqual(['to minimum']);
    expect(await refused(store, { from: '2025-02-24' })).toEqual(['to maximum']);
    expect(await refused(store, { from: '2025-02-25' })).toBeNull();
    expect(await refused(store, { clock: 'local', per: 'hour', by: 'type' })).toEqual([
      'clock enum',
      'per enum',
      'by enum',
    ]);
    expect(await refused(store, { country: 'Brazil' })).toEqual(['country pattern']);
    expect(await refused(store, { lineId: 3 })).toEqual(['line_id enum']);
    const many = Array.from({ length: 5_001 }, (_, index) => ({ template: `t${index}`, sent: 1 }));
    await storeUsage(store, many);
    expect(await refused(store, { by: 'template' })).toEqual(['per maxItems']);
    expect(await refused(store, { by: 'category' })).toBeNull();
  });
});
