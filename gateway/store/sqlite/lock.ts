import { existsSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { SettingError } from '../../errors';
import { isBusy } from './busy';

/**
 * Keeps a second gateway away from a SQLite file, because both would send the same deliveries. The lock is the operating
 * system's, on a file next to the database, and ends with the process. Commands that edit the database of a running
 * gateway do not use it.
 * @returns releases the lock
 * @throws SettingError if another gateway has the lock
 */
export function lockForGateway(path: string): () => void {
  const lock = new DatabaseSync(lockFileOf(path), { timeout: GLANCE });
  try {
    // Nothing is written to the file, so that no journal is left behind.
    lock.exec('pragma journal_mode = off');
    lock.exec('begin exclusive');
  } catch (error) {
    lock.close();
    if (!isBusy(error)) throw error;
    throw new SettingError(
      `Another gateway is running on ${path}, and a SQLite file serves one gateway. Stop that one first, or set ` +
        'GATEWAY_DATABASE_URL to another file; for several gateways on one database set it to postgres://…',
    );
  }
  return () => lock.close();
}

/** Whether a gateway is using the file now. */
export function isGatewayOn(path: string): boolean {
  if (!existsSync(lockFileOf(path))) return false;
  const lock = new DatabaseSync(lockFileOf(path));
  try {
    lock.exec('select 1 from sqlite_schema');
    return false;
  } catch (error) {
    if (isBusy(error)) return true;
    throw error;
  } finally {
    lock.close();
  }
}

/** A command that looks whether there is a gateway holds the lock for less than this, in milliseconds. */
const GLANCE = 250;

/** The lock file of a database. */
export const lockFileOf = (path: string): string => `${path}-gateway`;
