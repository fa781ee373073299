import { Client, Pool, type ClientBase, type PoolClient } from 'pg';
import { keepsItsProcess } from '../../../../gateway/store/postgres/own-session';
import { createDatabase } from '../../../support/postgres';

const open: { end(): Promise<void> }[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((one) => one.end()));
});

test('two connections of PostgreSQL itself keep a process each', async () => {
  const connectionString = await createDatabase();
  const [one, other] = [new Client({ connectionString }), new Client({ connectionString })];
  open.push(one, other);
  await Promise.all([one.connect(), other.connect()]);
  expect(await keepsItsProcess(one, other)).toBe(true);
});

/** A connection as a pooler in transaction mode offers it: each transaction has whichever process is free. */
function pooled(pool: Pool): Pick<ClientBase, 'query'> {
  let held: PoolClient | null = null;
  let isWithin = false;
  const query = async (text: string) => {
    const client: PoolClient = held ?? (await pool.connect());
    const answer = await client.query(text);
    isWithin = text === 'begin' || (isWithin && text !== 'rollback');
    held = isWithin ? client : null;
    if (!isWithin) client.release();
    return answer;
  };
  return { query: query as ClientBase['query'] };
}

test.each([1, 2, 5])('those of a pooler in transaction mode do not, of %i processes', async (count) => {
  const pool = new Pool({ connectionString: await createDatabase(), max: 10 });
  open.push(pool);
  const used = await Promise.all(Array.from({ length: count }, () => pool.connect()));
  used.forEach((client) => client.release());
  expect(await keepsItsProcess(pooled(pool), pooled(pool))).toBe(false);
});
