import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import { parentPort, workerData } from 'node:worker_threads';
import { returnMemoryAtRest } from '../../primitives/memory';
import { SECOND } from '../../time';
import {
  EVENT_COLUMNS,
  MESSAGE_COLUMNS,
  MESSAGE_FACTS,
  SMALLEST_WINS,
  USAGE_DAYS,
  apart,
  daysIn,
  isWhole,
  tellsAnything,
  type AliasChange,
  type AttemptRecord,
  type KeyClaim,
  type MessageChange,
  type NewDelivery,
  type NewEvent,
  type NewGathering,
  type NotificationWrite,
  type Recorded,
  type AnswerRelease,
  type Reply,
  type SentBody,
  type Write,
  type TakenKey,
  type WriteResult,
} from '../commit/writes';
import {
  ANSWERED_BY,
  answeredBy,
  gatheredOf,
  isTaken,
  owedBy,
  type Answering,
  type AskedQuestion,
} from '../commit/answering';
import { BUSY } from './busy';
import { flatResults, writesOf } from './flat-writes';
import { type SqliteFile, type SqliteReply, type SqliteRequest } from './thread';

/**
 * A thread with one connection to the SQLite file, so that queries never block the event loop. The gateway runs
 * several: one for frequent writes; one for all other writes, because a Kysely transaction takes several messages and
 * would delay those commits; and read-only ones, which wait for neither.
 */
const port = parentPort;
if (!port) throw new Error('This file is a worker thread');

const { path, readOnly = false } = workerData as SqliteFile;
const database = new DatabaseSync(path, { readOnly });
const LOCK_WAIT = 10 * SECOND;
database.exec(`pragma busy_timeout = ${LOCK_WAIT}`);
/**
 * KiB: the inner index pages of a year of events do not fit into SQLite's default of 2 MB. 32 MB are no faster, because
 * the system caches the file too.
 */
const CACHE = 8 * 1024;
database.exec(`pragma cache_size = -${CACHE}`);

/** Pages of 4 KiB. Each is written back to the file once, however often it changed in between. */
const CHECKPOINT = 8_000;
/** Bytes that the log keeps on disk after it is written back. */
const LOG_KEPT = 64 * 1024 * 1024;

function prepareToWrite(): void {
  useWriteAheadLog();
  database.exec('pragma synchronous = full');
  database.exec('pragma foreign_keys = on');
  // Overwrites deleted data, so that it cannot be read in the file.
  database.exec('pragma secure_delete = on');
  database.exec(`pragma wal_autocheckpoint = ${CHECKPOINT}`);
  database.exec(`pragma journal_size_limit = ${LOG_KEPT}`);
}

if (!readOnly) prepareToWrite();
port.postMessage('open');
returnMemoryAtRest(() => {
  if (database.isOpen) database.exec('pragma shrink_memory');
});

/** Retries, because SQLite does not wait for this lock when several processes open a new file at the same moment. */
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
  // Kysely generates few different texts, but an `in (…)` list creates one per length.
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

const TOLD_BY_STATUSES = SMALLEST_WINS.filter((column) => column !== 'accepted_at');

const placeholders = (count: number): string => Array.from({ length: count }, () => '?').join(', ');

const INSERT_EVENT = `insert into events (${EVENT_COLUMNS.join(', ')})
  values (${placeholders(EVENT_COLUMNS.length)}) on conflict (identity) do nothing`;
const INSERT_DELIVERY = `insert into deliveries
  (destination_id, event_id, lane, state, attempts, due_at, sequence) values (?, ?, ?, 'pending', 0, ?, ?)`;
const INSERT_GATHERING = `insert into gathering
  (destination_id, identity, event_id, contact, body, arrived_at) values (${placeholders(6)}) on conflict do nothing`;
const HAS_QUESTIONS = 'select 1 from questions where line_id = ? limit 1';
const ASKED = `select ${ANSWERED_BY.map((column) => `q.${column}`).join(', ')} from question_contacts c
  join questions q on q.id = c.question_id where c.line_id = ? and c.name = ?`;
