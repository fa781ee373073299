import { randomInt } from 'node:crypto';
import { sql, type Kysely } from 'kysely';
import { Client, type ClientBase } from 'pg';
import { SettingError } from '../../errors';
import { SECOND } from '../../time';
import { openingRefused } from '../opening-refused';
import { type Schema } from '../schema';

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

const POOLER = 'a pooler in transaction mode, for example PgBouncer with pool_mode=transaction';

/**
 * @param remedy what to do with the address of PostgreSQL itself
 * @throws SettingError if a pooler assigns each transaction to another server process
 */
export const refuseTransactionPooler = (
  url: string,
  setting = 'GATEWAY_DATABASE_URL',
  remedy = 'Set GATEWAY_DATABASE_SESSION_URL to',
): Promise<void> =>
  withTwoSessions(url, async (one, other) => {
    if (await keepsItsProcess(one, other)) return;
    throw new SettingError(`${setting} leads to ${POOLER}. ${remedy} the address of PostgreSQL itself.`);
  });

/** The class of the advisory locks by which both ways to a database recognise each other. The second key is random. */
const MEETING_LOCKS = 1_735_878_253;

/**
 * Checks the two ways to a database that is behind a pooler in transaction mode.
 * @param db through the pooler
 * @param session URL of PostgreSQL itself
 * @throws SettingError if they lead to different databases, or if one is unusable
 */
export async function checkPooler(db: Kysely<Schema>, session: string): Promise<void> {
  const key = randomInt(2 ** 31);
  const check = async (one: Session, other: Session) => {
    if (!(await keepsItsProcess(one, other)))
      throw new SettingError(
        `GATEWAY_DATABASE_SESSION_URL leads to ${POOLER}. Set it to the address of PostgreSQL itself.`,
      );
    await one.query('select pg_advisory_lock($1, $2)', [MEETING_LOCKS, key]);
    const { rows } = await sql<{ isSame: boolean; isDurable: boolean }>`
      select current_setting('synchronous_commit') <> 'off' as "isDurable", exists (
        select from pg_locks where locktype = 'advisory' and classid = ${MEETING_LOCKS} and objid = ${key}
          and database = (select oid from pg_database where datname = current_database())
      ) as "isSame"`.execute(db);
    if (!rows[0]?.isSame)
      throw new SettingError(
        'GATEWAY_DATABASE_URL and GATEWAY_DATABASE_SESSION_URL lead to different databases. Set both to the same one.',
      );
    // Settings of a session do not reach the server through the pooler.
    if (!rows[0].isDurable)
      throw new SettingError(
        'The database has synchronous_commit = off, so a crash could lose acknowledged events. Run: ALTER DATABASE name SET synchronous_commit = on',
      );
  };
  await withTwoSessions(session, check).catch((error: unknown) => {
    throw error instanceof SettingError
      ? error
      : openingRefused(session, error, 'GATEWAY_DATABASE_SESSION_URL');
  });
}

async function withTwoSessions(
  url: string,
  work: (one: Session, other: Session) => Promise<void>,
): Promise<void> {
  const clients = [1, 2].map(
    () =>
      new Client({ connectionString: url, connectionTimeoutMillis: 5 * SECOND, query_timeout: 5 * SECOND }),
  ) as [Client, Client];
  clients.forEach((client) => client.on('error', () => undefined));
  try {
    await Promise.all(clients.map((client) => client.connect()));
    await work(...clients);
  } finally {
    await Promise.all(clients.map((client) => client.end().catch(() => undefined)));
  }
}

async function processOf(session: Session): Promise<number | undefined> {
  const { rows } = await session.query<{ pid: number }>('select pg_backend_pid() as pid');
  return rows[0]?.pid;
}
