import { Client } from 'pg';
import { type Store } from '../../../../gateway/store/store';
import { createDatabase } from '../../../support/postgres';
import { until } from '../../../support/http-peer';
import { at, openStores, owed, record } from '../support';

/** The beginning of an hour, by time and by event. */
const HOUR = [
  { at: at(0), eventId: 'evt_0' },
  { at: at(3600), eventId: 'evt_1' },
] as const;

describe('while a table on PostgreSQL is locked', () => {
  const open = openStores();
  let store: Store;
  let other: Client;

  beforeEach(async () => {
    const url = await createDatabase();
    store = await open(url);
    other = new Client({ connectionString: url });
    await other.connect();
  });
  afterEach(() => other.end());

  const lock = (table: string) => other.query(`begin; lock table ${table} in access exclusive mode`);

  test('what people look through keeps nothing else from its connections', async () => {
    await lock('messages');
    const looking = Promise.all(Array.from({ length: 12 }, () => store.history.stretch(...HOUR)));
    await until(async () => {
      const { rows } = await other.query('select from pg_locks where not granted');
      return rows.length > 0;
    });
    expect(await record(store, [owed('a', [1])])).toEqual(['evt_a']);
    expect(await store.processes.keepAlive('me', 'a name', 12)).toBe(false);
    expect(await store.owners.acquire('me', [1])).toHaveLength(1);
    expect(await store.queued.first(at(0), at(0))).toEqual([]);
    await other.query('commit');
    expect(await looking).toHaveLength(12);
  });

  test('those who ask for a rate are counted among what waits', async () => {
    const limit = store.rateLimits(Date.now)('a', { burst: 5, interval: 1000 });
    await lock('rates');
    const asking = Promise.all(['x', 'y', 'z'].map((key) => limit.take(key)));
    expect(store.waiting().writes).toBe(3);
    await other.query('commit');
    expect((await asking).every(({ wait }) => wait === 0)).toBe(true);
    await until(() => store.waiting().writes === 0);
  });
});