const AIMED_AT = `select ${ANSWERED_BY.join(', ')} from questions where line_id = ? and message_id = ?`;
const IS_RECORDED = 'select 1 from messages where line_id = ? and wamid = ? and accepted_at is not null';
const NAME_MESSAGE = 'update questions set message_id = ? where id = ?';
const ANSWER_QUESTION = `update questions set state = 'answered', ended_at = ?, answer_event_id = ?,
  answer_message_id = ? where id = ?`;
const FREE_CONTACT = 'delete from question_contacts where question_id = ?';
const MARK_LATE = 'update events set late_answer_to = ? where id = ?';
const END_ANSWER = `update questions set answer_over_at = ? where id = ? and answer_over_at is null and exists (
  select 1 from deliveries where destination_id = ? and event_id = ? and state not in ('delivered', 'canceled'))`;
const END_DELIVERY = `update deliveries set state = 'dead', finished_at = ?
  where destination_id = ? and event_id = ? and state = 'pending'`;
const UPSERT_WINDOW = `insert into windows (line_id, contact, last_inbound_at) values (?, ?, ?)
  on conflict (line_id, contact) do update set last_inbound_at = max(last_inbound_at, excluded.last_inbound_at)`;
// `min` of two values is null if either is null.
const smallest = (column: string): string =>
  `${column} = coalesce(min(messages.${column}, excluded.${column}), messages.${column}, excluded.${column})`;
const UPSERT_STATUS = `insert into messages (line_id, wamid, ${MESSAGE_COLUMNS.join(', ')})
  values (${placeholders(MESSAGE_COLUMNS.length + 2)}) on conflict (line_id, wamid) do update set
  contact = case when excluded.accepted_at is null then coalesce(messages.contact, excluded.contact)
    else coalesce(excluded.contact, messages.contact) end,
  ${MESSAGE_FACTS.map((column) => `${column} = coalesce(messages.${column}, excluded.${column})`).join(', ')},
  failure = case when excluded.failed_at < messages.failed_at then coalesce(excluded.failure, messages.failure)
    else coalesce(messages.failure, excluded.failure) end,
  ${TOLD_BY_STATUSES.map(smallest).join(', ')}`;
/** Apart from statuses, because SQLite writes the indexes of a column that is set, even if it stays the same. */
const UPSERT_MESSAGE = `${UPSERT_STATUS}, ${smallest('accepted_at')}`;
const APPLY_STATUS = `${UPSERT_STATUS} returning ${USAGE_DAYS} as days`;
const APPLY_ECHO = `${UPSERT_MESSAGE} returning ${USAGE_DAYS} as days`;
const INSERT_MARK = 'insert into usage_marks (line_id, day) values (?, ?)';
const KEEP_SENT = `insert into sent_bodies (line_id, wamid, body, accepted_at) values (?, ?, ?, ?)
  on conflict do nothing`;
const INSERT_ALIAS = `insert into aliases (line_id, contact, identity) values (?, ?, ?) on conflict do nothing`;
const CLAIM_KEY = `insert into idempotency_keys (line_id, key, body_hash, started_at) values (?, ?, ?, ?)
  on conflict (line_id, key) do update
  set body_hash = excluded.body_hash, started_at = excluded.started_at, answer = null where started_at <= ?`;
const TAKEN_KEY = 'select body_hash, started_at, answer from idempotency_keys where line_id = ? and key = ?';
const ANSWER_KEY = 'update idempotency_keys set answer = ? where line_id = ? and key = ?';
const INSERT_ATTEMPT = `insert into attempts
  (destination_id, event_id, number, started_at, duration_ms, http_status, outcome, answer)
  values (${placeholders(8)}) on conflict do nothing`;
const MOVE_DELIVERY = `update deliveries set state = ?1, attempts = max(attempts, ?2), due_at = ?3, finished_at = ?4
  where destination_id = ?5 and event_id = ?6 and state = 'pending' and attempts_before < ?2
    and (attempts = ?2 - 1 or ?1 = 'delivered')`;

