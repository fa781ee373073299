import { Client } from 'pg';
import { createDatabase } from '../../../support/postgres';
import { until } from '../../../support/http-peer';
import { openStore } from '../../../../gateway/store/store';
import { at, attempt, notificationOf, owed } from '../support';

const COMMITS = 20;
const OF_EACH = 100;

test('what is written finds its rows by their keys, whatever waits, and though its plans were made when nothing did', async () => {
  const url = await createDatabase();
  const store = await openStore(url);
  const other = new Client({ connectionString: url });
  await other.connect();
  await other.query('analyze');
  const { take } = store.rateLimits(() => Date.parse(at(0)))('a', { burst: 5, interval: 1000 });
  for (let commit = 0; commit < COMMITS; commit++) {
    const names = Array.from({ length: OF_EACH }, (_, index) => `${commit}-${index}`);
    const windows = names.map((contact) => ({ line_id: 1, contact, last_inbound_at: at(0) }));
    const events = names.map((name) => owed(name, [1]));
    await store.write(notificationOf(events, { windows }));
    // The others go on waiting.
    const tried = names.slice(0, OF_EACH / 10);
    await Promise.all(tried.map((name) => store.write(attempt(1, name, 1, { state: 'delivered' }))));
    await Promise.all(names.map(take));
  }
  // Its connections tell what they have read once they have ended.
  await store.close();
  await until(async () => {
    const { rows } = await other.query(
      'select from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
    );
    return rows.length === 0;
  });
  const { rows } = await other.query(
    `select relname, seq_tup_read + coalesce((select sum(idx_tup_read) from pg_stat_user_indexes i
       where i.relid = t.relid), 0) as read from pg_stat_user_tables t`,
  );
  expect(rows.filter(({ read }) => Number(read) > COMMITS * OF_EACH)).toEqual([]);
  await other.end();
});
