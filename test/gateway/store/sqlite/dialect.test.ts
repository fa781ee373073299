import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { Kysely, sql } from 'kysely';
import { sharingReader, SqliteThreadDialect, SqliteWriter } from '../../../../gateway/store/sqlite/dialect';
import { lateSqliteThread, type SqliteRequest } from '../../../../gateway/store/sqlite/thread';
import { temporaryFolder } from '../../../support/databases';
import { until } from '../../../support/http-peer';

interface Tables {
  things: { name: string };
}

let close = async (): Promise<void> => {};
afterEach(() => close());

/**
 * Two ways to one database, as what people look through has its own; and what its writer was asked.
 * @param apart milliseconds for which reads use their own thread
 */
async function open(apart?: number) {
  const path = join(temporaryFolder(), 'gateway.db');
  const thread = lateSqliteThread({ path });
  const reader = lateSqliteThread({ path, readOnly: true });
  const asked: SqliteRequest[] = [];
  const writer = new SqliteWriter({
    ...thread,
    ask: (request) => {
      asked.push(request);
      return thread.ask(request);
    },
  });
  const [db, looks] = [1, 2].map(
    () =>
      new Kysely<Tables>({
        dialect: new SqliteThreadDialect({ writer, reader: sharingReader(writer, reader, apart) }),
      }),
  ) as [Kysely<Tables>, Kysely<Tables>];
  await sql`create table things (name text primary key) strict`.execute(db);
  asked.length = 0;
  const add = (name: string, by = db) => by.insertInto('things').values({ name }).execute();
  const names = async () =>
    (await db.selectFrom('things').select('name').orderBy('name').execute()).map((row) => row.name);
  close = async () => {
    await reader.close();
    await thread.close();
  };
  return { path, db, looks, asked, add, names, writer, reader };
}

describe('statements that are no part of a transaction', () => {
  test('share a commit where they come at once', async () => {
    const { add, names, asked } = await open();
    await Promise.all(['a', 'b', 'c', 'd'].map((name) => add(name)));
    expect(asked).toMatchObject([{ kind: 'statements', statements: [{}, {}, {}, {}] }]);
    expect(await names()).toEqual(['a', 'b', 'c', 'd']);
  });

  test('fail alone, whatever is committed with them', async () => {
    const { db, add, names } = await open();
    await add('b');
    const wrong = sql`insert into nowhere values (1)`.execute(db);
    const outcomes = await Promise.allSettled([add('a'), add('b'), wrong, add('c')]);
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected', 'fulfilled']);
    expect(await names()).toEqual(['a', 'b', 'c']);
  });

  test('stay out of transactions that run meanwhile, by whichever way', async () => {
    const { db, looks, add, names } = await open();
    const [undone, alone, other] = await Promise.allSettled([
      db.transaction().execute(async (trx) => {
        await add('undone', trx);
        await names();
        throw new Error('Undone');
      }),
      add('alone'),
      looks.transaction().execute((trx) => add('other', trx)),
    ]);
    expect([undone.status, alone.status, other.status]).toEqual(['rejected', 'fulfilled', 'fulfilled']);
    expect(await names()).toEqual(['alone', 'other']);
  });

  test('are all committed before the database is closed', async () => {
    const { add, names, writer } = await open();
    const added = add('last');
    await writer.drained();
    await added;
    expect(await names()).toEqual(['last']);
  });
});

test('reads with a table of their own ask for no lock to write', async () => {
  const { db, add, asked } = await open();
  await add('a');
  asked.length = 0;
  const { rows } = await sql`
    with some as (select name from things) select name from some`.execute(db);
  expect(rows).toEqual([{ name: 'a' }]);
  expect(asked).toMatchObject([{ kind: 'query' }]);
});

test('reads have a thread of their own after one that came within a transaction', async () => {
  const { db, add, names, reader, asked } = await open();
  await add('a');
  await add('b');
  expect(await names()).toEqual(['a', 'b']);
  expect(reader.isStarted()).toBe(false);
  await db.transaction().execute(async (trx) => {
    await add('c', trx);
    expect(await names()).toEqual(['a', 'b']);
  });
  expect(reader.isStarted()).toBe(true);
  asked.length = 0;
  expect(await names()).toEqual(['a', 'b', 'c']);
  expect(asked).toEqual([]);
});

test('reads leave their own thread after a while, so that it can end', async () => {
  const { db, add, names, reader, asked } = await open(50);
  await db.transaction().execute(async (trx) => {
    await add('a', trx);
    expect(await names()).toEqual([]);
  });
  expect(reader.isStarted()).toBe(true);
  asked.length = 0;
  await until(async () => {
    await names();
    return asked.length > 0;
  });
});

test('reads do not wait behind a statement that waits for another program', async () => {
  const { path, add, names, asked } = await open();
  await add('a');
  asked.length = 0;
  const other = new DatabaseSync(path);
  other.exec('begin immediate');
  const later = add('b');
  await until(() => asked.length > 0);
  expect(await names()).toEqual(['a']);
  other.exec('rollback');
  other.close();
  await later;
  expect(await names()).toEqual(['a', 'b']);
});
