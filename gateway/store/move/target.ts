import { Client } from 'pg';
import { SettingError } from '../../errors';
import { SECOND } from '../../time';
import { migrateIfAllowed, type Migrated } from '../migrate';
import { openingRefused, refuseSeveralHosts } from '../opening-refused';
import { ENDLESS, onOwnConnection } from '../postgres/own-connection';
import { refuseTransactionPooler } from '../postgres/own-session';
import { withTlsMode } from '../postgres/tls-mode';
import { hashOf, movedRow, quoted, sumOfHashes, type MovedColumn } from './rows';
import { type KeyedRow, type Source, type SourceTable } from './source';
import { MOVE_SOURCE, MOVE_TABLES } from './unfinished';

/** What is copied of a table. */
export interface CopiedRows {
  /** The key of the last row; null before the first. */
  after: (string | number)[] | null;
  rows: number;
  /** The sum of `hashOf` of the rows. */
  checksum: bigint;
}

/** The key (any number) of the advisory lock of the only move to a database. */
const MOVING = 7_264_014;

/** How long, in milliseconds, a server usually needs to end a statement whose client is gone. */
const LONGEST_STATEMENT = 15 * SECOND;

/** SQLSTATE. */
const LOCK_NOT_AVAILABLE = '55P03';

/** What the errors call the URL. */
const TARGET = 'The URL of the PostgreSQL database';

/** Waits for the last statement of a killed move, whose session still has the lock. */
async function isAlone(client: Client): Promise<boolean> {
  try {
    await client.query(`set lock_timeout = ${LONGEST_STATEMENT}`);
    await client.query(`select pg_advisory_lock(${MOVING})`);
    await client.query('set lock_timeout = 0');
    return true;
  } catch (error) {
    if ((error as { code?: unknown }).code === LOCK_NOT_AVAILABLE) return false;
    throw error;
  }
}

/** The PostgreSQL database of a move. */
export class Target {
  readonly #client: Client;
  readonly #url: string;

  private constructor(client: Client, url: string) {
    this.#client = client;
    this.#url = url;
  }

  /** @throws SettingError if it is unreachable or behind a transaction pooler, or if another move to it is running */
  static async open(url: string): Promise<Target> {
    refuseSeveralHosts(url, TARGET);
    const withMode = withTlsMode(url);
    try {
      // It would keep the advisory locks after the end of the move.
      await refuseTransactionPooler(withMode, TARGET, 'Give');
      const client = new Client({ connectionString: withMode, connectionTimeoutMillis: 5 * SECOND });
      // A connection that breaks fails the query that is running.
      client.on('error', () => undefined);
      await client.connect();
      await client.query(ENDLESS);
      if (await isAlone(client)) return new Target(client, withMode);
      await client.end();
    } catch (error) {
      throw error instanceof SettingError ? error : openingRefused(url, error, TARGET);
    }
    throw new SettingError(
      'Another "migrate-to" to this PostgreSQL database is running. Wait until it ends.',
    );
  }

  async #rows<Row extends object>(sql: string, values: unknown[] = []): Promise<Row[]> {
    return (await this.#client.query<Row>(sql, values)).rows;
  }

