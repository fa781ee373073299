import { SettingError } from '../../errors';
import { isFaultOfData } from '../postgres/writes';
import { setAsideMoved } from '../sqlite/restore';
import { isDatabaseUnavailable } from '../unavailable';
import { type MovedColumn } from './rows';
import { openSource, type KeyedRow, type Source, type SourceTable } from './source';
import { Target, type CopiedRows } from './target';

/** What a move reports. */
export type MoveNews =
  | { kind: 'new' | 'resumed' | 'restarted' | 'checking' }
  /** Rows of a table that are copied so far. */
  | { kind: 'copied'; table: string; rows: number; of: number };

export interface Moved {
  tables: number;
  rows: number;
  /** The path of the SQLite file now. */
  aside: string;
}

/** The most rows and characters that are inserted at once. */
const MOST_ROWS = 2_000;
const MOST_CHARACTERS = 2_000_000;

/**
 * Copies a SQLite database to an empty PostgreSQL database: every row, with its ids, secrets and hashes as they are.
 * If it is interrupted, the next run continues. Until it is complete, no gateway can start on the copy.
 * @param path of the SQLite file, which keeps its content. At the end it gets another name, because a gateway on it would
 * send its waiting events a second time
 * @throws SettingError if a database is in use or cannot be read or written
 */
export async function moveToPostgres(
  path: string,
  url: string,
  tell: (news: MoveNews) => void,
): Promise<Moved> {
  const source = await openSource(path);
  let copied: Omit<Moved, 'aside'>;
  try {
    const target = await Target.open(url);
    try {
      copied = await copyAll(source, target, tell);
    } catch (error) {
      throw interrupted(error);
    } finally {
      await target.close().catch(() => undefined);
    }
  } finally {
    source.close();
  }
  try {
    return { ...copied, aside: setAsideMoved(path) };
  } catch (error) {
    throw new SettingError(
      `The PostgreSQL database is complete, but the SQLite file cannot be renamed: ${(error as Error).message}. Move ${path} to another folder before you start a gateway: on this file, it would send its waiting events a second time.`,
      { cause: error },
    );
  }
}

/** Errors of both databases have a code, except those of a connection that breaks. */
function interrupted(error: unknown): unknown {
  const { code, message } = error as { code?: unknown; message: string };
  if (error instanceof SettingError || (code === undefined && !isDatabaseUnavailable(error))) return error;
  return new SettingError(
    `The copy stopped: ${message}. The SQLite database is unchanged. Repeat this command: it continues where it stopped.`,
    { cause: error },
  );
}

async function copyAll(
  source: Source,
  target: Target,
  tell: (news: MoveNews) => void,
): Promise<Omit<Moved, 'aside'>> {
  const { tables } = source;
  tell({ kind: await target.begin(source) });
  await target.migrate();
  const columns = await target.columnsOf(tables);
  const columnsOf = ({ name }: SourceTable) => columns.get(name) ?? [];
  const copied = await target.copied(tables);
  for (const table of tables) {
    const of = source.count(table);
    const before = copied.get(table.name)?.after ?? null;
    for (const batch of inBatches(source.rowsAfter(table, before))) {
      const now = await insert(target, table, columnsOf(table), batch);
      copied.set(table.name, now);
      tell({ kind: 'copied', table: table.name, rows: now.rows, of });
    }
  }
  tell({ kind: 'checking' });
  let rows = 0;
  for (const table of tables) {
    const found = await target.content(table, columnsOf(table));
    const expected = { rows: source.count(table), checksum: copied.get(table.name)?.checksum };
    refuseDifference(table, expected, found);
    rows += found.rows;
  }
  await target.continueSequences(tables);
  await target.vacuum(tables);
  await target.finish();
  return { tables: tables.length, rows };
}

function* inBatches(rows: Iterable<KeyedRow>): Iterable<KeyedRow[]> {
  let batch: KeyedRow[] = [];
  let characters = 0;
  for (const one of rows) {
    batch.push(one);
    for (const value of Object.values(one.row))
      characters += typeof value === 'string' || ArrayBuffer.isView(value) ? value.length : 8;
    if (batch.length < MOST_ROWS && characters < MOST_CHARACTERS) continue;
    yield batch;
    [batch, characters] = [[], 0];
  }
  if (batch.length) yield batch;
}

/** Inserts the halves apart if PostgreSQL refuses a row, to name that row. */
async function insert(
  target: Target,
  table: SourceTable,
  columns: MovedColumn[],
  rows: KeyedRow[],
): Promise<CopiedRows> {
  try {
    return await target.insert(table, columns, rows);
  } catch (error) {
    if (!isFaultOfData(error)) throw error;
    const half = Math.floor(rows.length / 2);
    if (half === 0)
      throw new SettingError(
        `PostgreSQL refuses a row of ${table.name} (${table.key.join(', ')}: ${rows[0]?.after.join(', ')}): ${(error as Error).message}. Correct or delete this row in the SQLite database, and repeat this command.`,
        { cause: error },
      );
    await insert(target, table, columns, rows.slice(0, half));
    return insert(target, table, columns, rows.slice(half));
  }
}

/** @throws SettingError if the tables of both databases differ */
function refuseDifference(
  { name }: SourceTable,
  expected: { rows: number; checksum: bigint | undefined },
  found: Omit<CopiedRows, 'after'>,
): void {
  const different = (what: string) =>
    new SettingError(
      `The copy of ${name} differs from the SQLite database: ${what}. Repeat this command with an empty PostgreSQL database.`,
    );
  if (found.rows !== expected.rows)
    throw different(`${found.rows} rows in PostgreSQL, ${expected.rows} in SQLite`);
  if (found.checksum !== expected.checksum) throw different('the content of some rows');
}