const valuesOf = (message: MessageChange) => [
  message.line_id,
  message.wamid,
  ...MESSAGE_COLUMNS.map((column) => message[column] ?? null),
];

/** By line: the days whose usage the statuses of the current transaction change, as in `USAGE_DAYS`. */
const usageDays = new Map<number, Set<string>>();

/** Applies what the platform tells about a message. */
function applyTold(message: MessageChange): void {
  const told = statement(message.accepted_at ? APPLY_ECHO : APPLY_STATUS).get(...valuesOf(message));
  const days = usageDays.get(message.line_id);
  if (days) days.add(told?.days as string);
  else usageDays.set(message.line_id, new Set([told?.days as string]));
}

function markUsage(): void {
  for (const [lineId, told] of usageDays)
    for (const day of daysIn(told)) statement(INSERT_MARK).run(lineId, day);
}

const insertAlias = ({ line_id, contact, identity }: AliasChange) =>
  statement(INSERT_ALIAS).run(line_id, contact, identity);

const keepSent = ({ line_id, wamid, body, accepted_at }: SentBody) =>
  statement(KEEP_SENT).run(line_id, wamid, body, accepted_at);

/** Applies one write within the transaction of its batch. */
function apply(write: Write): WriteResult {
  switch (write.kind) {
    case 'message':
      statement(UPSERT_MESSAGE).run(...valuesOf(write.message));
      write.aliases?.forEach(insertAlias);
      if (write.answered)
        statement(ANSWER_KEY).run(write.answered.answer, write.answered.line_id, write.answered.key);
      if (write.asks !== undefined) statement(NAME_MESSAGE).run(write.message.wamid, write.asks);
      if (write.sent) keepSent(write.sent);
      return null;
    case 'key':
      return claimKey(write.claim);
    case 'attempt':
      return { moved: recordAttempt(write.attempt) };
    case 'release':
      return release(write.release);
    case 'notification':
      return record(write);
  }
}

function claimKey({ line_id, key, body_hash, started_at, since }: KeyClaim): TakenKey | null {
  const { changes } = statement(CLAIM_KEY).run(line_id, key, body_hash, started_at, since);
  if (changes) return null;
  return statement(TAKEN_KEY).get(line_id, key) as unknown as TakenKey;
}

function recordAttempt(a: AttemptRecord): boolean {
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
  const finished = a.state === 'pending' ? null : a.started_at;
  const { changes } = statement(MOVE_DELIVERY).run(
    a.state,
    a.number,
    a.due_at,
    finished,
    a.destination_id,
    a.event_id,
  );
  return changes > 0;
}

/** The single process on the file owns all destinations. */
function record({ windows, messages, sent, aliases, events }: NotificationWrite): Recorded {
  windows.forEach((window) =>
    statement(UPSERT_WINDOW).run(window.line_id, window.contact, window.last_inbound_at),
  );
  messages.forEach(applyTold);
  sent?.forEach(keepSent);
  aliases?.forEach(insertAlias);
  const fresh: NewEvent[] = [];
  const answers = new Map<NewEvent, Answering>();
  const own: Recorded['own'] = [];
  const owe = (eventId: string, owed: NewDelivery[]) =>
    owed.forEach((delivery) => own.push(insertDelivery(eventId, delivery)));
  for (const event of events) {
    if (isWhole(event)) {
      const told = fresh.filter((one) => [null, event.line_id].includes(one.line_id));
      if (told.some((one) => answers.has(one))) {
        const others = told.filter((one) => !isTaken(answers.get(one)));
        apart(event, others).forEach(({ event_id: id, ...delivery }) => owe(id, [delivery]));
        continue;
      }
      if (!tellsAnything(event, fresh)) continue;
    }
    if (!insertEvent(event)) continue;
    fresh.push(event);
    const answering = event.reply ? answeringOf(event, event.reply) : null;
    if (answering) answers.set(event, answering);
    owe(event.id, owedBy(event, answering));
    gatheredOf(event, answering).forEach(insertGathering);
  }
  const late = [...answers].filter(([, { isLate }]) => isLate);
  return {
    fresh: fresh.map(({ id }) => id),
    own,
    late: late.map(([{ id }, { question }]) => ({ event_id: id, question_id: question.id })),
    behind: [],
  };
}