  async #inTransaction(work: () => Promise<void>): Promise<void> {
    await this.#client.query('begin');
    try {
      await work();
      await this.#client.query('commit');
    } catch (error) {
      await this.#client.query('rollback').catch(() => undefined);
      throw error;
    }
  }

  /**
   * Marks an empty database, or one with an unfinished copy of this source, as the target of the move.
   * @returns `restarted`: the source has changed since an earlier copy, so that copy will be replaced
   * @throws SettingError for any other database
   */
  async begin({ identity, state }: Source): Promise<'new' | 'resumed' | 'restarted'> {
    const [table] = await this.#rows<{ isMoving: boolean; name: string }>(
      `select c.relname as name, to_regclass('${MOVE_SOURCE}') is not null as "isMoving" from pg_class c
       where c.relnamespace = current_schema()::regnamespace and c.relkind in ('r', 'p') order by 1 limit 1`,
    );
    if (!table) {
      await this.#inTransaction(async () => {
        await this.#client.query(
          `create table ${MOVE_SOURCE} (identity text not null, state text not null);
           create table ${MOVE_TABLES} (
             name text primary key, after text, rows bigint not null, checksum numeric not null)`,
        );
        await this.#rows(`insert into ${MOVE_SOURCE} values ($1, $2)`, [identity, state]);
      });
      return 'new';
    }
    if (!table.isMoving)
      throw new SettingError(
        `The PostgreSQL database is in use: it has tables, such as ${table.name}. Create an empty one, for example with createdb, and give its URL.`,
      );
    const [known] = await this.#rows<Pick<Source, 'identity' | 'state'>>(`select * from ${MOVE_SOURCE}`);
    if (known?.identity !== identity)
      throw new SettingError(
        'The PostgreSQL database holds an unfinished copy of another SQLite database. Give the URL of an empty database.',
      );
    if (known.state === state) return 'resumed';
    await this.#inTransaction(async () => {
      await this.#client.query(`truncate ${MOVE_TABLES}`);
      await this.#rows(`update ${MOVE_SOURCE} set state = $1`, [state]);
    });
    return 'restarted';
  }

  /** Creates the tables, or upgrades those of a copy that an earlier version began. */
  migrate(): Promise<Migrated | null> {
    return onOwnConnection(this.#url, 0, (db) =>
      migrateIfAllowed({ db, dialect: 'postgres' }, this.#url, 'gateway'),
    );
  }

  /** The columns of the source's tables. @throws Error if one is missing here */
  async columnsOf(tables: SourceTable[]): Promise<Map<string, MovedColumn[]>> {
    const rows = await this.#rows<{ table: string; name: string; type: string }>(
      `select c.relname as table, a.attname as name, format_type(a.atttypid, null) as type
       from pg_attribute a join pg_class c on c.oid = a.attrelid
       where c.relnamespace = current_schema()::regnamespace and c.relkind in ('r', 'p')
         and a.attnum > 0 and not a.attisdropped`,
    );
    const known = new Map(rows.map(({ table, name, type }) => [`${table}.${name}`, type]));
    const columnOf = (table: string, name: string): MovedColumn => {
      const type = known.get(`${table}.${name}`);
      if (type === undefined) throw new Error(`The tables of PostgreSQL have no column ${table}.${name}`);
      return { name, type };
    };
    return new Map(tables.map(({ name, columns }) => [name, columns.map((one) => columnOf(name, one))]));
  }

  /** What is copied of each table. Before the first row, all tables are emptied: migrations insert some rows. */
  async copied(tables: SourceTable[]): Promise<Map<string, CopiedRows>> {
    const read = () =>
      this.#rows<{ name: string; after: string | null; rows: string; checksum: string }>(
        `select * from ${MOVE_TABLES}`,
      );
    if (!(await read()).length)
      await this.#inTransaction(async () => {
        const names = tables.map(({ name }) => name);
        await this.#client.query(`truncate ${names.map(quoted).join(', ')}`);
        await this.#rows(
          `insert into ${MOVE_TABLES} select name, null, 0, 0 from unnest($1::text[]) as name`,
          [names],
        );
      });
    return new Map(
      (await read()).map(({ name, after, rows, checksum }) => [
        name,
        {
          after: after === null ? null : (JSON.parse(after) as (string | number)[]),
          rows: Number(rows),
          checksum: BigInt(checksum),
        },
      ]),
    );
  }

  /** Inserts rows, and records that they are copied, in one transaction. */
  async insert({ name }: SourceTable, columns: MovedColumn[], rows: KeyedRow[]): Promise<CopiedRows> {
    const moved = rows.map(({ row }) => movedRow(row, columns));
    const checksum = moved.reduce((sum, row) => sum + hashOf(row, columns), 0n);
    const names = columns.map((column) => quoted(column.name)).join(', ');
    const after = rows.at(-1)?.after ?? [];
    const [copied] = await this.#rows<{ rows: string; checksum: string }>(
      `with batch as (
         insert into ${quoted(name)} (${names}) overriding system value
         select ${names} from json_populate_recordset(null::${quoted(name)}, $1)
       )
       update ${MOVE_TABLES} set after = $2, rows = rows + $3, checksum = checksum + $4
       where name = $5 returning rows, checksum`,
      [JSON.stringify(moved), JSON.stringify(after), rows.length, checksum.toString(), name],
    );
    return {
      after: after as (string | number)[],
      rows: Number(copied?.rows),
      checksum: BigInt(copied?.checksum ?? 0),
    };
  }

  /** Counts a table's rows, and sums up their hashes. */
  async content({ name }: SourceTable, columns: MovedColumn[]): Promise<Omit<CopiedRows, 'after'>> {
    const [found] = await this.#rows<{ rows: string; checksum: string }>(
      `select count(*) as rows, ${sumOfHashes(columns)} as checksum from ${quoted(name)}`,
    );
    return { rows: Number(found?.rows), checksum: BigInt(found?.checksum ?? 0) };
  }

  /** Makes later rows get greater ids and sequences than all rows of the source ever had. */
  async continueSequences(tables: SourceTable[]): Promise<void> {
    for (const { name, lastId } of tables) {
      const sequences = await this.#rows<{ column: string; sequence: string }>(
        `select attname as column, pg_get_serial_sequence($1, attname) as sequence from pg_attribute
         where attrelid = $1::regclass and attnum > 0 and not attisdropped
           and pg_get_serial_sequence($1, attname) is not null`,
        [quoted(name)],
      );
      for (const { column, sequence } of sequences)
        await this.#rows(
          `select setval($1::regclass, greatest(
             (select max(${quoted(column)}) from ${quoted(name)})::bigint, $2::bigint, 0) + 1, false)`,
          [sequence, lastId],
        );
    }
  }

  /** Lets PostgreSQL plan queries by the new content, and read indexes without their tables. */
  async vacuum(tables: SourceTable[]): Promise<void> {
    await this.#client.query(`vacuum (analyze) ${tables.map(({ name }) => quoted(name)).join(', ')}`);
  }

  /** Ends the move: from now on, a gateway can start here. @throws SettingError if one has started already */
  async finish(): Promise<void> {
    await this.#inTransaction(async () => {
      if ((await this.#rows('select 1 from processes limit 1')).length)
        throw new SettingError(
          'A gateway has opened the PostgreSQL database during the copy. Stop it, and repeat this command with an empty database.',
        );
      await this.#client.query(`drop table ${MOVE_SOURCE}, ${MOVE_TABLES}`);
    });
  }

  async close(): Promise<void> {
    await this.#client.end();
  }
}
