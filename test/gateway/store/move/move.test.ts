import { renameSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { moveToPostgres, type MoveNews } from '../../../../gateway/store/move/move';
import { openingRefused } from '../../../../gateway/store/opening-refused';
import { backupSqlite } from '../../../../gateway/store/sqlite/backup';
import { openStore } from '../../../../gateway/store/store';
import { temporaryFolder } from '../../../support/databases';
import { createDatabase } from '../../../support/postgres';
import { dumpOf, NOT_MOVED } from '../../../support/dump';
import { rows, write } from '../../../support/rows';
import { startTransactionPooler } from '../../../support/transaction-pooler';
import { fixtureNames, unpack } from '../schemas/fixture';

/** An empty database of this version. @returns its path */
async function emptySource(): Promise<string> {
  const path = join(temporaryFolder(), 'gateway.db');
  await (await openStore(`sqlite:${path}`)).close();
  return path;
}

function change(path: string, work: (database: DatabaseSync) => void): void {
  const database = new DatabaseSync(path, { enableForeignKeyConstraints: false });
  try {
    work(database);
  } finally {
    database.close();
  }
}

const UNUSUAL = 'é😀 "quoted" \\ back\tslash\u2028 \0 end';

/**
 * Fills every table with three rows, without knowing them. Every second row has null wherever it can. Then deletes the
 * last row of tables whose ids are never given again.
 */
function fill(database: DatabaseSync): void {
  const all = (sql: string, ...values: string[]) => database.prepare(sql).all(...values);
  const tables = all(`select name, sql from sqlite_schema where type = 'table' and name not like '%kysely%'
    and name not like 'sqlite_%'`);
  for (const { name, sql } of tables) {
    const table = String(name);
    database.exec(`delete from ${table}`);
    const columns = all('select * from pragma_table_info(?)', table);
    const references = all('select "from" from pragma_foreign_key_list(?)', table).map((one) => one.from);
    const insert = database.prepare(`insert into ${table} (${columns.map((one) => one.name).join(', ')})
      values (${columns.map(() => '?').join(', ')})`);
    for (const number of [1, 2, 3])
      insert.run(
        ...columns.map(({ name: column, type, notnull, pk }) => {
          if (references.includes(column)) return 1;
          if (number === 2 && !notnull && !pk) return null;
          if (/blob/i.test(String(type))) return Buffer.from([0, number, 255]);
          return /text/i.test(String(type)) ? `${String(column)} ${number} ${UNUSUAL}` : number;
        }),
      );
    if (/autoincrement/i.test(String(sql))) database.exec(`delete from ${table} where id = 3`);
  }
}

test('every table is copied as it is, and ids continue after those that were ever given', async () => {
  const [path, url] = [await emptySource(), await createDatabase()];
  change(path, fill);
  const before = await dumpOf(`sqlite:${path}`, NOT_MOVED);
  const { aside } = await moveToPostgres(path, url, () => undefined);
  const after = await dumpOf(url, NOT_MOVED);
  expect(after).toEqual(before);
  expect(await dumpOf(`sqlite:${aside}`, NOT_MOVED)).toEqual(before);
  await expect(openStore(`sqlite:${path}`)).rejects.toThrow(
    `it was moved to PostgreSQL, and is now ${aside}.`,
  );
  expect(after.size).toBeGreaterThan(50);
  for (const of of after.values()) expect(of.length).toBeGreaterThan(1);
  const sequences = await rows(url, `select relname as name from pg_class where relkind = 'S'`);
  for (const { name } of sequences) {
    const [next] = await rows(url, `select nextval('${String(name)}')::int as id`);
    expect([name, Number(next?.id) > 3]).toEqual([name, true]);
  }
  expect(sequences.length).toBeGreaterThan(10);
});

test.each([fixtureNames().at(0), fixtureNames().at(-1)] as string[])(
  'a database that began with version %s is copied as it is',
  async (name) => {
    const [path, url] = [join(temporaryFolder(), 'gateway.db'), await createDatabase()];
    await unpack(name, 'sqlite', `sqlite:${path}`);
    await (await openStore(`sqlite:${path}`, 'gateway')).close();
    const { aside } = await moveToPostgres(path, url, () => undefined);
    const copy = await dumpOf(url, NOT_MOVED);
    expect(copy).toEqual(await dumpOf(`sqlite:${aside}`, NOT_MOVED));
    expect(copy.get('events')?.length).toBeGreaterThan(0);
  },
);

test("the server's limit for statements does not hold for the move, nor for a division", async () => {
  const [path, url] = [await emptySource(), await createDatabase()];
  const [database] = await rows(url, 'select current_database() as name');
  await write(
    url,
    `create function refuse() returns event_trigger language plpgsql as $$ begin
       if current_setting('statement_timeout') <> '0' then raise 'limited'; end if;
     end $$;
     create event trigger refuse on ddl_command_start execute function refuse();
     alter database ${String(database?.name)} set statement_timeout = '1h'`,
  );
  expect((await moveToPostgres(path, url, () => undefined)).tables).toBeGreaterThan(40);
  const store = await openStore(url);
  await store.divideEvents();
  await store.close();
});

test('a SQLite file that cannot be renamed is named, and what to do with it', async () => {
  const [from, url] = [await emptySource(), await createDatabase()];
  const path = join(dirname(from), `${'long'.repeat(56)}.db`);
  renameSync(from, path);
  await expect(moveToPostgres(path, url, () => undefined)).rejects.toThrow(
    `The PostgreSQL database is complete, but the SQLite file cannot be renamed: ENAMETOOLONG`,
  );
  await (await openStore(url, 'gateway')).close();
});

/** Contacts enough for several batches. */
const CONTACTS = 9_000;

const addContacts = (database: DatabaseSync, prefix: string) =>
  database.exec(`with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < ${CONTACTS})
    insert into windows select 1, '${prefix}' || (n * 7919 % ${CONTACTS}), '2026-03-01' from numbers`);

class Cut extends Error {}

/** Copies until that many rows of a table are copied, as if the process was killed then. */
async function cutAfter(count: number, path: string, url: string): Promise<void> {
  const cut = moveToPostgres(path, url, (news) => {
    if (news.kind === 'copied' && news.table === 'windows' && news.rows >= count) throw new Cut();
  });
  await expect(cut).rejects.toThrow(Cut);
}

/** Copies to the end. @returns what it reported about the table */
async function moved(path: string, url: string): Promise<MoveNews[]> {
  const news: MoveNews[] = [];
  await moveToPostgres(path, url, (one) => news.push(one));
  return news.filter((one) => one.kind !== 'copied' || one.table === 'windows');
}

const countOf = async (url: string): Promise<number> =>
  Number((await rows(url, 'select count(*) as count from windows'))[0]?.count);

describe('a copy that was cut', () => {
  test('keeps gateways and commands out, and continues with the first row that is missing', async () => {
    const [path, url] = [await emptySource(), await createDatabase()];
    change(path, (database) => addContacts(database, 'a'));
    await cutAfter(2_000, path, url);
    const begun = await countOf(url);
    expect(begun).toBeLessThan(CONTACTS);
    for (const opener of ['gateway', 'command'] as const)
      await expect(openStore(url, opener)).rejects.toThrow('holds an unfinished copy of a SQLite database');
    const before = await dumpOf(`sqlite:${path}`, NOT_MOVED);
    const [first, second] = await moved(path, url);
    expect(first).toEqual({ kind: 'resumed' });
    expect(second).toMatchObject({ kind: 'copied', rows: expect.any(Number) as number, of: CONTACTS });
    expect((second as { rows: number }).rows).toBeGreaterThan(begun);
    expect(await dumpOf(url, NOT_MOVED)).toEqual(before);
    await (await openStore(url, 'gateway')).close();
  });

  test('starts again if a gateway has changed the source since', async () => {
    const [path, url] = [await emptySource(), await createDatabase()];
    change(path, (database) => addContacts(database, 'a'));
    await cutAfter(2_000, path, url);
    const store = await openStore(`sqlite:${path}`, 'gateway');
    await store.registry.touch();
    await store.close();
    change(path, (database) => {
      database.exec('delete from windows');
      addContacts(database, 'b');
    });
    const before = await dumpOf(`sqlite:${path}`, NOT_MOVED);
    expect((await moved(path, url))[0]).toEqual({ kind: 'restarted' });
    expect(await dumpOf(url, NOT_MOVED)).toEqual(before);
  });

  test('of another source is refused, and stays as it is', async () => {
    const [path, other, url] = [await emptySource(), await emptySource(), await createDatabase()];
    change(path, (database) => addContacts(database, 'a'));
    await cutAfter(2_000, path, url);
    const begun = await countOf(url);
    change(other, (database) => database.exec(`update kysely_migration set timestamp = '2020-01-01'`));
    await expect(moved(other, url)).rejects.toThrow('an unfinished copy of another SQLite database');
    expect(await countOf(url)).toBe(begun);
  });

  test('is not complete if a row is missing in the end', async () => {
    const [path, url] = [await emptySource(), await createDatabase()];
    change(path, (database) => addContacts(database, 'a'));
    await cutAfter(2_000, path, url);
    await write(url, `delete from windows where contact = (select min(contact) from windows)`);
    await expect(moved(path, url)).rejects.toThrow(
      `${CONTACTS - 1} rows in PostgreSQL, ${CONTACTS} in SQLite`,
    );
    await expect(openStore(url, 'gateway')).rejects.toThrow('holds an unfinished copy');
  });

  test('is not complete if a row was changed', async () => {
    const [path, url] = [await emptySource(), await createDatabase()];
    change(path, (database) => addContacts(database, 'a'));
    await cutAfter(2_000, path, url);
    await write(
      url,
      `update windows set last_inbound_at = '2026-03-02'
      where contact = (select min(contact) from windows)`,
    );
    await expect(moved(path, url)).rejects.toThrow('the content of some rows');
  });
});

test('a copy whose connection breaks says that it can be continued', async () => {
  const [path, url] = [await emptySource(), await createDatabase()];
  const broken: Promise<unknown>[] = [];
  const copying = moveToPostgres(path, url, ({ kind }) => {
    if (kind !== 'new') return;
    broken.push(
      rows(
        url,
        `select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and pid <> pg_backend_pid()`,
      ),
    );
  });
  await expect(copying).rejects.toThrow('Repeat this command: it continues where it stopped.');
  await Promise.all(broken);
  await moved(path, url);
});

describe('a move is refused', () => {
  test('while a gateway runs on the source, and no gateway or command opens the source meanwhile', async () => {
    const [path, url] = [await emptySource(), await createDatabase()];
    const gateway = await openStore(`sqlite:${path}`, 'gateway');
    await expect(moved(path, url)).rejects.toThrow('A gateway is running on');
    await gateway.close();
    const refused: string[] = [];
    await moveToPostgres(path, url, ({ kind }) => {
      if (kind !== 'checking') return;
      const other = new DatabaseSync(path, { timeout: 0 });
      for (const sql of ['pragma journal_mode = wal', 'update registry set revision = 7'])
        try {
          other.exec(sql);
        } catch (error) {
          refused.push((error as Error).message);
        }
      other.close();
      try {
        backupSqlite(path, `${path}.backup`);
      } catch (error) {
        refused.push((error as Error).message);
      }
    });
    expect(refused.slice(0, 2)).toEqual(['database is locked', 'database is locked']);
    expect(refused[2]).toBe(`Another command, such as migrate-to, has ${path} open. Wait until it ends.`);
    expect(openingRefused(`sqlite:${path}`, new Error(refused[0])).message).toContain('such as migrate-to');
  });

  test('while a command has the source open', async () => {
    const [path, url] = [await emptySource(), await createDatabase()];
    const store = await openStore(`sqlite:${path}`, 'command');
    await store.lines.all();
    await expect(moved(path, url)).rejects.toThrow('Another program has');
    await store.close();
    await moved(path, url);
  });

  test('if the target has tables, of a gateway or of another program', async () => {
    const [path, url, other] = [await emptySource(), await createDatabase(), await createDatabase()];
    await (await openStore(url)).close();
    await write(other, 'create table orders (id integer)');
    await expect(moved(path, url)).rejects.toThrow('is in use: it has tables, such as');
    await expect(moved(path, other)).rejects.toThrow('such as orders');
    expect(
      await rows(
        other,
        `select count(*)::int as count from pg_class
      where relkind = 'r' and relnamespace = current_schema()::regnamespace`,
      ),
    ).toEqual([{ count: 1 }]);
  });

  test('if a gateway of an earlier version has used the copy before its end', async () => {
    const [path, url] = [await emptySource(), await createDatabase()];
    const cut = moveToPostgres(path, url, ({ kind }) => {
      if (kind === 'checking') throw new Cut();
    });
    await expect(cut).rejects.toThrow(Cut);
    await write(url, `insert into processes (id, alive_until) values ('1', '2026')`);
    await expect(moved(path, url)).rejects.toThrow('A gateway has opened the PostgreSQL database');
    await expect(openStore(url)).rejects.toThrow('holds an unfinished copy');
  });

  test('through a pooler in transaction mode, which would keep its locks', async () => {
    const [path, url] = [await emptySource(), await createDatabase()];
    const pooler = await startTransactionPooler(url, 3);
    await expect(moved(path, pooler.url)).rejects.toThrow(
      /^The URL of the PostgreSQL database leads to a pooler .+ Give the address of PostgreSQL itself\.$/,
    );
    await pooler.close();
    await moved(path, url);
  });

  test('if the source is of an earlier version', async () => {
    const [path, url] = [await emptySource(), await createDatabase()];
    change(path, (database) =>
      database.exec('delete from kysely_migration where name = (select max(name) from kysely_migration)'),
    );
    await expect(moved(path, url)).rejects.toThrow('Start the gateway first');
  });

  test('for a row that PostgreSQL cannot store, whose place it names', async () => {
    const [path, url] = [await emptySource(), await createDatabase()];
    change(path, (database) => {
      addContacts(database, 'a');
      database.exec('update windows set line_id = 3000000000 where rowid = 4321');
    });
    await expect(moved(path, url)).rejects.toThrow(
      /refuses a row of windows \(rowid: 4321\): .*out of range.* Correct or delete this row/,
    );
    change(path, (database) => database.exec('update windows set line_id = 3 where rowid = 4321'));
    await moved(path, url);
  });
});

test('messages that wait for a pause keep their order', async () => {
  const [path, url] = [await emptySource(), await createDatabase()];
  change(path, (database) => {
    for (const name of ['c', 'a', 'b'])
      database.exec(
        `insert into gathering values (1, '${name}', 'evt_${name}', '16505551234', '{}', '2026', null, null)`,
      );
  });
  await moved(path, url);
  expect(await rows(url, 'select identity from gathering order by sequence')).toEqual(
    ['c', 'a', 'b'].map((identity) => ({ identity })),
  );
});
