import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { spawnSync } from 'node:child_process';
import { Client } from 'pg';
import { findConditions } from '../../../gateway/alerts/facts';
import { openStore } from '../../../gateway/store/store';
import { sharingReader, SqliteWriter } from '../../../gateway/store/sqlite/dialect';
import { lateSqliteThread, type SqliteRequest } from '../../../gateway/store/sqlite/thread';
import { createDatabase } from '../../support/postgres';
import { DATABASES, temporaryFolder } from '../../support/databases';
import { until } from '../../support/http-peer';
import { addLine, at, attempt, event, notificationOf, openStores, owed, record } from './support';

describe.each(DATABASES)('a store ($name)', ({ createUrl, createBareUrl }) => {
  const open = openStores();

  test('keeps what it holds when it is opened again', async () => {
    const url = await createUrl();
    const first = await openStore(url);
    await addLine(first);
    await first.write(notificationOf([owed('a', [1])]));
    await first.close();
    const second = await open(url);
    expect(await second.lines.all()).toHaveLength(1);
    expect(await second.deliveries.ofDestination(1)).toMatchObject([{ event_id: 'evt_a', state: 'pending' }]);
    expect(await second.registry.revision()).toBe(1);
  });

  test('is made once when several processes open it at the same moment', async () => {
    const url = await createBareUrl();
    const stores = await Promise.all([open(url), open(url), open(url)]);
    for (const store of stores) expect(await store.registry.revision()).toBe(0);
  });

  test('carries out transactions that are asked for at once, all of them', async () => {
    const store = await open(await createUrl());
    await Promise.all(Array.from({ length: 20 }, (_, number) => addLine(store, String(1000 + number))));
    expect(await store.lines.all()).toHaveLength(20);
    expect(await store.registry.revision()).toBe(20);
  });
});

describe('a database that cannot be used', () => {
  test('is a sentence that names the setting: SQLite in a folder that is a file', async () => {
    const file = join(temporaryFolder(), 'file');
    writeFileSync(file, '');
    await expect(openStore(`sqlite:${file}/gateway.db`)).rejects.toThrow(
      /^GATEWAY_DATABASE_URL cannot be used: \S/,
    );
  });

  test('is a sentence that names the setting: a file that is no SQLite database', async () => {
    const file = join(temporaryFolder(), 'file');
    writeFileSync(file, 'something else entirely, and rather longer than a header of SQLite is'.repeat(20));
    await expect(openStore(`sqlite:${file}`)).rejects.toThrow(
      'GATEWAY_DATABASE_URL cannot be used: file is not a database',
    );
    expect(readFileSync(file, 'utf8')).toContain('something else entirely');
  });

  test('is a sentence that names the setting: PostgreSQL where nobody listens', async () => {
    const opening = openStore('postgres://nobody:the-password@localhost:1/none');
    await expect(opening).rejects.toThrow(
      /^GATEWAY_DATABASE_URL cannot be used: .+ Check its host and port, and that the server runs\.$/,
    );
    await expect(opening).rejects.not.toThrow(/the-password/);
  });

  test('says how a sign in a password is written that ends an address', async () => {
    const opening = openStore('postgres://nobody:the#password@localhost:1/none');
    await expect(opening).rejects.toThrow(
      'GATEWAY_DATABASE_URL cannot be used: Invalid URL. In its user and password write @ as %40',
    );
    await expect(opening).rejects.not.toThrow(/the.password/);
  });

  test('says that an address names one host', async () => {
    const opening = openStore('postgres://nobody:a@one:5432,two:5432/none');
    await expect(opening).rejects.toThrow('names several hosts');
  });

  test('says what is to be done about a database that PostgreSQL does not have, and a file that cannot be', async () => {
    const other = new URL(await createDatabase());
    other.pathname = '/not_there';
    await expect(openStore(String(other))).rejects.toThrow(/not_there.+ Create that database first/);
    const folder = temporaryFolder();
    await expect(openStore(`sqlite:${folder}`)).rejects.toThrow(
      `unable to open database file (${folder}). Check that it is a file, in a folder that this user may write to.`,
    );
  });
});

