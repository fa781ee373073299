import { createHash, hash } from 'node:crypto';
import { DatabaseSync } from 'node:sqlite';
import { Client } from 'pg';
import { rows } from './rows';

/** Calls the function with each row of a table, as JSON that is the same for SQLite and PostgreSQL. */
type Reader = (table: string, columns: string[], onRow: (row: string) => void) => Promise<void>;

/**
 * Reads a whole database.
 * @param without tables to leave out
 * @returns the sorted rows of each table; characters that PostgreSQL cannot store are replaced
 */
export async function dumpOf(databaseUrl: string, without: string[] = []): Promise<Map<string, string[]>> {
  const dump = new Map<string, string[]>();
  await readAll(databaseUrl, without, (table) => {
    const found: string[] = [];
    dump.set(table, found);
    return (row) => void found.push(row);
  });
  dump.forEach((found) => found.sort());
  return dump;
}

/** Like `dumpOf`, for large databases. @returns the number of rows of each table, and a digest of all */
export async function digestOf(databaseUrl: string, without: string[] = []): Promise<Map<string, string>> {
  const sums = new Map<string, { count: number; sum: Buffer }>();
  await readAll(databaseUrl, without, (table) => {
    const all = { count: 0, sum: Buffer.alloc(32) };
    sums.set(table, all);
    return (row) => {
      all.count++;
      // The same in any order of the rows. Equal rows would cancel each other out, but no table has them.
      hash('sha256', row, 'buffer').forEach((byte, index) => (all.sum[index] = (all.sum[index] ?? 0) ^ byte));
    };
  });
  return new Map(
    [...sums].map(([table, { count, sum }]) => [
      table,
      `${count} rows, ${createHash('sha256').update(sum).digest('hex').slice(0, 16)}`,
    ]),
  );
}

async function readAll(
  databaseUrl: string,
  without: string[],
  begin: (table: string) => (row: string) => void,
): Promise<void> {
  const columns = new Map<string, string[]>();
  for (const { table, column } of await columnsOf(databaseUrl))
    if (!without.includes(table)) columns.set(table, [...(columns.get(table) ?? []), column]);
  const read = databaseUrl.startsWith('sqlite:') ? sqliteReader(databaseUrl) : postgresReader(databaseUrl);
  for (const [table, names] of columns) await read(table, names, begin(table));
}

const selected = (table: string, columns: string[]): string =>
  `select ${columns.map((name) => `"${name}"`).join(', ')} from ${table}`;

const textOf = (row: Record<string, unknown>, columns: string[]): string =>
  JSON.stringify(columns.map((name) => told(row[name])));

const sqliteReader =
  (databaseUrl: string): Reader =>
  async (table, columns, onRow) => {
    const database = new DatabaseSync(databaseUrl.slice('sqlite:'.length), { readOnly: true });
    try {
      for (const row of database.prepare(selected(table, columns)).iterate()) onRow(textOf(row, columns));
    } finally {
      database.close();
    }
  };

const postgresReader =
  (databaseUrl: string): Reader =>
  async (table, columns, onRow) => {
    const client = new Client({ connectionString: databaseUrl });
    await client.connect();
    try {
      await client.query(`begin; declare every_row cursor for ${selected(table, columns)}`);
      for (;;) {
        const { rows: page } = await client.query<Record<string, unknown>>('fetch 5000 from every_row');
        if (!page.length) return;
        for (const row of page) onRow(textOf(row, columns));
      }
    } finally {
      await client.end();
    }
  };

/** A column that only PostgreSQL has: SQLite keeps this order in `rowid`. */
const OF_POSTGRES = 'gathering.sequence';

async function columnsOf(databaseUrl: string): Promise<{ table: string; column: string }[]> {
  const found = await rows(
    databaseUrl,
    databaseUrl.startsWith('sqlite:')
      ? `select s.name as "table", i.name as "column" from sqlite_schema s join pragma_table_info(s.name) i
         where s.type = 'table' and s.name not like 'sqlite_%' order by 1, 2`
      : `select c.relname as table, a.attname as column from pg_class c join pg_attribute a on a.attrelid = c.oid
         where c.relkind in ('r', 'p') and not c.relispartition and a.attnum > 0 and not a.attisdropped
           and c.relnamespace = current_schema()::regnamespace order by c.relname, a.attname`,
  );
  return (found as { table: string; column: string }[]).filter(
    ({ table, column }) => `${table}.${column}` !== OF_POSTGRES,
  );
}

function told(value: unknown): string | null {
  if (value === null || value === undefined) return null;
  if (ArrayBuffer.isView(value))
    return Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString('hex');
  return String(value).replaceAll('\0', '\ufffd').toWellFormed();
}

/**
 * Tables that a move does not copy: of running processes, of migrations, and of rates, which only PostgreSQL has.
 */
export const NOT_MOVED = ['kysely_migration', 'kysely_migration_lock', 'owners', 'processes', 'rates'];
