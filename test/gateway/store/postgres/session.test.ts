import { Client } from 'pg';
import { openStore } from '../../../../gateway/store/store';
import { boundSession, prepareStatements } from '../../../../gateway/store/postgres/session';
import { until } from '../../../support/http-peer';
import { createDatabase } from '../../../support/postgres';

test.each([
  ['off', 'on'],
  ['local', 'local'],
  ['remote_apply', 'remote_apply'],
])(
  'a commit is on disk before it is reported, also where the operator has said %s',
  async (said, expected) => {
    const client = new Client({ connectionString: await createDatabase() });
    await client.connect();
    await client.query(`set synchronous_commit = ${said}`);
    await boundSession(client);
    const { rows } = await client.query('show synchronous_commit');
    expect(rows).toEqual([{ synchronous_commit: expected }]);
    await client.end();
  },
);

test('queries are not compiled, even if the server would compile them', async () => {
  const client = new Client({ connectionString: await createDatabase() });
  await client.connect();
  await client.query('set jit = on');
  await boundSession(client);
  const { rows } = await client.query('show jit');
  expect(rows).toEqual([{ jit: 'off' }]);
  await client.end();
});

test('the connection on which a store listens is asked one thing after the other', async () => {
  /** What was asked together, by connection. */
  const open = new Map<unknown, number>();
  let together = 0;
  let asked = 0;
  const { query } = Client.prototype;
  const watched = jest.spyOn(Client.prototype, 'query').mockImplementation(function (
    this: Client,
    ...of: unknown[]
  ) {
    const answer = (query as (...of: unknown[]) => Promise<unknown> | undefined).apply(this, of);
    // Asked with a callback.
    if (!answer) return answer as never;
    asked++;
    open.set(this, (open.get(this) ?? 0) + 1);
    together = Math.max(together, open.get(this) ?? 0);
    return answer.finally(() => open.set(this, (open.get(this) ?? 0) - 1)) as never;
  });
  const store = await openStore(await createDatabase());
  store.listen(() => void store.followed(1));
  expect(await store.holdProcessName()).toBe(true);
  for (let revision = 2; revision < 9; revision++) void store.followed(revision);
  await until(() => asked >= 9);
  expect(together).toBe(1);
  await store.close();
  watched.mockRestore();
});

test('what queues ask again and again is planned once, and finds its rows by index', async () => {
  const client = new Client({ connectionString: await createDatabase() });
  await client.connect();
  await prepareStatements(client);
  await client.query('create table things (id int primary key, name text)');
  // One page, by the statistics: nobody would look into an index for that.
  await client.query('insert into things values (1)');
  await client.query('analyze things');
  const asked = 'select name from things where id = $1';
  for (let id = 0; id < 9; id++) await client.query(asked, [id]);
  const { rows } = await client.query(
    'select generic_plans from pg_prepared_statements where statement = $1',
    [asked],
  );
  expect(rows).toEqual([{ generic_plans: '9' }]);
  const explained = await client.query('explain select name from things where id = 5');
  expect(JSON.stringify(explained.rows)).toContain('Index Scan using things_pkey');
  // A text of another length each time is not kept.
  for (let count = 1; count < 90; count++) await client.query(`select 1 where 1 in (${'2,'.repeat(count)}3)`);
  const all = await client.query<{ count: string }>('select count(*) from pg_prepared_statements');
  expect(Number(all.rows[0]?.count)).toBeLessThan(70);
  await client.end();
});