describe('a store whose connections PostgreSQL ends', () => {
  const open = openStores();

  test('fails what was on its way, breaks nothing else, and goes on', async () => {
    const url = await createDatabase();
    const store = await open(url);
    store.listen(() => undefined);
    const administrator = new Client({ connectionString: url });
    await administrator.connect();
    let acknowledged: string[] = [];
    for (let round = 0; round < 5; round++) {
      const names = Array.from({ length: 200 }, (_, number) => `${round}-${number}`);
      const writes = names.map(async (name) => {
        await new Promise((resolve) => setTimeout(resolve, Math.random() * 30));
        acknowledged = acknowledged.concat(await record(store, [event(name)]));
      });
      const reads = names.slice(0, 20).map(() => store.queued.untried(1, 0, 10));
      await new Promise((resolve) => setTimeout(resolve, 10));
      await administrator.query(
        'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
      );
      await Promise.allSettled([...writes, ...reads]);
    }
    expect(await record(store, [event('after')])).toEqual(['evt_after']);
    const { rows } = await administrator.query<{ id: string }>('select id from events');
    const stored = new Set(rows.map(({ id }) => id));
    expect(acknowledged.length).toBeGreaterThan(0);
    expect(acknowledged.filter((id) => !stored.has(id))).toEqual([]);
    await administrator.end();
  });

  test('commits again what PostgreSQL rolled back to end a deadlock', async () => {
    const url = await createDatabase();
    const store = await open(url);
    await store.write(notificationOf([owed('1', [1]), owed('2', [1])]));
    const other = new Client({ connectionString: url });
    await other.connect();
    // The other waits longer before it looks for a deadlock, so that it is ours that falls victim.
    await other.query(`set deadlock_timeout = '60s'`);
    await other.query('begin');
    await other.query(`update deliveries set lane = lane where event_id = 'evt_2'`);
    const written = Promise.all([
      store.write(attempt(1, '1', 1, { state: 'delivered', started_at: at(1) })),
      store.write(attempt(1, '2', 1, { state: 'delivered', started_at: at(1) })),
    ]);
    await new Promise((resolve) => setTimeout(resolve, 200));
    await other.query(`update deliveries set lane = lane where event_id = 'evt_1'`);
    await other.query('commit');
    await written;
    await other.end();
    expect(await store.deliveries.ofDestination(1)).toMatchObject([
      { event_id: 'evt_1', state: 'delivered' },
      { event_id: 'evt_2', state: 'delivered' },
    ]);
  });
});

describe('a SQLite thread that is started late', () => {
  const question: SqliteRequest = { kind: 'query', sql: 'select 1 as one', parameters: [] };

  test('opens its file when it is first asked, and tries again where it could not', async () => {
    const folder = join(temporaryFolder(), 'later');
    const thread = lateSqliteThread({ path: join(folder, 'gateway.db') });
    await expect(thread.ask(question)).rejects.toThrow('unable to open');
    mkdirSync(folder);
    expect(await Promise.all([thread.ask(question), thread.ask(question)])).toEqual([
      { rows: [{ one: 1 }] },
      { rows: [{ one: 1 }] },
    ]);
    await thread.close();
  });

  test('ends when nobody has asked for a while, answers what was asked before, and starts again', async () => {
    const thread = lateSqliteThread({ path: join(temporaryFolder(), 'gateway.db') }, 50);
    const asked = () => Promise.all([thread.ask(question), thread.ask(question)]);
    for (let times = 0; times < 2; times++) {
      const answers = asked();
      expect(thread.isStarted()).toBe(true);
      expect(await answers).toEqual([{ rows: [{ one: 1 }] }, { rows: [{ one: 1 }] }]);
      await until(() => !thread.isStarted());
    }
    await thread.close();
  });

  test('is closed for good, whether it was asked or not', async () => {
    const folder = temporaryFolder();
    const thread = lateSqliteThread({ path: join(folder, 'gateway.db') });
    await thread.close();
    await expect(thread.ask(question)).rejects.toThrow('The database is closed');
    expect(readdirSync(folder)).toEqual([]);
  });
});

