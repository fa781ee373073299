import {
  chownSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { SettingError } from '../../errors';
import { migrations } from '../migrations';
import { RENAMED } from '../migrations/schema-version';
import { SEALED_COLUMNS } from '../tables/secrets';
import { type SealedPlace } from '../vault';
import { backupSqlite, linked, syncFile } from './backup';
import { isBusy } from './busy';
import { lockFileOf, lockForGateway } from './lock';
import { strangerIn } from './own-schema';

/** What a backup holds. */
export interface BackupReport {
  /** When its last event was received, ISO time; null if there is none. */
  lastEventAt: string | null;
  lines: number;
  destinations: number;
  messages: number;
  events: number;
  /**
   * Pending deliveries: a gateway that starts on this file sends them, also those that were already delivered
   * after the backup.
   */
  owed: number;
  /** Who may log in to the panel once it is restored. */
  users: { name: string; role: string }[];
  /** A text that the key of the backup opens; null if it holds none. */
  sealed: { place: SealedPlace; text: string } | null;
}

/**
 * @throws SettingError if the file is no complete database of this program, is of a later version, or
 * contains anything that this program does not make
 */
export async function readBackup(file: string): Promise<BackupReport> {
  if (!existsSync(file)) throw new SettingError(`There is no file ${file}.`);
  const database = new DatabaseSync(file, { readOnly: true });
  const first = (sql: string) => Object.values(database.prepare(sql).get() ?? {})[0];
  const count = (of: string) => Number(first(`select count(*) from ${of}`));
  try {
    if (first('pragma integrity_check') !== 'ok') throw new SettingError(`${file} is damaged.`);
    const known = Object.keys(migrations('sqlite'));
    const renamed: Record<string, string> = RENAMED;
    const steps = (database.prepare('select name from kysely_migration').all() as { name: string }[]).map(
      ({ name }) => renamed[name] ?? name,
    );
    if (!steps.some((name) => known.includes(name)))
      throw new SettingError(`${file} is no backup of a gateway.`);
    if (steps.some((name) => !known.includes(name)))
      throw new SettingError(`${file} is of a newer version of this program. Restore it with that version.`);
    const stranger = await strangerIn(database, steps);
    if (stranger !== null)
      throw new SettingError(
        `${file} holds ${stranger}, which this program does not make. Somebody changed the backup, and it is not restored. Take another one.`,
      );
    const has = (table: string) => first(`select 1 from sqlite_schema where name = '${table}'`) !== undefined;
    const lastEventAt = first('select max(received_at) from events');
    return {
      lastEventAt: typeof lastEventAt === 'string' ? lastEventAt : null,
      lines: count('lines'),
      destinations: count('destinations where removed_at is null'),
      messages: count('messages'),
      events: count('events'),
      owed: count(`deliveries where state = 'pending'`),
      users: has('users')
        ? (database.prepare('select name, role from users order by name').all() as BackupReport['users'])
        : [],
      sealed: sealedIn(database, has),
    };
  } catch (error) {
    if (error instanceof SettingError) throw error;
    throw new SettingError(`${file} is no backup of a gateway: ${(error as Error).message}`);
  } finally {
    database.close();
  }
}

function sealedIn(database: DatabaseSync, has: (table: string) => boolean): BackupReport['sealed'] {
  for (const { table, column, place } of SEALED_COLUMNS.filter((one) => has(one.table))) {
    const row = database
      .prepare(`select * from ${table} order by id desc`)
      .all()
      .find((one) => typeof one[column] === 'string');
    if (row) return { place, text: String(row[column]) };
  }
  return null;
}

/** Milliseconds that a command which changes something takes. */
const LONGEST_COMMAND = 5_000;

/**
 * Replaces a database by a backup, and keeps the database beside it under another name. No gateway can start
 * meanwhile. If it is interrupted, either the old database or the backup is in place, complete.
 * @returns the name under which the database is kept; null if there was none
 * @throws SettingError if a gateway runs on it, or another program has it open
 */
export function restoreSqlite(file: string, path: string, now: string): string | null {
  mkdirSync(dirname(path), { recursive: true });
  const owner = statSync(existsSync(path) ? path : dirname(path));
  // Run by root, for a gateway that another user runs.
  const own = (one: string) => {
    if (process.getuid?.() === 0) chownSync(one, owner.uid, owner.gid);
  };
  const unlock = lockForGateway(path);
  try {
    const arriving = `${path}-arriving`;
    rmSync(arriving, { force: true });
    // Read, not copied: what a process that was killed has left in a log beside the file belongs to it.
    backupSqlite(file, arriving);
    for (const one of [arriving, lockFileOf(path)]) own(one);
    if (existsSync(path)) foldLog(path);
    const there = ['', '-wal', '-shm'].filter((ending) => existsSync(path + ending));
    const aside = `${path}-before-${now.replace(/\W/g, '-')}`;
    // A second name or a copy, so that the path is never without a database.
    if (existsSync(path) && !linked(path, aside)) {
      const copy = `${path}-arriving-aside`;
      copyFileSync(path, copy);
      own(copy);
      syncFile(copy);
      renameSync(copy, aside);
    }
    // A log of a damaged or missing database must not end up beside the backup.
    for (const ending of there.slice(there[0] === '' ? 1 : 0)) renameSync(path + ending, aside + ending);
    renameSync(arriving, path);
    if (process.platform !== 'win32') syncFile(dirname(path));
    return there.length ? aside : null;
  } finally {
    unlock();
  }
}

/**
 * Refuses to create an empty database during a restore, or beside a database that a restore has set aside.
 * @throws SettingError
 */
export function refuseLost(path: string): void {
  if (existsSync(path) || !existsSync(dirname(path))) return;
  const parts = ['-arriving', '-before-'].map((part) => basename(path) + part);
  const [left] = readdirSync(dirname(path))
    .filter((name) => parts.some((part) => name.startsWith(part)))
    .sort();
  if (left === undefined) return;
  const found = join(dirname(path), left);
  throw new SettingError(
    `There is no database ${path}, but ${found} of a restore is beside it. ${
      left.startsWith(`${basename(path)}-before-`)
        ? `To put that one back: restore ${found}.`
        : 'The restore did not finish: run it again.'
    } To begin with an empty database, move the files ${path}-before-… and ${path}-arriving… to another folder.`,
  );
}

/**
 * Makes it a single file, which can be renamed. A damaged one is set aside as it is.
 * @throws SettingError if a program has it open, because it would continue to write to the file that is set
 * aside
 */
function foldLog(path: string): void {
  const database = new DatabaseSync(path, { timeout: LONGEST_COMMAND });
  try {
    // Without a log: only a process that is alone with the file can switch it off.
    database.exec('pragma journal_mode = delete');
  } catch (error) {
    if (isBusy(error))
      throw new SettingError(
        `Another program has ${path} open, perhaps a command that is still running. Nothing is restored: end it, then run this again.`,
      );
  } finally {
    database.close();
  }
}
