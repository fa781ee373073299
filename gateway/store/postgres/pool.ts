import { Pool, type ClientBase, type ClientConfig } from 'pg';
import { SECOND } from '../../time';
import { boundSession } from './session';
import { type PostgresSockets } from './sockets';

/**
 * @param to a parsed URL: pg would read the files of certificates in a URL for each connection, and throw where nothing
 * can catch it
 * @param max connections at a time
 * @param onConnect the first queries on each connection
 * @param pipeline whether parallel queries on a connection are sent without waiting
 * @param onBroken called when a connection breaks
 */
export function openPool(
  to: ClientConfig,
  sockets: PostgresSockets,
  max: number,
  onConnect: (client: ClientBase) => Promise<void> = boundSession,
  pipeline = false,
  onBroken: () => void = () => undefined,
): Pool {
  const pool: Pool = new Pool({
    ...to,
    // pg waits for it, though its type does not say so.
    // eslint-disable-next-line @typescript-eslint/no-misused-promises
    onConnect,
    // Opening a connection takes ten times as long as a write, so one stays open when idle.
    min: 1,
    max,
    pipeline,
    connectionTimeoutMillis: 5 * SECOND,
    stream: () => sockets.open(() => pool.idleCount === pool.totalCount),
  });
  // The pool replaces a broken connection. The failed query reports the error.
  pool.on('error', () => undefined);
  pool.on('connect', (client) => client.on('error', onBroken));
  return pool;
}
