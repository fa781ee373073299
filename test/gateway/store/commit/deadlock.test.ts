import { Client } from 'pg';
import { type Store } from '../../../../gateway/store/store';
import { createDatabase } from '../../../support/postgres';
import { until } from '../../../support/http-peer';
import { at, attempt, notificationOf, openStores, owed } from '../support';

const KEYS = ['a', 'b'].map((name) => ({ destination_id: 1, event_id: `evt_${name}` }));

describe('what falls victim to a deadlock on PostgreSQL', () => {
  const open = openStores();

  test.each([
    ['a statement', (store: Store) => store.deliveries.makeDueBy(1, at(0))],
    ['a transaction', (store: Store) => store.deliveries.again(KEYS, at(0))],
  ])('is made again: %s', async (_, work) => {
    const url = await createDatabase();
    const store = await open(url);
    for (const name of ['a', 'b']) {
      await store.write(notificationOf([owed(name, [1])]));
      await store.write(attempt(1, name, 1, { due_at: at(60) }));
    }
    const other = new Client({ connectionString: url });
    await other.connect();
    // So that the store's side is found first.
    await other.query("set deadlock_timeout = '1min'");
    await other.query('begin');
    await other.query("update deliveries set lane = 'x' where event_id = 'evt_b'");
    const working = work(store);
    await until(async () => {
      const { rows } = await other.query('select from pg_locks where not granted');
      return rows.length > 0;
    });
    await other.query("update deliveries set lane = 'x' where event_id = 'evt_a'");
    await other.query('commit');
    await working;
    const { rows } = await other.query<{ deadlocks: string }>(
      'select deadlocks from pg_stat_database where datname = current_database()',
    );
    expect(Number(rows[0]?.deadlocks)).toBeGreaterThanOrEqual(1);
    expect(await store.deliveries.ofDestination(1)).toMatchObject([
      { lane: 'x', due_at: at(0) },
      { lane: 'x', due_at: at(0) },
    ]);
    await other.end();
  });
});
