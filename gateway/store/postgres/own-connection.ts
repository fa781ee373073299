import { Socket } from 'node:net';
import { Kysely, PostgresDialect } from 'kysely';
import { Pool } from 'pg';
import { SECOND } from '../../time';
import { type Schema } from '../schema';

/**
 * Lets a statement take as long as a large table needs, whatever the server's default. A query, because poolers refuse it
 * as a connection parameter.
 */
export const ENDLESS = 'set statement_timeout = 0';

/**
 * Does work on a connection of its own, which may be silent for as long as a large table takes, and closes it.
 * @param url of connections that keep their session
 * @param lockTimeout milliseconds that a statement waits for a lock; 0 for no limit
 * @param ends breaks the connection, which fails the work
 */
export async function onOwnConnection<T>(
  url: string,
  lockTimeout: number,
  work: (db: Kysely<Schema>) => Promise<T>,
  ends?: AbortSignal,
): Promise<T> {
  const pool = new Pool({
    connectionString: url,
    max: 1,
    connectionTimeoutMillis: 5 * SECOND,
    stream() {
      // The pool replaces a broken connection.
      ends?.throwIfAborted();
      const socket = new Socket();
      ends?.addEventListener('abort', () => socket.destroy(), { once: true });
      return socket;
    },
    // pg awaits it, though its type does not say so.
    // eslint-disable-next-line @typescript-eslint/no-misused-promises
    onConnect: (client) => client.query(`${ENDLESS}; set lock_timeout = ${lockTimeout}`),
  });
  // A connection that breaks while idle is replaced. One that breaks during a query fails the query.
  pool.on('error', () => undefined);
  pool.on('connect', (client) => client.on('error', () => undefined));
  const db = new Kysely<Schema>({ dialect: new PostgresDialect({ pool }) });
  try {
    return await work(db);
  } finally {
    await db.destroy();
  }
}
