import { type Client, type ClientBase } from 'pg';
import { SECOND } from '../../time';

/** The server rolls back a transaction whose process is silent for this long. */
const STANDS_STILL = 8 * SECOND;
/**
 * Longer than that, so that a statement that waits for such a transaction can continue; shorter than the statement
 * timeout.
 */
const LOCK_WAIT = 12 * SECOND;

/**
 * Limits on what the server holds for a process that may vanish at any moment. Without them, a process suspended
 * within a transaction would keep its locks and block the writes of all others.
 */
const BOUNDS_OF_WORK = `set idle_in_transaction_session_timeout = ${STANDS_STILL}; set lock_timeout = ${LOCK_WAIT}`;
const BOUNDS = [
  BOUNDS_OF_WORK,
  // In seconds: a vanished machine is noticed within half a minute.
  'set tcp_keepalives_idle = 10; set tcp_keepalives_interval = 5; set tcp_keepalives_count = 3',
  `set tcp_user_timeout = ${20 * SECOND}`,
];

/** Compiling the plan of a list takes longer than reading its rows. */
const UNCOMPILED = 'set jit = off';

/** Acknowledged data must be on disk, whatever the server's default. Stricter settings stay. */
const durable = (isLocal: boolean): string =>
  `select set_config('synchronous_commit', 'on', ${isLocal}) where current_setting('synchronous_commit') = 'off'`;

/**
 * Runs before any other query on a connection. Settings that the server or its system does not support are skipped.
 */
export async function boundSession(client: ClientBase): Promise<void> {
  await client.query(durable(false));
  for (const bounds of [...BOUNDS, UNCOMPILED]) await client.query(bounds).catch(() => undefined);
}

/** Makes a connection with several callers run one query at a time: each must be answered before the next is sent. */
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
 * For connections that reuse prepared statements. A plan made while tables were small must still work when they are
 * large, so rows are always found by index.
 */
export async function planByIndex(client: ClientBase): Promise<void> {
  await boundSession(client);
  await client.query(BY_INDEX);
}

/**
 * Like `planByIndex`, and prepares each statement once: parsing and planning take 20 times as long as the execution.
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

/** The most prepared statements per connection: an `in (…)` list creates one text per length. */
const MOST_PREPARED = 64;

const BY_INDEX = [
  ...['seqscan', 'bitmapscan', 'hashjoin', 'mergejoin'].map((way) => `set enable_${way} = off`),
  // Otherwise statements with arrays, and those of divided tables, are planned again each time.
  'set plan_cache_mode = force_generic_plan',
].join('; ');

/**
 * For connections through a pooler in transaction mode, where each transaction may have another session of the server.
 * Statements get no names, because the next session does not know them, and settings are made when a transaction
 * begins, in the same round trip. Outside transactions the server's own settings apply.
 */
export async function useAnySession(client: ClientBase): Promise<void> {
  inAnySession(client, BOUNDS_OF_TRANSACTION);
}

/** Like `useAnySession`, and finds rows by index within transactions, as `planByIndex` does. */
export async function planByIndexInAnySession(client: ClientBase): Promise<void> {
  inAnySession(client, `${BOUNDS_OF_TRANSACTION}; ${local(BY_INDEX)}`);
}

function inAnySession(client: ClientBase, settings: string): void {
  const query = client.query.bind(client) as (...asked: unknown[]) => unknown;
  client.query = ((asked: string | { name?: string }, ...values: unknown[]) => {
    if (typeof asked !== 'string') return query({ ...asked, name: undefined }, ...values);
    return query(BEGINS.test(asked) ? `${asked}; ${settings}` : asked, ...values);
  }) as ClientBase['query'];
}

const BEGINS = /^(begin|start transaction)\b/;

const local = (settings: string): string => settings.replaceAll('set ', 'set local ');

const BOUNDS_OF_TRANSACTION = `${local(BOUNDS_OF_WORK)}; ${durable(true)}`;
