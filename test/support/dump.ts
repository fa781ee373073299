import { rows } from './rows';

/**
 * Reads a whole database, in a form that is the same for SQLite and PostgreSQL.
 * @param without tables to leave out
 * @returns the sorted rows of each table, as JSON; characters that PostgreSQL cannot store are replaced
 */
export async function dumpOf(databaseUrl: string, without: string[] = []): Promise<Map<string, string[]>> {
  const columns = new Map<string, string[]>();
  for (const { table, column } of await columnsOf(databaseUrl))
    if (!without.includes(table)) columns.set(table, [...(columns.get(table) ?? []), column]);
  const dump = new Map<string, string[]>();
  for (const [table, names] of columns) {
    const found = await rows(
      databaseUrl,
      `select ${names.map((name) => `"${name}"`).join(', ')} from ${table}`,
    );
    dump.set(table, found.map((row) => JSON.stringify(names.map((name) => told(row[name])))).sort());
  }
  return dump;
}

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
