import { Kysely, PostgresDialect, type CompiledQuery } from 'kysely';
import { Client, Pool } from 'pg';
import { createDatabase } from '../../../support/postgres';
import { until } from '../../../support/http-peer';
import { type Schema } from '../../../../gateway/store/schema';
import { openStore } from '../../../../gateway/store/store';
import { withinReach } from '../../../../gateway/store/within-reach';
import {
  addRows,
  CONTENTS,
  FIRST_ROWS,
  LARGE,
  LISTS_OF_LINES,
  OWN_LINES,
  type ListOfLines,
} from '../lists-of-lines';
import { at, attempt, notificationOf, owed } from '../support';

const COMMITS = 20;
const OF_EACH = 100;
/** Rows: three lines have 10,000 events, of which a page shows 50. */
const MOST_READ = 3_000;

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

/** A node of a query plan. */
interface Step {
  'Node Type': string;
  'Relation Name'?: string;
  'Index Cond'?: string;
  'Actual Rows'?: number;
  'Actual Loops'?: number;
  'Rows Removed by Filter'?: number;
  Plans?: Step[];
}

/** Large tables that a plan reads in full, or by an index from its beginning to its end. */
const scansIn = ({ Plans = [], ...step }: Step): string[] => [
  ...(LARGE.includes(step['Relation Name'] ?? '') && !isByKeys(step, Plans)
    ? [step['Relation Name'] ?? '']
    : []),
  ...Plans.flatMap(scansIn),
];

const isByKeys = (step: Step, below: Step[]): boolean =>
  step['Node Type'] === 'Bitmap Heap Scan'
    ? below.every((one) => 'Index Cond' in one || one['Node Type'].startsWith('Bitmap'))
    : 'Index Cond' in step;

/** The rows of large tables that were read. */
const rowsReadIn = ({ Plans = [], ...step }: Step): number =>
  Plans.reduce(
    (sum, one) => sum + rowsReadIn(one),
    LARGE.includes(step['Relation Name'] ?? '')
      ? (Number(step['Actual Rows']) + (step['Rows Removed by Filter'] ?? 0)) * Number(step['Actual Loops'])
      : 0,
  );

const pools: Pool[] = [];
afterEach(() => Promise.all(pools.splice(0).map((pool) => pool.end())));

/** How a database with 20,000 events reads three of its lines. */
async function openLines(lines: number) {
  const url = await createDatabase();
  await (await openStore(url)).close();
  await addRows(url, 20_000, lines);
  const pool = new Pool({ connectionString: url });
  pools.push(pool);
  await pool.query('analyze');
  /** @param how for PostgreSQL */
  async function plansOf(call: ListOfLines, content: number[], how: string): Promise<Step[]> {
    const asked: CompiledQuery[] = [];
    const db = new Kysely<Schema>({
      dialect: new PostgresDialect({ pool }),
      log: ({ query }) => void asked.push(query),
    });
    await call(withinReach(db, { ...OWN_LINES, content }));
    expect(asked).not.toEqual([]);
    const plans: Step[] = [];
    for (const { sql, parameters } of asked) {
      const { rows } = await pool.query<{ 'QUERY PLAN': [{ Plan: Step }] }>(`explain (${how}) ${sql}`, [
        ...parameters,
      ]);
      plans.push(...rows.map((row) => row['QUERY PLAN'][0].Plan));
    }
    return plans;
  }
  return plansOf;
}

test('lists of three of 200 lines are read by the indexes of these lines', async () => {
  const plansOf = await openLines(200);
  for (const [name, call] of LISTS_OF_LINES)
    for (const content of CONTENTS)
      for (const plan of await plansOf(call, content, 'format json'))
        expect([name, scansIn(plan), plan]).toEqual([name, [], plan]);
});

test('lists of three of six lines read the rows that they show, and not all of these lines', async () => {
  const plansOf = await openLines(6);
  for (const [name, call] of FIRST_ROWS) {
    const plans = await plansOf(call, OWN_LINES.lines, 'analyze, format json');
    const read = plans.reduce((sum, plan) => sum + rowsReadIn(plan), 0);
    expect([name, read < MOST_READ, read]).toEqual([name, true, read]);
  }
});
