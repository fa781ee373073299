import { isFaultOfData as isFaultOfPostgresData } from './postgres/writes';
import { isFaultOfData as isFaultOfSqliteData } from './sqlite/thread';
import { SqliteError } from './sqlite-error';

/** Whether a database refuses a write because of its data, so that a retry would fail too. */
export const isFaultOfData = (error: unknown): boolean =>
  error instanceof SqliteError ? isFaultOfSqliteData(error) : isFaultOfPostgresData(error);
