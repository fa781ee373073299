import { SqliteError } from './sqlite-error';

/**
 * Whether an error says that the database cannot be used at present: it cannot be reached, does not answer, or its disk is
 * full or read-only. The caller may try again.
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
 * PostgreSQL's SQLSTATE classes for a broken connection (08), exhausted resources such as the disk (53), and
 * a server that stops, starts (57P) or is read-only after a failover (25006); its codes for a lock time-out
 * and an idle transaction (55P03, 25P03); and Node's codes of a socket.
 */
const AWAY_STATES =
  /^(08|53|57P0|25006|55P03|25P03)|^(ECONNREFUSED|ECONNRESET|EPIPE|ETIMEDOUT|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH)$/;

/** Messages of pg that have no code. */
const AWAY_MESSAGES =
  /^Connection terminated|^timeout exceeded when trying to connect|^timeout expired|is not queryable$|^The database does not answer/;
