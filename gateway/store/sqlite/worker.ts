import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import { parentPort, workerData } from 'node:worker_threads';
import { isoTime, SECOND } from '../../time';
import {
  COMES_FIRST,
  MESSAGE_COLUMNS,
  MESSAGE_TIMES,
  isWhole,
  tellsAnything,
  type AliasChange,
  type Claim,
  type ClaimedDelivery,
  type MessageChange,
  type NewDelivery,
  type NewEvent,
  type Write,
} from '../writes';
import { BUSY } from './busy';
import { type Committed, type SqliteRequest, type SqliteReply } from './thread';

/**
 * The thread that holds one connection to the SQLite file, so that no commit blocks the event loop. The gateway runs
 * two of them: one for the writes of the hot paths, one for everything that Kysely builds; a transaction of Kysely's
 * lasts several messages and would hold the other's commits up from within.
 */
const port = parentPort;
if (!port) throw new Error('This file is a worker thread');

const database = new DatabaseSync((workerData as { path: string }).path);
const LOCK_WAIT = 10 * SECOND;
database.exec(`pragma busy_timeout = ${LOCK_WAIT}`);
useWriteAheadLog();
database.exec('pragma synchronous = full');
database.exec('pragma foreign_keys = on');

port.postMessage('open');

/** The one lock for which SQLite does not wait by itself, when several open a new file at the same moment. */
function useWriteAheadLog(): void {
  const giveUpAt = Date.now() + LOCK_WAIT;
  for (;;) {
    try {
      return database.exec('pragma journal_mode = wal');
    } catch (error) {
      if ((error as { errcode?: number }).errcode !== BUSY || Date.now() > giveUpAt) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 10);
    }
  }
}

const statements = new Map<string, StatementSync>();

function statement(sql: string): StatementSync {
  const known = statements.get(sql);
  if (known) return known;
  const prepared = database.prepare(sql);
  // Kysely's texts are few, but an `in (…)` list gives one text a length.
  if (statements.size >= 500) statements.clear();
  statements.set(sql, prepared);
  return prepared;
}

function inTransaction<T>(work: () => T): T {
  database.exec('begin immediate');
  try {
    const result = work();
    database.exec('commit');
    return result;
  } catch (error) {
    if (database.isTransaction) database.exec('rollback');
    throw error;
  }
}

const placeholders = (count: number): string => Array.from({ length: count }, () => '?').join(', ');

const INSERT_EVENT = `insert into events
  (id, line_id, subject, kind, identity, contact, wamid, phone_number_id, waba_id, body, received_at)
  values (${placeholders(11)}) on conflict (identity) do nothing`;
const INSERT_DELIVERY = `insert into deliveries
  (destination_id, event_id, lane, state, attempts, due_at, claimed_by) values (?, ?, ?, 'pending', 0, ?, ?)`;
const UPSERT_WINDOW = `insert into windows (line_id, contact, last_inbound_at) values (?, ?, ?)
  on conflict (line_id, contact) do update set last_inbound_at = max(last_inbound_at, excluded.last_inbound_at)`;
const UPSERT_MESSAGE = `insert into messages (line_id, wamid, ${MESSAGE_COLUMNS.join(', ')})
  values (${placeholders(MESSAGE_COLUMNS.length + 2)}) on conflict (line_id, wamid) do update set
  contact = case when excluded.accepted_at is null then coalesce(messages.contact, excluded.contact)
    else coalesce(excluded.contact, messages.contact) end,
  type = coalesce(messages.type, excluded.type),
  client_ref = coalesce(messages.client_ref, excluded.client_ref),
  failure = case when excluded.failed_at < messages.failed_at then coalesce(excluded.failure, messages.failure)
    else coalesce(messages.failure, excluded.failure) end,
  ${MESSAGE_TIMES.map(
    // `min` of two is null where one of them is.
    (column) =>
      `${column} = coalesce(min(messages.${column}, excluded.${column}), messages.${column}, excluded.${column})`,
  ).join(', ')}`;
const INSERT_ALIAS = `insert into aliases (line_id, contact, identity) values (?, ?, ?) on conflict do nothing`;
const INSERT_ATTEMPT = `insert into attempts
  (destination_id, event_id, number, started_at, duration_ms, http_status, outcome, answer)
  values (${placeholders(8)}) on conflict do nothing`;
const MOVE_DELIVERY = `update deliveries set state = ?, attempts = ?, due_at = ?, claimed_by = ?, finished_at = ?
  where destination_id = ? and event_id = ? and state = 'pending'`;

const upsertMessage = (message: MessageChange) =>
  statement(UPSERT_MESSAGE).run(
    message.line_id,
    message.wamid,
    ...MESSAGE_COLUMNS.map((column) => message[column] ?? null),
  );

const insertAlias = ({ line_id, contact, identity }: AliasChange) =>
  statement(INSERT_ALIAS).run(line_id, contact, identity);

