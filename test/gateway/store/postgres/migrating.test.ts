import { Client } from 'pg';
import { openStore } from '../../../../gateway/store/store';
import { MINUTE } from '../../../../gateway/time';
import { until } from '../../../support/http-peer';
import { createDatabase } from '../../../support/postgres';
import { unpack } from '../schemas/fixture';

test('others write beside a migration that a dump keeps from a table, which outlives its connection', async () => {
  const url = await createDatabase();
  await unpack('30-last-tried', 'postgres', url);
  const [dump, before] = await Promise.all([connected(url), connected(url)]);
  await dump.query('begin; lock table deliveries in access share mode');
  const opening = openStore(url, 'gateway');
  await until(async () => {
    const { rows } = await before.query(
      `select from pg_locks where relation = 'deliveries'::regclass and not granted`,
    );
    return rows.length > 0;
  }, MINUTE);
  // What the migration would have wait for as long as the dump takes.
  await before.query(`set lock_timeout = '30s'`);
  await before.query('update deliveries set attempts = attempts');
  // While it waits for its next try.
  await until(async () => {
    const { rows } = await before.query(
      `select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database()
        and state = 'idle' and state_change < clock_timestamp() - interval '100 ms'`,
    );
    return rows.length > 0;
  }, MINUTE);
  await dump.query('commit');
  const store = await opening;
  const { rows } = await before.query(
    `select column_name from information_schema.columns where table_name = 'deliveries' and column_name = 'claimed_by'`,
  );
  expect(rows).toEqual([]);
  await Promise.all([store.close(), dump.end(), before.end()]);
});

test('a migration that loses its connection while it asks is refused, and nothing fails beside', async () => {
  const url = await createDatabase();
  await unpack('30-last-tried', 'postgres', url);
  const [dump, other] = await Promise.all([connected(url), connected(url)]);
  await dump.query('begin; lock table deliveries in access share mode');
  let told = '';
  void openStore(url, 'gateway').catch((error: unknown) => (told = String(error)));
  await until(async () => {
    await other.query(
      `select pg_terminate_backend(pid) from pg_locks where relation = 'deliveries'::regclass and not granted`,
    );
    return told !== '';
  }, MINUTE);
  expect(told).toContain('GATEWAY_DATABASE_URL cannot be used');
  await Promise.all([dump.end(), other.end()]);
});

async function connected(url: string): Promise<Client> {
  const client = new Client({ connectionString: url });
  await client.connect();
  return client;
}
