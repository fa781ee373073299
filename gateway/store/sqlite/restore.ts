import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { SettingError } from '../../errors';
import { migrations } from '../migrations';
import { RENAMED } from '../migrations/schema-version';
import { backupSqlite, syncFile } from './backup';
import { isBusy } from './busy';
import { lockForGateway } from './lock';

/** What a backup holds. */
export interface BackupReport {
  /** When the last event came that is in it, ISO time; null where none is. */
  lastEventAt: string | null;
  lines: number;
  destinations: number;
  messages: number;
  events: number;
  /** Deliveries that it owes: a gateway that starts on it sends them, also those that were made after the backup. */
  owed: number;
}

/** @throws SettingError where the file is no whole database of this program, or of a later version */
export function readBackup(file: string): BackupReport {
  if (!existsSync(file)) throw new SettingError(`There is no file ${file}.`);
  const database = new DatabaseSync(file, { readOnly: true });
  const first = (sql: string) => Object.values(database.prepare(sql).get() ?? {})[0];
  const count = (of: string) => Number(first(`select count(*) from ${of}`));
  try {
    if (first('pragma integrity_check') !== 'ok') throw new SettingError(`${file} is damaged.`);
    const known = [...Object.keys(migrations('sqlite')), ...Object.keys(RENAMED)];
    const steps = database.prepare('select name from kysely_migration').all() as { name: string }[];
    if (!steps.some(({ name }) => known.includes(name)))
      throw new SettingError(`${file} is no backup of a gateway.`);
    if (steps.some(({ name }) => !known.includes(name)))
      throw new SettingError(`${file} is of a newer version of this program. Restore it with that version.`);
    const lastEventAt = first('select max(received_at) from events');
    return {
      lastEventAt: typeof lastEventAt === 'string' ? lastEventAt : null,
      lines: count('lines'),
      destinations: count('destinations where removed_at is null'),
      messages: count('messages'),
      events: count('events'),
      owed: count(`deliveries where state = 'pending'`),
    };
  } catch (error) {
    if (error instanceof SettingError) throw error;
    throw new SettingError(`${file} is no backup of a gateway: ${(error as Error).message}`);
  } finally {
    database.close();
  }
}

/** Milliseconds that a command which changes something takes. */
const LONGEST_COMMAND = 5_000;

/**
 * Puts a backup in the place of a database, which is kept beside it under another name. No gateway starts meanwhile.
 * @returns the name under which the database is kept; null where there was none
 * @throws SettingError where a gateway runs on it, or another program has it open
 */
export function restoreSqlite(file: string, path: string, now: string): string | null {
  mkdirSync(dirname(path), { recursive: true });
  const unlock = lockForGateway(path);
  try {
    const arriving = `${path}-arriving`;
    rmSync(arriving, { force: true });
    // Read, not copied: what a process that was killed has left in a log beside the file belongs to it.
    backupSqlite(file, arriving);
    if (existsSync(path)) foldLog(path);
    // Broken off, it leaves a log alone, which must not come to lie beside the backup.
    const there = ['', '-wal', '-shm'].filter((ending) => existsSync(path + ending));
    const aside = `${path}-before-${now.replace(/\W/g, '-')}`;
    for (const ending of there) renameSync(path + ending, aside + ending);
    renameSync(arriving, path);
    if (process.platform !== 'win32') syncFile(dirname(path));
    return there.length ? aside : null;
  } finally {
    unlock();
  }
}

/**
 * So that it is one file, which may be renamed at once. One that is damaged is set aside as it is.
 * @throws SettingError where a program has it open: it would go on in what was set aside
 */
function foldLog(path: string): void {
  const database = new DatabaseSync(path, { timeout: LONGEST_COMMAND });
  try {
    // Without a log: only whoever is alone with the file can have that.
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