/** Applies one write within the transaction of its batch. */
function apply(write: Write): string[] {
  switch (write.kind) {
    case 'message':
      upsertMessage(write.message);
      write.aliases?.forEach(insertAlias);
      return [];
    case 'attempt': {
      const { attempt: a } = write;
      const finished = a.state === 'pending' ? null : a.started_at;
      statement(INSERT_ATTEMPT).run(
        a.destination_id,
        a.event_id,
        a.number,
        a.started_at,
        a.duration_ms,
        a.http_status,
        a.outcome,
        a.answer,
      );
      statement(MOVE_DELIVERY).run(
        a.state,
        a.number,
        a.due_at,
        a.claimed_by,
        finished,
        a.destination_id,
        a.event_id,
      );
      return [];
    }
    case 'notification': {
      write.windows.forEach((window) =>
        statement(UPSERT_WINDOW).run(window.line_id, window.contact, window.last_inbound_at),
      );
      write.messages.forEach(upsertMessage);
      write.aliases?.forEach(insertAlias);
      const fresh: NewEvent[] = [];
      for (const event of write.events)
        if ((!isWhole(event) || tellsAnything(event, fresh)) && insertEvent(event)) fresh.push(event);
      return fresh.map(({ id }) => id);
    }
  }
}

function insertEvent(event: NewEvent): boolean {
  const { changes } = statement(INSERT_EVENT).run(
    event.id,
    event.line_id,
    event.subject,
    event.kind,
    event.identity,
    event.contact,
    event.wamid,
    event.phone_number_id,
    event.waba_id,
    event.body,
    event.received_at,
  );
  if (!changes) return false;
  for (const d of event.deliveries) {
    if (d.claimed_by !== null && isBehindOthers(d)) d.claimed_by = null;
    if (d.claimed_by === null) waits.set(d.destination_id, true);
    statement(INSERT_DELIVERY).run(d.destination_id, event.id, d.lane, d.due_at, d.claimed_by);
  }
  return true;
}

/** Of the transaction that runs: whether something waits for a destination that comes before what is fresh. */
const waits = new Map<number, boolean>();

function isBehindOthers({ destination_id: id, due_at }: NewDelivery): boolean {
  const known = waits.get(id);
  if (known !== undefined) return known;
  const soon = isoTime((Date.parse(due_at) || 0) + COMES_FIRST);
  const found = statement(`select 1 from deliveries where destination_id = ? and state = 'pending'
    and claimed_by is null and attempts_before = 0 and due_at <= ? limit 1`).get(id, soon);
  waits.set(id, found !== undefined);
  return found !== undefined;
}

/** @returns for each write what came of it, and which of its deliveries were left to the database, by position */
function commit(writes: Write[]): Committed {
  waits.clear();
  const results = inTransaction(() => writes.map(apply));
  const left = writes.flatMap((write, index) =>
    write.kind !== 'notification'
      ? []
      : write.events.flatMap((event, at) =>
          event.deliveries.flatMap(({ claimed_by: holder }, position) =>
            holder === null ? [[index, at, position] as const] : [],
          ),
        ),
  );
  return { results, left };
}

function claim({ event_id, replayed, lanes_left_out: leftOut = [], ...of }: Claim): ClaimedDelivery[] {
  const { process_id, destination_id, due_before, limit, most_size, most_of_lane = limit } = of;
  const ofKind = replayed === undefined ? '' : `and d.attempts_before ${replayed ? '> 0' : '= 0'}`;
  const due = statement(`select d.destination_id, d.event_id, d.lane, d.attempts, d.attempts_before,
      d.due_at, e.body
    from deliveries d join events e on e.id = d.event_id
    where d.destination_id = ? and d.state = 'pending' and d.claimed_by is null and d.due_at <= ?
      and (? is null or d.event_id = ?) ${ofKind}
      and not (d.attempts = 0 and d.lane in (select value from json_each(?)))
    order by d.due_at, d.event_id limit ?`);
  const rows: ClaimedDelivery[] = [];
  const ofLane = new Map<string, number>();
  let size = 0;
  const only = event_id ?? null;
  const found = due.iterate(destination_id, due_before, only, only, JSON.stringify(leftOut), limit);
  for (const row of found as unknown as Iterable<ClaimedDelivery>) {
    const nth = (ofLane.get(row.lane) ?? 0) + 1;
    if (row.attempts === 0 && nth > most_of_lane) continue;
    if (row.attempts === 0) ofLane.set(row.lane, nth);
    rows.push(row);
    size += row.body.length;
    if (size >= most_size) break;
  }
  const take = statement('update deliveries set claimed_by = ? where destination_id = ? and event_id = ?');
  rows.forEach((row) => take.run(process_id, row.destination_id, row.event_id));
  return rows;
}

function query(sql: string, parameters: SQLInputValue[]) {
  // A disk that is full has rolled it back already; whoever asks is told of the disk, not of this.
  if (sql === 'rollback' && !database.isTransaction) return { rows: [] };
  const prepared = statement(sql);
  if (prepared.columns().length) return { rows: prepared.all(...parameters) };
  const { changes, lastInsertRowid } = prepared.run(...parameters);
  return { rows: [], changes: BigInt(changes), insertId: BigInt(lastInsertRowid) };
}

function answer(request: SqliteRequest): unknown {
  switch (request.kind) {
    case 'query':
      return query(request.sql, request.parameters as SQLInputValue[]);
    case 'writes':
      return commit(request.writes);
    case 'claim':
      return inTransaction(() => claim(request.claim));
    case 'close':
      database.close();
      return null;
  }
}

port.on('message', ({ id, request }: { id: number; request: SqliteRequest }) => {
  let reply: SqliteReply;
  try {
    reply = { id, result: answer(request) };
  } catch (error) {
    const { message, errcode } = error as { message: string; errcode?: number };
    reply = { id, error: { message, code: errcode } };
  }
  port.postMessage(reply);
  if (request.kind === 'close') port.close();
});
