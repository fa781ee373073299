import { type UsageDayTable } from '../../gateway/store/schema';
import { type Store } from '../../gateway/store/store';

/** A row of usage; all that is not given is empty or zero. */
export const usageDay = (more: Partial<UsageDayTable>): UsageDayTable => ({
  ...{ line_id: 1, clock: 'line', day: '2026-03-01', direction: 'out', kind: 'template', template: '' },
  ...{ category: '', type: '', country: '??' },
  ...{ sent: 0, delivered: 0, read: 0, failed: 0, received: 0, charged: 0 },
  ...more,
});

/** Stores all rows of some days, as a rebuild does. They stay, because the gateway has no messages of them. */
export async function storeUsage(store: Store, given: Partial<UsageDayTable>[]): Promise<void> {
  const rows = given.map(usageDay);
  for (const ofLine of Map.groupBy(rows, (row) => row.line_id).values()) {
    const lineId = ofLine[0]?.line_id ?? 0;
    const days = [...Map.groupBy(ofLine, (row) => `${row.clock} ${row.day}`).values()].map((some) => ({
      clock: some[0]?.clock ?? 'utc',
      day: some[0]?.day ?? '',
      rows: some,
    }));
    await store.usage.markOf(lineId, ['2026-01-01']);
    const [marked] = (await store.usage.marked(lineId)).marked;
    if (!marked || !(await store.usage.replace(marked, days))) throw new Error('The usage was not stored');
  }
  await store.usage.freeze('2100-01-01T00:00:00.000Z');
}
