import { existsSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { SettingError } from '../../errors';
import { isBusy } from './busy';

/**
 * Keeps a second gateway from opening a SQLite file, because both would send the same deliveries. It is an operating
 * system lock on a file next to the database, and ends with the process. Commands that edit the database of a running
 * gateway do not take it.
 * @returns releases the lock
 * @throws SettingError if another gateway holds the lock
 */
export function lockForGateway(path: string): () => void {
  const lock = new DatabaseSync(lockFileOf(path), { timeout: GLANCE });
  try {
    // Nothing is written to the file, so no journal is needed.
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

/** The longest time, in milliseconds, that a command holds the lock to check for a gateway. */
const GLANCE = 250;

/** The lock file of a database. */
export const lockFileOf = (path: string): string => `${path}-gateway`;
