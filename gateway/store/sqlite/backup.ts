import {
  closeSync,
  existsSync,
  fsyncSync,
  linkSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { SettingError } from '../../errors';

/**
 * Copies a database into a new file, as of the moment when it starts, also while others write (`VACUUM INTO`
 * is one read transaction). The file is complete and on disk, or it does not exist. Only its owner can read
 * it.
 * @throws SettingError if there is no such database, or the file already exists
 */
export function backupSqlite(path: string, file: string): void {
  if (!existsSync(path)) throw new SettingError(`There is no database ${path}. Set GATEWAY_DATABASE_URL.`);
  const begun = `${file}.${process.pid}.part`;
  removeParts(file);
  try {
    closeSync(openSync(begun, 'wx', 0o600));
  } catch (error) {
    throw new SettingError(`${file} cannot be written: ${(error as Error).message}`);
  }
  try {
    const database = new DatabaseSync(path, { readOnly: true });
    try {
      database.exec('pragma busy_timeout = 10000');
      database.prepare('vacuum into ?').run(begun);
    } finally {
      database.close();
    }
    syncFile(begun);
    // Unlike a rename, a link never replaces a file.
    if (!linked(begun, file)) {
      if (existsSync(file)) throw alreadyThere(file);
      renameSync(begun, file);
    }
    if (process.platform !== 'win32') syncFile(dirname(file));
  } catch (error) {
    throw (error as { code?: string }).code === 'EEXIST' ? alreadyThere(file) : error;
  } finally {
    rmSync(begun, { force: true });
  }
}

const alreadyThere = (file: string): SettingError =>
  new SettingError(`${file} is there already. Name a file that is not.`);

/** What a file system without hard links answers, such as exFAT, a network share or a folder shared with a container. */
const NO_LINKS = ['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EXDEV', 'EMLINK'];

/** Gives a file a second name. @returns false if the file system has no hard links */
export function linked(file: string, name: string): boolean {
  try {
    linkSync(file, name);
    return true;
  } catch (error) {
    if (NO_LINKS.includes(String((error as { code?: unknown }).code))) return false;
    throw error;
  }
}

/** Removes the remains of interrupted backups to that file: each is as large as the database. */
function removeParts(file: string): void {
  const folder = dirname(file);
  const names = existsSync(folder) ? readdirSync(folder) : [];
  const isPart = (name: string) =>
    name.startsWith(`${basename(file)}.`) &&
    /^\.\d+\.part(-journal)?$/.test(name.slice(basename(file).length));
  for (const name of names.filter(isPart)) rmSync(join(folder, name), { force: true });
}

/** The content of the file, or the entries of the folder, are on disk when it resolves. */
export function syncFile(path: string): void {
  const opened = openSync(path, 'r');
  fsyncSync(opened);
  closeSync(opened);
}
