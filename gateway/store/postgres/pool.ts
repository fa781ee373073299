import { Pool } from 'pg';
import { SECOND } from '../../time';
import { boundSession } from './session';
import { type PostgresSockets } from './sockets';

/** @param max connections at the same time */
export function openPool(url: string, sockets: PostgresSockets, max: number): Pool {
  const pool = new Pool({
    // pg waits for it, though its type does not say so.
    // eslint-disable-next-line @typescript-eslint/no-misused-promises
    onConnect: boundSession,
    connectionString: url,
    max,
    connectionTimeoutMillis: 5 * SECOND,
    stream: sockets.open,
  });
  // A connection that breaks is replaced by the pool; whoever uses it hears of it from his query.
  pool.on('error', () => undefined);
  pool.on('connect', (client) => client.on('error', () => undefined));
  return pool;
}
