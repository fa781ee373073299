import { isFaultOfData as isFaultOfPostgresData } from './postgres/writes';
import { isFaultOfData as isFaultOfSqliteData } from './sqlite/thread';
import { SqliteError } from './sqlite-error';

/** Whether a database refuses a write for what it holds, as it would again, and not for the state that it is in itself. */
export const isFaultOfData = (error: unknown): boolean =>
  error instanceof SqliteError ? isFaultOfSqliteData(error) : isFaultOfPostgresData(error);
