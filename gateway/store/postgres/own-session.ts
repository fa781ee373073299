import { Client, type ClientBase } from 'pg';
import { SettingError } from '../../errors';
import { SECOND } from '../../time';

type Session = Pick<ClientBase, 'query'>;

/**
 * Whether a connection keeps its server process while it is open. A pooler in transaction mode assigns each
 * transaction to any free process, which loses prepared statements, locks and LISTEN between transactions.
 * @param other a second connection through the same URL, which occupies a server process in between
 */
export async function keepsItsProcess(one: Session, other: Session): Promise<boolean> {
  const before = await processOf(one);
  await other.query('begin');
  try {
    const held = await processOf(other);
    return held !== before && (await processOf(one)) === before;
  } finally {
    await other.query('rollback');
  }
}

/** @throws SettingError if a pooler assigns each transaction to another server process */
export async function refuseTransactionPooler(url: string): Promise<void> {
  const clients = [1, 2].map(
    () =>
      new Client({ connectionString: url, connectionTimeoutMillis: 5 * SECOND, query_timeout: 5 * SECOND }),
  ) as [Client, Client];
  clients.forEach((client) => client.on('error', () => undefined));
  try {
    await Promise.all(clients.map((client) => client.connect()));
    if (await keepsItsProcess(...clients)) return;
  } finally {
    await Promise.all(clients.map((client) => client.end().catch(() => undefined)));
  }
  throw new SettingError(
    'GATEWAY_DATABASE_URL leads to a pooler in transaction mode, for example PgBouncer with pool_mode=transaction. Connect to PostgreSQL directly, or to a pooler in session mode.',
  );
}

async function processOf(session: Session): Promise<number | undefined> {
  const { rows } = await session.query<{ pid: number }>('select pg_backend_pid() as pid');
  return rows[0]?.pid;
}
