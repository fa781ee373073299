import { Pool } from 'pg';
import { SECOND } from '../../time';
import { boundSession } from './session';
import { type PostgresSockets } from './sockets';

/**
 * @param max connections at the same time
 * @param onConnect the first queries on each
 * @param pipeline whether parallel queries on one of them are sent without waiting
 * @param onBroken called if a connection breaks
 */
export function openPool(
  url: string,
  sockets: PostgresSockets,
  max: number,
  onConnect = boundSession,
  pipeline = false,
  onBroken: () => void = () => undefined,
): Pool {
  const pool: Pool = new Pool({
    // pg waits for it, though its type does not say so.
    // eslint-disable-next-line @typescript-eslint/no-misused-promises
    onConnect,
    connectionString: url,
    // To open one takes ten times what a write takes: one stays, however long nothing is asked.
    min: 1,
    max,
    pipeline,
    connectionTimeoutMillis: 5 * SECOND,
    stream: () => sockets.open(() => pool.idleCount === pool.totalCount),
  });
  // The pool replaces a broken connection. Its user gets the error from the query.
  pool.on('error', () => undefined);
  pool.on('connect', (client) => client.on('error', onBroken));
  return pool;
}
