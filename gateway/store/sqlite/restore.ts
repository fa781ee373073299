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
import { isoTime } from '../../time';
import { migrations } from '../migrations';
import { RENAMED } from '../migrations/schema-version';
import { type UserTable } from '../schema';
import { SEALED_COLUMNS } from '../tables/secrets';
import { roleOf } from '../tables/users';
import { type SealedPlace } from '../vault';
import { backupSqlite, linked, syncFile } from './backup';
import { isBusy } from './busy';
import { lockFileOf, lockForGateway } from './lock';
import { strangerIn } from './own-schema';

/** The content of a backup, in brief. */
export interface BackupReport {
  /** When the last event was received (ISO time); null if there is none. */
  lastEventAt: string | null;
  lines: number;
  destinations: number;
  messages: number;
  events: number;
  /**
   * Pending deliveries. After a restore the gateway sends them, including those that were delivered after the backup.
   */
  owed: number;
  /** The users who can log in to the panel after a restore. */
  users: { name: string; role: string }[];
  /** An encrypted text for checking the key; null if there is none. */
  sealed: { place: SealedPlace; text: string } | null;
}

/**
 * @throws SettingError if the file is not a complete database of this program, is of a later version, or contains
 * objects that this program does not create
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
      users: has('users') ? usersIn(database) : [],
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

/** The longest time, in milliseconds, that an editing command takes. */
const LONGEST_COMMAND = 5_000;

/**
 * Replaces a database with a backup, and keeps the old database next to it under another name. No gateway can start
 * meanwhile. After an interruption, either the old database or the backup is in place, complete.
 * @returns the name of the old database; null if there was none
 * @throws SettingError if a gateway or another program has the database open
 */
export function restoreSqlite(file: string, path: string, now: string): string | null {
  mkdirSync(dirname(path), { recursive: true });
  const owner = statSync(existsSync(path) ? path : dirname(path));
  // Root may run this for a gateway that runs as another user.
  const own = (one: string) => {
    if (process.getuid?.() === 0) chownSync(one, owner.uid, owner.gid);
  };
  const unlock = lockForGateway(path);
  try {
    const arriving = `${path}-arriving`;
    rmSync(arriving, { force: true });
    // Uses a read transaction instead of a file copy, because a killed process may have left data in the log beside
    // the file.
    backupSqlite(file, arriving);
    for (const one of [arriving, lockFileOf(path)]) own(one);
    if (existsSync(path)) foldLog(path);
    const there = ['', '-wal', '-shm'].filter((ending) => existsSync(path + ending));
    const aside = `${path}-before-${now.replace(/\W/g, '-')}`;
    // A hard link or a copy, so that the path always has a database.
    if (existsSync(path) && !linked(path, aside)) {
      const copy = `${path}-arriving-aside`;
      copyFileSync(path, copy);
      own(copy);
      syncFile(copy);
      renameSync(copy, aside);
    }
    // The log of a damaged or missing database must not end up beside the backup.
    for (const ending of there.slice(there[0] === '' ? 1 : 0)) renameSync(path + ending, aside + ending);
    renameSync(arriving, path);
    if (process.platform !== 'win32') syncFile(dirname(path));
    return there.length ? aside : null;
  } finally {
    unlock();
  }
}

/** Renames a database that was moved to PostgreSQL. @returns its new path */
export function setAsideMoved(path: string): string {
  const aside = `${path}-moved-${isoTime(Date.now()).replace(/\W/g, '-')}`;
  renameSync(path, aside);
  return aside;
}

/**
 * Refuses to create an empty database during a restore, or beside a database that a restore or a move has set aside.
 * @throws SettingError
 */
export function refuseLost(path: string): void {
  if (existsSync(path) || !existsSync(dirname(path))) return;
  const parts = ['-arriving', '-before-', '-moved-'].map((part) => basename(path) + part);
  const [left] = readdirSync(dirname(path))
    .filter((name) => parts.some((part) => name.startsWith(part)))
    .sort();
  if (left === undefined) return;
  const found = join(dirname(path), left);
  if (left.startsWith(`${basename(path)}-moved-`))
    throw new SettingError(
      `There is no database ${path}: it was moved to PostgreSQL, and is now ${found}. Set GATEWAY_DATABASE_URL to the PostgreSQL database. To begin with an empty database, move that file to another folder.`,
    );
  throw new SettingError(
    `There is no database ${path}, but ${found} of a restore is beside it. ${
      left.startsWith(`${basename(path)}-before-`)
        ? `To put that one back: restore ${found}.`
        : 'The restore did not finish: run it again.'
    } To begin with an empty database, move the files ${path}-before-… and ${path}-arriving… to another folder.`,
  );
}

/**
 * Merges the log into the database, so that a single file can be renamed. A damaged database is set aside as it is.
 * @throws SettingError if a program has it open, because it would keep writing to the renamed file
 */
function foldLog(path: string): void {
  const database = new DatabaseSync(path, { timeout: LONGEST_COMMAND });
  try {
    // Only a process that is alone with the file can switch the log off.
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

const usersIn = (database: DatabaseSync): BackupReport['users'] =>
  (
    database.prepare('select name, role from users order by name').all() as unknown as Pick<
      UserTable,
      'name' | 'role'
    >[]
  ).map(({ name, role }) => ({ name, role: roleOf(role) ?? 'in some customers' }));