/** By line: whether it has questions, which cannot change during a transaction. */
const asking = new Map<number, boolean>();

function hasQuestions(lineId: number): boolean {
  const has = asking.get(lineId) ?? statement(HAS_QUESTIONS).get(lineId) !== undefined;
  asking.set(lineId, has);
  return has;
}

/** Decides which question a message answers, and stores the answer. */
function answeringOf(event: NewEvent, reply: Reply): Answering | null {
  const { line_id: lineId } = event;
  if (lineId === null || !hasQuestions(lineId)) return null;
  const asked = reply.names.flatMap(
    (name) => statement(ASKED).all(lineId, name) as unknown as AskedQuestion[],
  );
  const aimedAt =
    reply.to === null ? [] : (statement(AIMED_AT).all(lineId, reply.to) as unknown as AskedQuestion[]);
  if (!asked.length && !aimedAt.length) return null;
  const isToRecorded = reply.to !== null && statement(IS_RECORDED).get(lineId, reply.to) !== undefined;
  const answering = answeredBy(reply, { asked, aimedAt, isToRecorded }, event.received_at);
  if (!answering) return null;
  const { question, isLate } = answering;
  if (isLate) statement(MARK_LATE).run(question.id, event.id);
  else {
    statement(ANSWER_QUESTION).run(event.received_at, event.id, event.wamid, question.id);
    statement(FREE_CONTACT).run(question.id);
  }
  return answering;
}

function release({ question_id, event_id, destination_id, deliveries, at }: AnswerRelease): Recorded | null {
  if (!statement(END_ANSWER).run(at, question_id, destination_id, event_id).changes) return null;
  statement(END_DELIVERY).run(at, destination_id, event_id);
  if (deliveries.length) statement(MARK_LATE).run(question_id, event_id);
  const own = deliveries.map((delivery) => insertDelivery(event_id, delivery));
  return { fresh: [], own, late: [{ event_id, question_id }], behind: [] };
}

function insertDelivery(
  event_id: string,
  { destination_id, lane, due_at }: NewDelivery,
): Recorded['own'][number] {
  const sequence = nextSequence();
  statement(INSERT_DELIVERY).run(destination_id, event_id, lane, due_at, sequence);
  return { destination_id, event_id, sequence };
}

const insertGathering = ({ destination_id, identity, event_id, contact, body, arrived_at }: NewGathering) =>
  statement(INSERT_GATHERING).run(destination_id, identity, event_id, contact, body, arrived_at);

function insertEvent(event: NewEvent): boolean {
  const { changes } = statement(INSERT_EVENT).run(...EVENT_COLUMNS.map((column) => event[column]));
  return changes > 0;
}

let lastSequence: number | null = null;

/** Only this thread records deliveries. New ones are placed after all pending ones; ended ones have no order. */
function nextSequence(): number {
  lastSequence ??= Number(statement(GREATEST_SEQUENCE).get()?.sequence);
  return ++lastSequence;
}

const GREATEST_SEQUENCE = `select coalesce(max(sequence), 0) as sequence from (
  select (select max(sequence) from deliveries
    where destination_id = destinations.id and state = 'pending' and attempts = 0) as sequence from destinations)`;

function query(sql: string, parameters: SQLInputValue[]) {
  // A full disk has already rolled back. The caller should get the disk's error, not one about the rollback.
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
      usageDays.clear();
      asking.clear();
      return inTransaction(() => {
        const writes = writesOf(request.writes);
        const results = writes.map(apply);
        markUsage();
        return flatResults(writes, results);
      });
    case 'statements':
      return inTransaction(() =>
        request.statements.map(({ sql, parameters }) => query(sql, parameters as SQLInputValue[])),
      );
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
