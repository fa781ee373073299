import { type Client, type ClientBase } from 'pg';
import { SECOND } from '../../time';

/**
 * The server rolls back a transaction if its process is silent for this long: the process has stopped or is
 * gone.
 */
const STANDS_STILL = 8 * SECOND;
/**
 * Longer than that, so that a statement that waits for such a transaction then continues; shorter than the
 * time limit of the statement itself.
 */
const LOCK_WAIT = 12 * SECOND;

/**
 * Limits for what the server keeps for a process that may vanish at any moment. Without them, a process that
 * is paused within a transaction would hold its locks for that time, and block the writes of every other
 * process.
 */
const BOUNDS = [
  `set idle_in_transaction_session_timeout = ${STANDS_STILL}; set lock_timeout = ${LOCK_WAIT}`,
  // In seconds: a machine that is gone is noticed within half a minute.
  'set tcp_keepalives_idle = 10; set tcp_keepalives_interval = 5; set tcp_keepalives_count = 3',
  `set tcp_user_timeout = ${20 * SECOND}`,
];

/** Acknowledged data is on disk, whatever the server's own setting is; stricter settings stay. */
const DURABLE = `select set_config('synchronous_commit', 'on', false) where current_setting('synchronous_commit') = 'off'`;

/** Before anything else is asked on a connection. What a server, or the system that it runs on, does not know is left out. */
export async function boundSession(client: ClientBase): Promise<void> {
  await client.query(DURABLE);
  for (const bounds of BOUNDS) await client.query(bounds).catch(() => undefined);
}

/** Has a connection that several ask be asked one thing after the other: it is to answer one before it takes the next. */
export function askedInTurn(client: Client): Client {
  const query = client.query.bind(client) as (...asked: unknown[]) => Promise<unknown>;
  let last: Promise<unknown> = Promise.resolve();
  client.query = ((...asked: unknown[]) => {
    const answer = last.then(() => query(...asked));
    last = answer.catch(() => undefined);
    return answer;
  }) as Client['query'];
  return client;
}

/**
 * For connections that reuse prepared statements. A plan that was made while tables were small must still
 * work when they are large, so rows are found by index, whatever the tables' statistics say.
 */
export async function planByIndex(client: ClientBase): Promise<void> {
  await boundSession(client);
  await client.query(BY_INDEX);
}

/**
 * The same, with each statement prepared once: parsing and planning take 20 times as long as the execution.
 */
export async function prepareStatements(client: ClientBase): Promise<void> {
  await planByIndex(client);
  const query = client.query.bind(client) as (...asked: unknown[]) => unknown;
  const names = new Map<string, string>();
  client.query = ((text: unknown, ...values: unknown[]) => {
    if (typeof text !== 'string' || (!names.has(text) && names.size >= MOST_PREPARED))
      return query(text, ...values);
    const name = names.get(text) ?? `queue-${names.size}`;
    names.set(text, name);
    return query({ name, text }, ...values);
  }) as ClientBase['query'];
}

/** Statements that one connection keeps prepared: an `in (…)` list gives one text a length. */
const MOST_PREPARED = 64;

const BY_INDEX = ['seqscan', 'bitmapscan', 'hashjoin', 'mergejoin']
  .map((way) => `set enable_${way} = off`)
  .join('; ');
