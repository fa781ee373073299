import { DatabaseSync, type SQLInputValue } from 'node:sqlite';
import { Kysely, SqliteDialect, type SqliteDatabase } from 'kysely';
import { migrations } from '../migrations';

/** An object of a schema, with its properties except the SQL text. */
type Described = Map<string, string>;

/**
 * Finds an object that these migrations do not create, such as a trigger or a view. It could come from anywhere and
 * would run inside the gateway.
 * @param steps names of the database's migrations, as they are now
 * @returns a description of the object; null if there is none
 */
export async function strangerIn(database: DatabaseSync, steps: string[]): Promise<string | null> {
  const own = await schemaAfter(steps);
  for (const [name, told] of describe(database)) if (own.get(name) !== told) return name;
  return null;
}

/** The schema after these migrations, from a database in memory. */
async function schemaAfter(steps: string[]): Promise<Described> {
  const database = new DatabaseSync(':memory:');
  const db = kyselyOn<unknown>(database);
  try {
    for (const [name, step] of Object.entries(migrations('sqlite')))
      if (steps.includes(name)) await step.up(db);
    return describe(database);
  } finally {
    await db.destroy();
  }
}

/** For few queries on a connection of the caller's own. Destroying it closes the connection. */
export const kyselyOn = <Tables>(database: DatabaseSync): Kysely<Tables> =>
  new Kysely<Tables>({ dialect: new SqliteDialect({ database: forKysely(database) }) });

const forKysely = (database: DatabaseSync): SqliteDatabase => ({
  close: () => database.close(),
  prepare(sql) {
    const statement = database.prepare(sql);
    const given = (values: readonly unknown[]) => values as SQLInputValue[];
    return {
      reader: statement.columns().length > 0,
      all: (values) => statement.all(...given(values)),
      run: (values) => statement.run(...given(values)),
      iterate: (values) => statement.iterate(...given(values)) as IterableIterator<unknown>,
    };
  },
});

/** Kysely's tables, which record the migrations. */
export const OF_MIGRATIONS = ['kysely_migration', 'kysely_migration_lock'];

function describe(database: DatabaseSync): Described {
  const all = (sql: string, ...values: string[]) => database.prepare(sql).all(...values);
  const told: Described = new Map();
  for (const { type, name, tbl_name: table, sql } of all(
    'select type, name, tbl_name, sql from sqlite_schema',
  )) {
    if (OF_MIGRATIONS.includes(String(table)) && type !== 'trigger') continue;
    // Created by SQLite itself, for example for a primary key.
    if (String(name).startsWith('sqlite_') && type !== 'trigger') continue;
    const isPlain = type === 'table' && !/^create\s+virtual/i.test(String(sql));
    if (isPlain) {
      told.set(`the table ${name}`, '');
      for (const { name: column, type: kind, dflt_value: value, pk, hidden, notnull } of all(
        'select * from pragma_table_xinfo(?)',
        String(name),
      ))
        told.set(`the column ${column} of ${name}`, JSON.stringify([kind, value, pk, hidden, notnull]));
    } else if (type === 'index') {
      const parts = all('select name, desc, coll, key from pragma_index_xinfo(?)', String(name));
      told.set(`the index ${name}`, JSON.stringify([table, parts]));
    } else told.set(`the ${type} ${name}`, String(sql));
  }
  return told;
}