describe('reads beside a transaction on SQLite', () => {
  const path = () => join(temporaryFolder(), 'gateway.db');
  const during = async (file: string) => {
    const writer = new SqliteWriter(lateSqliteThread({ path: file }));
    const own = lateSqliteThread({ path: file, readOnly: true });
    const run = (sql: string) => writer.thread.ask({ kind: 'query', sql, parameters: [] });
    await run('create table seen (id integer)');
    const letGo = await writer.take();
    await run('begin immediate');
    await run('insert into seen values (1)');
    const count: SqliteRequest = { kind: 'query', sql: 'select count(*) as rows from seen', parameters: [] };
    return {
      own,
      run,
      letGo,
      read: sharingReader(writer, own).ask(count),
      close: () => Promise.all([writer.thread.close(), own.close()]),
    };
  };

  test('wait for one that is soon over, and need no thread of their own', async () => {
    const { own, run, letGo, read, close } = await during(path());
    // In the same turn, before the time that a read waits can be over.
    const committed = run('commit');
    letGo();
    await committed;
    expect([await read, own.isStarted()]).toEqual([{ rows: [{ rows: 1 }] }, false]);
    await close();
  });

  test('do not wait for one that lasts, and see nothing of it', async () => {
    const { own, run, letGo, read, close } = await during(path());
    expect([await read, own.isStarted()]).toEqual([{ rows: [{ rows: 0 }] }, true]);
    await run('commit');
    letGo();
    await close();
  });
});

describe('a SQLite thread that breaks', () => {
  test('takes the process with it, which can be started again, rather than leave it without a database', () => {
    const program = `
      const threads = require('node:worker_threads');
      const started = [];
      threads.Worker = class extends threads.Worker {
        constructor(...given) {
          super(...given);
          started.push(this);
        }
      };
      const { openStore } = require(${JSON.stringify(resolve('gateway/build/store/store.js'))});
      openStore(${JSON.stringify(`sqlite:${join(temporaryFolder(), 'gateway.db')}`)}).then((store) => {
        setInterval(() => store.registry.revision(), 10);
        setTimeout(() => started[0].emit('error', new Error('the thread is broken')));
      });`;
    const { status, stderr } = spawnSync(process.execPath, ['-e', program], {
      encoding: 'utf8',
      timeout: 60_000,
    });
    expect(stderr).toContain('the thread is broken');
    expect(status).toBe(1);
  });
});

/** Linux alone tells which files a process has open. */
const tellsOpenFiles = existsSync('/proc/self/fd');
if (tellsOpenFiles) {
  test('what alerts ask in an idle gateway starts no thread for reading', async () => {
    const folder = temporaryFolder();
    const path = join(realpathSync(folder), 'gateway.db');
    const store = await openStore(`sqlite:${path}`);
    const lines = { all: () => [], byId: () => null };
    await findConditions({ store, lines, clock: Date.now });
    const opened = readdirSync('/proc/self/fd').filter((file) => linkOf(`/proc/self/fd/${file}`) === path);
    expect(opened).toHaveLength(1);
    await store.close();
  });

  test('what SQLite sorts or writes anew beside its file stays in the folder of that file', () => {
    const folder = temporaryFolder();
    const program = `
      const { readdirSync, readlinkSync } = require('node:fs');
      const { openStore } = require(${JSON.stringify(resolve('gateway/build/store/store.js'))});
      const { startSqliteThread } = require(${JSON.stringify(resolve('gateway/build/store/sqlite/thread.js'))});
      const link = (file) => { try { return readlinkSync('/proc/self/fd/' + file); } catch { return ''; } };
      openStore(${JSON.stringify(`sqlite:${join(folder, 'gateway.db')}`)}).then(async (store) => {
        const thread = await startSqliteThread({ path: ${JSON.stringify(join(folder, 'gateway.db'))} });
        const ask = (sql) => thread.ask({ kind: 'query', sql, parameters: [] });
        await ask('pragma temp.cache_size = 10');
        await ask('create temp table large (body)');
        for (let row = 0; row < 20; row++) await ask('insert into large values (zeroblob(1000000))');
        console.log(readdirSync('/proc/self/fd').map(link).filter((file) => /etilqs/.test(file)).join());
        await thread.close();
        await store.close();
      });`;
    const { stdout, stderr } = spawnSync(process.execPath, ['-e', program], {
      encoding: 'utf8',
      env: { PATH: process.env.PATH },
    });
    expect([dirname(stdout.trim()), stderr]).toEqual([realpathSync(folder), '']);
  });
}

/** Empty if the file is no longer open. */
function linkOf(file: string): string {
  try {
    return readlinkSync(file);
  } catch {
    return '';
  }
}
