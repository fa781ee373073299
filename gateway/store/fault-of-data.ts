import { isFaultOfData as isFaultOfPostgresData } from './postgres/writes';
import { isFaultOfData as isFaultOfSqliteData } from './sqlite/thread';
import { SqliteError } from './sqlite-error';

/**
 * Whether a database refuses a write because of its content, which a retry would not change, not because of
 * its own state.
 */
export const isFaultOfData = (error: unknown): boolean =>
  error instanceof SqliteError ? isFaultOfSqliteData(error) : isFaultOfPostgresData(error);
