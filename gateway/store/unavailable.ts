import { SqliteError } from './sqlite-error';

/**
 * Whether an error means that the database is currently unusable: unreachable, not responding, or with a full or
 * read-only disk. The caller may retry.
 */
export function isDatabaseUnavailable(error: unknown): boolean {
  if (error instanceof SqliteError) return error.code !== undefined && AWAY_CODES.has(error.code & 0xff);
  if (!(error instanceof Error)) return false;
  const { code = '' } = error as { code?: string };
  return AWAY_STATES.test(code) || AWAY_MESSAGES.test(error.message);
}

/** SQLite's result codes: BUSY, LOCKED, READONLY, IOERR, FULL, CANTOPEN. */
const AWAY_CODES = new Set([5, 6, 8, 10, 13, 14]);

/**
 * PostgreSQL's SQLSTATE classes for a broken connection (08), exhausted resources such as the disk (53), and a server
 * that is stopping, starting (57P) or read-only after a failover (25006); the codes for a lock timeout and an idle
 * transaction (55P03, 25P03); and Node's socket error codes.
 */
const AWAY_STATES =
  /^(08|53|57P0|25006|55P03|25P03)|^(ECONNREFUSED|ECONNRESET|EPIPE|ETIMEDOUT|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH)$/;

/** Error messages of pg without a code. */
const AWAY_MESSAGES =
  /^Connection terminated|^timeout exceeded when trying to connect|^timeout expired|is not queryable$|^The database does not answer/;
