import { DatabaseSync } from 'node:sqlite';
import { DummyDriver, Kysely, SqliteAdapter, SqliteIntrospector, SqliteQueryCompiler } from 'kysely';
import { type Schema } from '../../../../gateway/store/schema';
import { deliveryTable } from '../../../../gateway/store/tables/deliveries';
import { optOutTable } from '../../../../gateway/store/tables/opt-outs';
import { windowTable } from '../../../../gateway/store/tables/windows';
import { DATABASES } from '../../../support/databases';
import { at } from '../support';

/** How SQLite goes about the statements of a call, in a database that has no statistics: the gateway makes none. */
async function plansOf(call: (db: Kysely<Schema>) => Promise<unknown>): Promise<string[]> {
  const asked: string[] = [];
  const db = new Kysely<Schema>({
    dialect: {
      createAdapter: () => new SqliteAdapter(),
      createDriver: () => new DummyDriver(),
      createIntrospector: (of) => new SqliteIntrospector(of),
      createQueryCompiler: () => new SqliteQueryCompiler(),
    },
    log: ({ query }) => void asked.push(query.sql),
  });
  await call(db);
  const url = await DATABASES[0]?.createUrl();
  const database = new DatabaseSync(String(url).replace(/^sqlite:/, ''));
  try {
    return asked.flatMap((sql) =>
      database
        .prepare(`explain query plan ${sql}`)
        .all(...Array<null>(sql.split('?').length - 1).fill(null))
        .map(({ detail }) => String(detail)),
    );
  } finally {
    database.close();
  }
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
