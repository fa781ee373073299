import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chownSync,
  cpSync,
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { promisify } from 'node:util';
import { temporaryFolder } from '../../../support/databases';
import { until } from '../../../support/http-peer';
import { notification, notify, textFrom } from '../../../support/test-gateway';
import { fixtureNames, unpack } from '../../store/schemas/fixture';
import { addLine, ask, command, freshSettings, peer, start, storedLines, TEXT } from '../support';

const RESTORE = join(__dirname, '../../../../gateway/build/store/sqlite/restore.js');

const BACKUP = RESTORE.replace(/restore\.js$/, 'backup.js');

/** A program's beginning: from then on hard links are refused, as by a file system that has none. */
const refusingLinks = (code: string): string =>
  `require('node:fs').linkSync = () => { throw Object.assign(new Error(), { code: '${code}' }) };`;

const fileOf = (env: Record<string, string>) => (env.GATEWAY_DATABASE_URL ?? '').slice('sqlite:'.length);

describe('a backup', () => {
  test('that was made while it ran brings back what is lost, and delivers what it owed', async () => {
    const env = freshSettings();
    let status = 500;
    const receiver = await peer(() => ({ status }));
    const { token } = await addLine(env, '--forward-url', receiver.url);
    const gateway = await start(env);
    expect(await notify(gateway, notification(textFrom('16505551234', 'Is it ready?', 'wamid.1')))).toBe(200);
    const [tried] = await receiver.untilReceived(1);
    const backup = join(temporaryFolder(), 'backup.db');
    expect((await command(['backup', backup], env)).code).toBe(0);

    const running = await command(['restore', backup], env);
    expect([running.code, running.stderr]).toEqual([
      2,
      expect.stringContaining('Another gateway is running'),
    ]);
    await gateway.end('SIGKILL');
    for (const ending of ['', '-wal', '-shm']) rmSync(fileOf(env) + ending, { force: true });
    const check = await command(['restore', backup, '--check'], env);
    expect(check.stdout).toMatch(
      /holds 1 lines, 1 destinations, 0 messages and 1 events, the last of 20.+Z\./,
    );
    expect(check.stdout).toContain('It has 1 waiting deliveries');
    expect(existsSync(fileOf(env))).toBe(false);
    expect((await command(['restore', backup], env)).code).toBe(0);

    status = 200;
    const before = receiver.received.length;
    const restored = await start(env);
    const received = await receiver.untilReceived(before + 1);
    expect(received.at(-1)?.headers['webhook-id']).toBe(tried?.headers['webhook-id']);
    // Its token, and its window.
    expect((await ask(restored, token, 'window/16505551234')).status).toBe(200);
    expect((await ask(restored, 'another', 'messages', TEXT)).status).toBe(401);
  });

  test('keeps what was there beside it', async () => {
    const [env, backup] = [freshSettings(), join(temporaryFolder(), 'backup.db')];
    await addLine(env);
    await command(['backup', backup], env);
    const { code, stdout } = await command(['restore', backup], env);
    const kept = /the previous database is kept as (\S+)\./.exec(stdout)?.[1] ?? '';
    expect([code, existsSync(kept)]).toEqual([0, true]);
  });

  test('put back by mistake is undone with what was there, of a gateway that was killed as well', async () => {
    const env = freshSettings();
    const gateway = await start(env);
    await addLine(env);
    const backup = join(temporaryFolder(), 'backup.db');
    await command(['backup', backup], env);
    await addLine(env, '--phone-number-id', '106540352242923');
    await gateway.end('SIGKILL');
    const { stdout } = await command(['restore', backup], env);
    const kept = /the previous database is kept as (\S+)\./.exec(stdout)?.[1] ?? '';
    // One file, with what the log had.
    expect(readdirSync(dirname(kept)).filter((name) => name.startsWith(`${basename(kept)}-`))).toEqual([]);
    const linesNow = async () =>
      JSON.parse((await command(['line', 'list', '--json'], env)).stdout).lines as unknown[];
    expect(await linesNow()).toHaveLength(1);
    expect((await command(['restore', kept], env)).stdout).toContain('holds 2 lines');
    expect(await linesNow()).toHaveLength(2);
  });

  test('may be the database of a gateway that was killed, with what only its log has', async () => {
    const [env, other] = [freshSettings(), freshSettings()];
    const gateway = await start(env);
    await addLine(env);
    await gateway.end('SIGKILL');
    expect(statSync(`${fileOf(env)}-wal`).size).toBeGreaterThan(0);
    const { stdout } = await command(['restore', fileOf(env)], other);
    expect(stdout).toContain('holds 1 lines');
    expect(JSON.parse((await command(['line', 'list', '--json'], other)).stdout).lines).toHaveLength(1);
  });

  test('is not put in the place of a database that somebody still writes to', async () => {
    const [env, backup] = [freshSettings(), join(temporaryFolder(), 'backup.db')];
    await addLine(env);
    await command(['backup', backup], env);
    const program = `const database = new (require('node:sqlite').DatabaseSync)(${JSON.stringify(fileOf(env))});
      database.exec('pragma journal_mode = wal; create table other (a)');
      console.log('open');
      setInterval(() => {}, 1000);`;
    const child = spawn(process.execPath, ['-e', program], { stdio: ['ignore', 'pipe', 'inherit'] });
    const closed = once(child, 'close');
    try {
      await once(child.stdout, 'data');
      const { code, stderr } = await command(['restore', backup], env);
      expect([code, stderr]).toEqual([2, expect.stringContaining('Nothing is restored: end it')]);
      expect(readdirSync(dirname(fileOf(env))).filter((name) => name.includes('-before-'))).toEqual([]);
    } finally {
      child.kill();
      await closed;
    }
    expect((await command(['restore', backup], env)).code).toBe(0);
  });

  test('never comes to lie beside the log of another database', async () => {
    const [env, other, backup] = [freshSettings(), freshSettings(), join(temporaryFolder(), 'backup.db')];
    await addLine(env);
    await command(['backup', backup], env);
    const gateway = await start(other);
    await gateway.end('SIGKILL');
    const log = readFileSync(`${fileOf(other)}-wal`);
    // As it is where a restore was broken off.
    for (const name of readdirSync(dirname(fileOf(env)))) rmSync(join(dirname(fileOf(env)), name));
    writeFileSync(`${fileOf(env)}-wal`, log);
    const { stdout } = await command(['restore', backup], env);
    const kept = /the previous database is kept as (\S+)\./.exec(stdout)?.[1] ?? '';
    expect(existsSync(`${fileOf(env)}-wal`)).toBe(false);
    expect(readFileSync(`${kept}-wal`).equals(log)).toBe(true);
  });

  test.each([
    ['with hard links', ''],
    ['without hard links', 'EPERM'],
  ])('leaves a whole database, the old or the new, wherever it is killed %s', async (_case, refusal) => {
    const steps: string[] = [];
    const [made, folder] = [freshSettings(), temporaryFolder()];
    const backup = join(folder, 'backup.db');
    await addLine(made);
    await command(['backup', backup], made);
    await addLine(made, '--phone-number-id', '106540352242923');
    for (let step = 1; steps.at(-1) !== 'ended'; step++) {
      const env = freshSettings();
      cpSync(dirname(fileOf(made)), dirname(fileOf(env)), { recursive: true });
      // Ends, as by a power cut, just before what it would do next with a file's name.
      const program = `const { restoreSqlite } = require(${JSON.stringify(RESTORE)});
        const fs = require('node:fs');
        let left = ${step};
        ${refusal && refusingLinks(refusal)}
        for (const name of ['linkSync', 'renameSync', 'rmSync', 'fsyncSync', 'copyFileSync']) {
          const real = fs[name];
          fs[name] = (...given) => (--left === 0 ? process.kill(process.pid, 'SIGKILL') : real(...given));
        }
        restoreSqlite(${JSON.stringify(backup)}, ${JSON.stringify(fileOf(env))}, '2026-01-01');`;
      const child = spawn(process.execPath, ['-e', program], { stdio: 'inherit' });
      const [, signal] = (await once(child, 'close')) as [number | null, string | null];
      const { code, stdout } = await command(['line', 'list', '--json'], env);
      expect(code).toBe(0);
      steps.push(signal === 'SIGKILL' ? String((JSON.parse(stdout).lines as unknown[]).length) : 'ended');
    }
    expect(steps.slice(0, -1)).toEqual(steps.slice(0, -1).sort().reverse());
    expect(new Set(steps)).toEqual(new Set(['2', '1', 'ended']));
  });

  test('is made and put back on a file system that answers a hard link with an error', async () => {
    for (const refusal of ['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EXDEV']) {
      const [env, other] = [freshSettings(), freshSettings()];
      const [path, backup] = [fileOf(env), join(temporaryFolder(), 'backup.db')];
      await addLine(other);
      cpSync(dirname(fileOf(other)), dirname(path), { recursive: true });
      await addLine(env, '--phone-number-id', '106540352242923');
      const { mode } = statSync(path);
      const [from, to, at] = [fileOf(other), backup, path].map((file) => JSON.stringify(file));
      const program = `${refusingLinks(refusal)}
        const { backupSqlite } = require(${JSON.stringify(BACKUP)});
        const { restoreSqlite } = require(${JSON.stringify(RESTORE)});
        const said = (work) => { try { return work() ?? null } catch (error) { return error.message } };
        const make = () => backupSqlite(${from}, ${to});
        console.log(JSON.stringify([said(make), said(make), restoreSqlite(${to}, ${at}, '2026-01-01')]));`;
      const { stdout } = await promisify(execFile)(process.execPath, ['-e', program]);
      const kept = `${path}-before-2026-01-01`;
      expect([refusal, JSON.parse(stdout)]).toEqual([
        refusal,
        [null, `${backup} is there already. Name a file that is not.`, kept],
      ]);
      expect(await storedLines(env)).toHaveLength(1);
      expect(await storedLines({ ...env, GATEWAY_DATABASE_URL: `sqlite:${kept}` })).toHaveLength(2);
      expect(statSync(kept).mode).toBe(mode);
      expect(readdirSync(dirname(path)).filter((name) => name.includes('-arriving'))).toEqual([]);
    }
  });

  test.each([
    ['gateway.db-arriving', 'The restore did not finish: run it again.'],
    ['gateway.db-arriving.4711.part', 'The restore did not finish: run it again.'],
    ['gateway.db-before-2026-01-01', 'To put that one back: restore'],
  ])('that left %s and no database keeps a gateway from beginning an empty one', async (name, remedy) => {
    const env = freshSettings();
    const left = join(dirname(fileOf(env)), name);
    writeFileSync(left, '');
    for (const words of [['start'], ['line', 'list']]) {
      const { code, stderr } = await command(words, env);
      expect([code, stderr]).toEqual([2, expect.stringContaining(`but ${left} of a restore is beside it`)]);
      expect(stderr).toContain(remedy);
    }
    expect(existsSync(fileOf(env))).toBe(false);
  });

  test.each([
    ['create trigger t after insert on events begin update users set role = 1; end', 'the trigger t'],
    ['create view v as select * from users', 'the view v'],
    ['create table more (a)', 'the table more'],
    ['create virtual table more using fts5(a)', 'the table more'],
    ['create index more on users (role)', 'the index more'],
    ['drop index aliases_contact; create index aliases_contact on users (role)', 'the index aliases_contact'],
    ['alter table users add column more text', 'the column more of users'],
    ["alter table users add column more text generated always as ('a')", 'the column more of users'],
  ])('is refused after somebody did %j to it', async (statement, what) => {
    const [env, backup] = [freshSettings(), join(temporaryFolder(), 'backup.db')];
    await addLine(env);
    await command(['backup', backup], env);
    const database = new DatabaseSync(backup);
    database.exec(statement);
    database.close();
    const { code, stderr } = await command(['restore', backup], env);
    expect([code, stderr]).toEqual([2, expect.stringContaining(`${backup} holds ${what}`)]);
    expect(readdirSync(dirname(fileOf(env))).filter((name) => name.includes('-before-'))).toEqual([]);
  });

  test.each(fixtureNames())('of the earlier version %s is none that somebody changed', async (name) => {
    const env = freshSettings();
    await unpack(name, 'sqlite', env.GATEWAY_DATABASE_URL ?? '');
    expect((await command(['restore', fileOf(env), '--check'], env)).stdout).toContain('waiting deliveries');
  });

  test('names the users that it brings back, and says whether the secret key is its own', async () => {
    const [env, backup] = [freshSettings(), join(temporaryFolder(), 'backup.db')];
    await addLine(env);
    for (const [user, role] of [
      ['ana', 'owner'],
      ['bo', 'viewer'],
    ] as const)
      await command(['user', 'add', user, '--role', role], env);
    await command(['backup', backup], env);
    const check = (more: Record<string, string>) =>
      command(['restore', backup, '--check'], { ...env, ...more });
    const right = await check({});
    expect(right.stdout).toContain('Users who can log in to the panel: ana (owner), bo (viewer).');
    expect([right.code, right.stdout]).toEqual([
      0,
      expect.stringContaining('GATEWAY_SECRET_KEY decrypts it.'),
    ]);
    const other = 'another-key-of-at-least-32-characters';
    const wrong = await check({ GATEWAY_SECRET_KEY: other });
    expect([wrong.code, wrong.stdout]).toEqual([1, expect.stringContaining('is not its key')]);
    const former = await check({
      GATEWAY_SECRET_KEY: other,
      GATEWAY_OLD_SECRET_KEYS: env.GATEWAY_SECRET_KEY ?? '',
    });
    expect(former.code).toBe(0);
    const none = await check({ GATEWAY_SECRET_KEY: '' });
    expect([none.code, none.stdout]).toEqual([0, expect.stringContaining('is not checked')]);
  });

  if (process.getuid?.() === 0)
    test('restored by root belongs to the user of what was there, or of its folder', async () => {
      const [env, backup] = [freshSettings(), join(temporaryFolder(), 'backup.db')];
      await addLine(env);
      await command(['backup', backup], env);
      const owners = () => [fileOf(env), `${fileOf(env)}-gateway`].map((file) => statSync(file).uid);
      chownSync(fileOf(env), 65534, 65534);
      expect((await command(['restore', backup], env)).code).toBe(0);
      expect(owners()).toEqual([65534, 65534]);

      for (const name of readdirSync(dirname(fileOf(env)))) rmSync(join(dirname(fileOf(env)), name));
      chownSync(dirname(fileOf(env)), 65533, 65533);
      expect((await command(['restore', backup], env)).code).toBe(0);
      expect(owners()).toEqual([65533, 65533]);
    });

  test('that was broken off leaves nothing once it is made again', async () => {
    const [env, folder] = [freshSettings(), temporaryFolder()];
    await addLine(env);
    const others = ['backup.db.4711.part.txt', 'other.db.4711.part'];
    for (const name of [...others, 'backup.db.4711.part']) writeFileSync(join(folder, name), '');
    expect((await command(['backup', join(folder, 'backup.db')], env)).code).toBe(0);
    expect(readdirSync(folder).sort()).toEqual(['backup.db', ...others]);
  });

  test('is told from what is none', async () => {
    const [env, file] = [freshSettings(), join(temporaryFolder(), 'file.db')];
    writeFileSync(file, 'something else entirely');
    for (const [given, sentence] of [
      [file, `${file} is no backup of a gateway`],
      [`${file}-other`, `There is no file ${file}-other.`],
    ] as const) {
      const { code, stderr } = await command(['restore', given], env);
      expect([code, stderr]).toEqual([2, expect.stringContaining(sentence)]);
    }
    expect(existsSync(fileOf(env))).toBe(false);
  });

  test('is made once a day where a folder is set, and the last few are kept', async () => {
    const folder = temporaryFolder();
    const old = ['gateway-2026-01-01T00-00-00.db', 'gateway-2026-01-02T00-00-00.db', 'notes.txt'];
    const part = 'gateway-2026-01-03T00-00-00.db.4711.part';
    // Of a clock that was wrong.
    const toCome = 'gateway-2999-01-01T00-00-00.db';
    for (const name of [...old, part, toCome]) writeFileSync(join(folder, name), '');
    const env = freshSettings({ GATEWAY_BACKUP_DIR: folder, GATEWAY_BACKUP_KEEP: '2' });
    const gateway = await start(env);
    await until(
      () => gateway.stdout().includes('backup made') && readdirSync(folder).length === 4,
      15_000,
      gateway.stdout,
    );
    const [kept, fresh, ...others] = readdirSync(folder).sort();
    expect([kept, ...others]).toEqual([old[1], toCome, old[2]]);
    expect((await command(['restore', join(folder, fresh ?? ''), '--check'], env)).code).toBe(0);
    await gateway.end();
    const again = await start(env);
    await again.end();
    expect(again.stdout()).not.toContain('backup made');
  });
});
