import { DatabaseSync, type SQLInputValue } from 'node:sqlite';
import { Kysely, SqliteDialect } from 'kysely';
import { type Schema } from '../../../../gateway/store/schema';
import { eventList } from '../../../../gateway/store/reports/event-list';
import { deliveryTable } from '../../../../gateway/store/tables/deliveries';
import { optOutTable } from '../../../../gateway/store/tables/opt-outs';
import { windowTable } from '../../../../gateway/store/tables/windows';
import { withinReach } from '../../../../gateway/store/within-reach';
import { DATABASES } from '../../../support/databases';
import { addRows, CONTENTS, LARGE, LISTS_OF_LINES, OWN_LINES } from '../lists-of-lines';
import { at } from '../support';

let database: DatabaseSync;

beforeAll(async () => {
  const url = String(await DATABASES[0]?.createUrl());
  await addRows(url, 1_000);
  database = new DatabaseSync(url.slice('sqlite:'.length));
});
afterAll(() => database.close());

/** How SQLite goes about the statements of a call, in a database that has no statistics: the gateway makes none. */
async function plansOf(call: (db: Kysely<Schema>) => Promise<unknown>): Promise<string[]> {
  const plans: string[] = [];
  const rowsOf = (sql: string, values: readonly unknown[]) =>
    database.prepare(sql).all(...(values as SQLInputValue[]));
  const db = new Kysely<Schema>({
    dialect: new SqliteDialect({
      database: {
        prepare: (sql) => ({
          reader: true,
          all: (values) => rowsOf(sql, values),
          run: () => ({ changes: 0, lastInsertRowid: 0 }),
          iterate: (values) => rowsOf(sql, values).values(),
        }),
        close: () => undefined,
      },
    }),
    log: ({ query: { sql, parameters } }) =>
      void plans.push(...rowsOf(`explain query plan ${sql}`, parameters).map(({ detail }) => String(detail))),
  });
  await call(db);
  return plans;
}

test.each([
  [
    'all names of a contact of a line',
    (db: Kysely<Schema>) => windowTable(db).identitiesOf(1, ['16505551234'], (name) => [name]),
    ['aliases_contact (contact=?)', 'aliases_identity (identity=?)'],
  ],
  [
    'who of them opted out',
    (db: Kysely<Schema>) => optOutTable(db).of(1, ['16505551234']),
    ['(line_id=? AND contact=?)'],
  ],
  [
    'what is due too late',
    (db: Kysely<Schema>) => deliveryTable(db).bringForward(at(0), at(1)),
    ['deliveries_pending (destination_id=? AND due_at>?)'],
  ],
])('%s is found by an index, on a line that has millions of others', async (_, call, indexes) => {
  const plans = (await plansOf(call)).filter((plan) => /^(SCAN|SEARCH) (?!destinations)/.test(plan));
  expect(plans).toEqual(indexes.map((index) => expect.stringContaining(index)));
});

/** Large tables that are read in full. A co-routine with the name of a table is scanned too, once for each use. */
const scansIn = (plans: string[]): string[] =>
  LARGE.flatMap((table) => {
    const count = (pattern: RegExp) => plans.filter((plan) => pattern.test(plan)).length;
    const routines = count(new RegExp(`^(CO-ROUTINE|MATERIALIZE) ${table}$`));
    return count(new RegExp(`^SCAN ${table}\\b`)) > routines ? [table] : [];
  });

test.each(LISTS_OF_LINES)('%s of some lines are read by the indexes of these lines', async (_, call) => {
  for (const content of CONTENTS) {
    const plans = await plansOf((db) => call(withinReach(db, { ...OWN_LINES, content })));
    expect(plans).not.toEqual([]);
    expect([scansIn(plans), plans]).toEqual([[], plans]);
  }
});

test('a contact is found by its index, whatever content the reader may see', async () => {
  const find = (db: Kysely<Schema>) => eventList(db, true).page({ contacts: ['16505551234'] }, null, 50);
  for (const content of CONTENTS.slice(0, 2)) {
    const plans = await plansOf((db) => find(withinReach(db, { ...OWN_LINES, content })));
    expect(plans).toContainEqual(expect.stringMatching(/^SEARCH events .*\bcontact=\?/));
  }
});

test('a subquery is narrowed once', async () => {
  const asked: string[] = [];
  await plansOf(async (db) => {
    const seen = withinReach(db, { ...OWN_LINES, content: OWN_LINES.lines });
    const latest = seen.selectFrom('events').select('id').orderBy('id', 'desc').limit(50);
    asked.push(seen.selectFrom(latest.as('latest')).selectAll().compile().sql);
  });
  // One for each line, and one for their business accounts.
  expect(asked.map((query) => query.match(/from "events"/g)?.length)).toEqual([OWN_LINES.lines.length + 1]);
});

test('a list that an index does not cover is found by this test', async () => {
  const plans = await plansOf((db) =>
    db.selectFrom('events').selectAll().where('kind', '=', 'text').execute(),
  );
  expect(scansIn(plans)).toEqual(['events']);
});
