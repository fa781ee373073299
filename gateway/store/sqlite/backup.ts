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
import { isBusy } from './busy';

/**
 * Copies a database into a new file, as of the start, while others keep writing (`VACUUM INTO` is one read
 * transaction). The file is either complete and on disk, or absent. Only its owner can read it.
 * @throws SettingError if the database is missing, or the file already exists
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
    if (isBusy(error))
      throw new SettingError(`Another command, such as migrate-to, has ${path} open. Wait until it ends.`);
    throw (error as { code?: string }).code === 'EEXIST' ? alreadyThere(file) : error;
  } finally {
    rmSync(begun, { force: true });
  }
}

const alreadyThere = (file: string): SettingError =>
  new SettingError(`${file} is there already. Name a file that is not.`);

/**
 * Error codes of file systems without hard links, such as exFAT, network shares or folders shared with a container.
 */
const NO_LINKS = ['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EXDEV', 'EMLINK'];

/** Creates a hard link to a file. @returns false if the file system has no hard links */
export function linked(file: string, name: string): boolean {
  try {
    linkSync(file, name);
    return true;
  } catch (error) {
    if (NO_LINKS.includes(String((error as { code?: unknown }).code))) return false;
    throw error;
  }
}

/** Removes the remains of interrupted backups to that file, each as large as the database. */
function removeParts(file: string): void {
  const folder = dirname(file);
  const names = existsSync(folder) ? readdirSync(folder) : [];
  const isPart = (name: string) =>
    name.startsWith(`${basename(file)}.`) &&
    /^\.\d+\.part(-journal)?$/.test(name.slice(basename(file).length));
  for (const name of names.filter(isPart)) rmSync(join(folder, name), { force: true });
}

/** Flushes a file, or the entries of a folder, to disk. */
export function syncFile(path: string): void {
  const opened = openSync(path, 'r');
  fsyncSync(opened);
  closeSync(opened);
}
