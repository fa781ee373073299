import { statSync } from 'node:fs';
import { DatabaseSync, type SQLInputValue } from 'node:sqlite';
import { SettingError } from '../../errors';
import { stepsOf } from '../migrations/schema-version';
import { isBusy } from '../sqlite/busy';
import { isGatewayOn, lockForGateway } from '../sqlite/lock';
import { kyselyOn, OF_MIGRATIONS } from '../sqlite/own-schema';
import { quoted, type SourceRow } from './rows';

export interface SourceTable {
  name: string;
  columns: string[];
  /** The columns of the order in which rows are read; `rowid` unless the table has none. */
  key: string[];
  /** The greatest id that `autoincrement` ever gave; 0 if the table has no such column. */
  lastId: number;
}

/** A row, and the values of its table's key. */
export interface KeyedRow {
  row: SourceRow;
  after: SQLInputValue[];
}

/** A SQLite database that no other program can open until it is closed. */
export interface Source {
  /** Stays the same as long as the database exists. */
  identity: string;
  /** Changes with each write. */
  state: string;
  /** All except those of running processes. A table comes after those that it refers to. */
  tables: SourceTable[];
  count(table: SourceTable): number;
  /** @param after the key of the last row that was read; null: from the beginning */
  rowsAfter(table: SourceTable, after: SQLInputValue[] | null): Iterable<KeyedRow>;
  close(): void;
}

/** The leases of processes on the source, which have all ended. */
const OF_PROCESSES = ['processes', 'owners'];

/** The longest time, in milliseconds, that a command keeps the database open. */
const LONGEST_COMMAND = 5_000;

/**
 * @throws SettingError if a gateway or another program has the database open, or if it is not of this version
 */
export async function openSource(path: string): Promise<Source> {
  if (isGatewayOn(path))
    throw new SettingError(
      `A gateway is running on ${path}, or another "migrate-to" copies it. Stop the gateway first: its later events and changes would not be copied.`,
    );
  const unlock = lockForGateway(path);
  const database = new DatabaseSync(path, { timeout: LONGEST_COMMAND });
  const close = () => {
    database.close();
    unlock();
  };
  try {
    lockForAll(database, path);
    await stepsOf(kyselyOn(database), 'sqlite', 'command');
    return { ...contentOf(database), state: stateOf(path), close };
  } catch (error) {
    close();
    throw error;
  }
}

/**
 * Keeps commands from changing the database. Without its write-ahead log, every write changes the file, so that a
 * continued copy notices it.
 */
function lockForAll(database: DatabaseSync, path: string): void {
  try {
    database.exec('pragma journal_mode = delete');
    database.exec('begin exclusive');
  } catch (error) {
    if (!isBusy(error)) throw error;
    throw new SettingError(
      `Another program has ${path} open, perhaps a command that is still running. End it, then run this again.`,
    );
  }
}

/** Reads nothing from the file: closing it would release the locks that this process has on it. */
function stateOf(path: string): string {
  const { size, mtimeNs } = statSync(path, { bigint: true });
  return `${size} bytes, changed at ${mtimeNs}`;
}

function contentOf(database: DatabaseSync): Omit<Source, 'state' | 'close'> {
  const first = (sql: string) => database.prepare(sql).get() ?? {};
  const { name, timestamp } = first('select name, timestamp from kysely_migration order by timestamp, name');
  return {
    identity: `${name} of ${timestamp}`,
    tables: tablesOf(database),
    count: (table) => Number(first(`select count(*) as count from ${quoted(table.name)}`).count),
    *rowsAfter(table, after) {
      const key = table.key.map(quoted);
      const marks = key.map(() => '?').join(', ');
      const columns = [...table.key.filter((one) => !table.columns.includes(one)), ...table.columns];
      const statement = database.prepare(
        `select ${columns.map((one) => `${quoted(one)} as ${quoted(one)}`).join(', ')} from ${quoted(table.name)}
         ${after ? `where (${key.join(', ')}) > (${marks})` : ''} order by ${key.join(', ')}`,
      );
      for (const row of statement.iterate(...(after ?? [])))
        yield { row, after: table.key.map((one) => row[one] ?? null) };
    },
  };
}

function tablesOf(database: DatabaseSync): SourceTable[] {
  const all = (sql: string, ...values: string[]) => database.prepare(sql).all(...values);
  const lastIds = new Map(
    all('select name, seq from sqlite_sequence').map(({ name, seq }) => [String(name), Number(seq)]),
  );
  // In the order of creation: migrations create a table after those that it refers to.
  const tables = all(
    `select s.name, l.wr as "hasNoRowid" from sqlite_schema s join pragma_table_list l on l.name = s.name and l.schema = 'main'
     where s.type = 'table' and s.name not like 'sqlite\\_%' escape '\\' order by s.rowid`,
  );
  return tables
    .map(({ name, hasNoRowid }) => ({ name: String(name), hasNoRowid }))
    .filter(({ name }) => ![...OF_MIGRATIONS, ...OF_PROCESSES].includes(name))
    .map(({ name, hasNoRowid }) => {
      const columns = all('select name, pk from pragma_table_info(?)', name);
      const ofKey = columns.filter(({ pk }) => Number(pk) > 0).sort((a, b) => Number(a.pk) - Number(b.pk));
      return {
        name,
        columns: columns.map((column) => String(column.name)),
        key: hasNoRowid ? ofKey.map((column) => String(column.name)) : ['rowid'],
        lastId: lastIds.get(name) ?? 0,
      };
    });
}
