import { type Pool, type PoolClient } from 'pg';
import {
  ANSWERED_BY,
  answeredBy,
  gatheredOf,
  isTaken,
  owedBy,
  type Answering,
  type AskedQuestion,
} from '../commit/answering';
import { retryOnConflict } from '../commit/retry-on-conflict';
import {
  EVENT_COLUMNS,
  MESSAGE_COLUMNS,
  MESSAGE_FACTS,
  SMALLEST_WINS,
  USAGE_DAYS,
  apart,
  isWhole,
  tellsAnything,
  type AliasChange,
  type AnsweredKey,
  type AttemptRecord,
  type KeyClaim,
  type MessageChange,
  type NewDelivery,
  type NewEvent,
  type NewGathering,
  type Recorded,
  type AnswerRelease,
  type Reply,
  type SentBody,
  type TakenKey,
  type WindowChange,
  type Write,
  type WriteResult,
} from '../commit/writes';
import { DAY } from '../../time';
import { eventIdBefore, eventTime } from '../event-id';
import { type ArrivalWakes } from './arrival-wakes';
import { isNearPeriod } from './partitions';

/**
 * The frequent writes on PostgreSQL: one multi-row statement per kind, with one array per column, so that a batch of
 * any size needs few round trips. Rows are merged by key, because PostgreSQL cannot update a row twice in a
 * statement, and sorted by key, so that parallel batches cannot deadlock.
 */
export const commitWrites = (
  pool: Pool,
  tell: ArrivalWakes['tell'],
  writes: Write[],
): Promise<WriteResult[]> => retryOnConflict(() => commitOnce(pool, tell, writes));

async function commitOnce(pool: Pool, tell: ArrivalWakes['tell'], writes: Write[]): Promise<WriteResult[]> {
  const notifications = writes.filter((write) => write.kind === 'notification');
  const events = notifications.flatMap((write) => write.events);
  const messages = writes.filter((write) => write.kind === 'message');
  const releases = writes.flatMap((write) => (write.kind === 'release' ? [write.release] : []));
  const recorder =
    notifications.find((notification) => notification.recorder)?.recorder ?? releases[0]?.recorder;

  const client = await pool.connect();
  let broken: Error | undefined;
  try {
    // Awaited separately: if it fails, nothing after it may be stored.
    await client.query('begin');
    // All are sent without waiting. Statements after a failed one do nothing.
    const [, { fresh, replies }, takenKeys, moved, released] = await Promise.all([
      waitForOthers(client, events),
      insertEvents(
        client,
        events.filter((event) => !isWhole(event)),
      ),
      claimKeys(
        client,
        writes.flatMap((write) => (write.kind === 'key' ? [write.claim] : [])),
      ),
      recordAttempts(
        client,
        writes.flatMap((write) => (write.kind === 'attempt' ? [write.attempt] : [])),
      ),
      endAnswers(client, releases),
      upsertWindows(
        client,
        notifications.flatMap(({ windows }) => windows),
      ),
      upsertMessages(
        client,
        messages.map(({ message }) => message),
        notifications.flatMap((notification) => notification.messages),
      ),
      insertAliases(
        client,
        writes.flatMap((write) => ('aliases' in write ? (write.aliases ?? []) : [])),
      ),
      answerKeys(
        client,
        messages.flatMap(({ answered }) => answered ?? []),
      ),
      keepSent(
        client,
        [...messages, ...notifications].flatMap(({ sent }) => sent ?? []),
      ),
      nameMessages(
        client,
        messages.flatMap(({ asks, message }) => (asks === undefined ? [] : [{ id: asks, ...message }])),
      ),
    ]);
    const answers = replies.length ? await answerQuestions(client, replies) : NO_ANSWERS;
    const owed: Owed[] = [];
    const wholes = notifications.flatMap((notification) => {
      const told = notification.events.filter(({ id }) => fresh.has(id));
      return notification.events.filter((event) => {
        if (!isWhole(event)) return false;
        const ofLine = told.filter((one) => [null, event.line_id].includes(one.line_id));
        if (!ofLine.some(({ id }) => answers.has(id))) return tellsAnything(event, told);
        const others = ofLine.filter(({ id }) => !isTaken(answers.get(id)));
        owed.push(...apart(event, others));
        return false;
      });
    });
    for (const id of (await insertEvents(client, wholes)).fresh) fresh.add(id);
    const gathering: NewGathering[] = [];
    for (const event of events) {
      if (!fresh.has(event.id)) continue;
      const answering = answers.get(event.id) ?? null;
      owed.push(...owedBy(event, answering).map((delivery) => ({ ...delivery, event_id: event.id })));
      gathering.push(...gatheredOf(event, answering));
    }
    for (const { event_id, deliveries } of released)
      owed.push(...deliveries.map((delivery) => ({ ...delivery, event_id })));
    const late = [
      ...[...answers]
        .filter(([, { isLate }]) => isLate)
        .map(([id, { question }]) => [id, question.id] as const),
      ...released.map(({ event_id, question_id }) => [event_id, question_id] as const),
    ].map(([event_id, question_id]) => ({ event_id, question_id }));
    const repeats = events.filter(({ id }) => !fresh.has(id));
    const [{ own, behind, told }, toldOfRepeats] = await Promise.all([
      insertDeliveries(client, owed, recorder ?? null),
      recorder === undefined ? [] : tellOfRepeats(client, repeats),
      insertGathering(client, gathering),
    ]);
    await client.query('commit');
    if (recorder !== undefined) tell([...told, ...toldOfRepeats]);
    const ownOf = Map.groupBy(own, ({ event_id: id }) => id);
    return writes.map((write) => {
      if (write.kind === 'message') return null;
      if (write.kind === 'key') return takenKeys.get(write.claim) ?? null;
      if (write.kind === 'attempt') return { moved: moved.has(keyOf(write.attempt)) };
      if (write.kind === 'release' && !released.includes(write.release)) return null;
      const ids =
        write.kind === 'release'
          ? [write.release.event_id]
          : write.events.map(({ id }) => id).filter((id) => fresh.has(id));
      return {
        fresh: write.kind === 'release' ? [] : ids,
        own: ids.flatMap((id) => ownOf.get(storable(id)) ?? []),
        late: late.filter(({ event_id: id }) => ids.includes(id)),
        behind,
      };
    });
  } catch (error) {
    // A connection whose rollback also fails is not returned to the pool.
    await client.query('rollback').catch((failure: Error) => (broken = failure));
    throw error;
  } finally {
    client.release(broken);
  }
}

type ColumnType = 'text' | 'int';

/** A text that PostgreSQL accepts: without NUL and lone surrogates. */
export const storable = (text: string): string => text.replaceAll('\0', '�').toWellFormed();

/** `unnest($1::text[], $2::int[])` and its values, for rows given as objects. */
function unnest<Row extends object>(rows: Row[], columns: { [Column in keyof Row]?: ColumnType }) {
  const names = Object.keys(columns) as (keyof Row & string)[];
  const arrays = names.map((name, index) => `$${index + 1}::${columns[name]}[]`);
  return {
    from: `unnest(${arrays.join(', ')}) as given (${names.join(', ')})`,
    names: names.join(', '),
    values: names.map((name) =>
      rows.map((row) => {
        const value: unknown = row[name];
        return typeof value === 'string' ? storable(value) : (value ?? null);
      }),
    ),
  };
}

const text = (names: readonly string[]) => Object.fromEntries(names.map((name) => [name, 'text' as const]));

const EVENT_TYPES = {
  ...text(EVENT_COLUMNS),
  line_id: 'int',
} satisfies { [Column in keyof NewEvent]?: ColumnType };

/** A message of a contact on a line that has asked questions. */
interface Replied {
  event: NewEvent;
  lineId: number;
  reply: Reply;
}

/** How long the platform may repeat an event, in milliseconds: it says 7 days. */
const REPEATED_FOR = 9 * DAY;

/** The id from which on an event can be one that these repeat. */
const repeatedSince = (events: NewEvent[]): string =>
  eventIdBefore(Math.max(0, Math.min(...events.map(({ id }) => eventTime(id))) - REPEATED_FOR));

/** The key (any number) of an advisory lock. */
const NEAR_PERIOD = 7_264_015;

/**
 * Makes transactions wait for each other if they record events close to the beginning of a partition's period, so that
 * each finds the events of the others.
 */
async function waitForOthers(client: PoolClient, events: NewEvent[]): Promise<void> {
  if (events.some(({ id }) => isNearPeriod(id)))
    await client.query(`select pg_advisory_xact_lock(${NEAR_PERIOD})`);
}

/**
 * Inserts events, except repeats. A table that is not divided has one index of all identities; otherwise each partition
 * has one, and the statement searches the partitions of the last days.
 * @returns the ids of new events, and the new events that may answer questions, in order
 */
async function insertEvents(
  client: PoolClient,
  events: NewEvent[],
): Promise<{ fresh: Set<string>; replies: Replied[] }> {
  if (!events.length) return { fresh: new Set(), replies: [] };
  const inserted = unnest(
    byKey(
      events,
      ({ identity }) => identity,
      (first) => first,
    ),
    EVENT_TYPES,
  );
  // A subquery of one value, because a join could read all events of these days.
  // `asks` is read from the database, because another process may be asking the line's first question now.
  const { rows } = await client.query<{ id: string; asks: boolean }>({
    name: 'insert-events',
    text: `insert into events (${inserted.names}) select * from ${inserted.from}
           where (
             select e.id from events e where e.identity = given.identity and e.id >= $${inserted.values.length + 1} limit 1
           ) is null
           on conflict do nothing returning id, subject = 'message' and exists (
             select from questions q where q.line_id = events.line_id) as asks`,
    values: [...inserted.values, repeatedSince(events)],
  });
  const fresh = new Set(rows.map(({ id }) => id));
  const asks = new Set(rows.flatMap((row) => (row.asks ? [row.id] : [])));
  const replies = events.flatMap((event) => {
    const { line_id: lineId, reply } = event;
    return lineId !== null && reply && asks.has(event.id) ? [{ event, lineId, reply }] : [];
  });
  return { fresh, replies };
}

const NO_ANSWERS: ReadonlyMap<string, Answering> = new Map();

/**
 * Decides which questions these messages answer, in order, and stores the result. If another process is answering the
 * same question, this waits for it, and the question has then ended.
 */
async function answerQuestions(client: PoolClient, replies: Replied[]): Promise<Map<string, Answering>> {
  const names = replies.flatMap(({ lineId, reply }) => reply.names.map((name) => [lineId, name] as const));
  const aimed = replies.flatMap(({ lineId, reply }) =>
    reply.to === null ? [] : [[lineId, reply.to] as const],
  );
  const columns = (pairs: (readonly [number, string])[]) => [
    pairs.map(([lineId]) => lineId),
    pairs.map(([, word]) => storable(word)),
  ];
  const read = ANSWERED_BY.join(', ');
  const [sent, asked, contacts, aimedAt] = await Promise.all([
    // First, so that questions whose message is recorded by now are read with it.
    client.query<{ line_id: number; wamid: string }>({
      name: 'sent-messages',
      text: `select line_id, wamid from messages where accepted_at is not null and (line_id, wamid) in (
               select * from unnest($1::int[], $2::text[]))`,
      values: columns(aimed),
    }),
    client.query<AskedQuestion>({
      name: 'lock-questions',
      text: `select ${read} from questions where state in ('asking', 'open') and id in (
               select c.question_id from unnest($1::int[], $2::text[]) as given (line_id, name)
               join question_contacts c on c.line_id = given.line_id and c.name = given.name
             ) order by id for update`,
      values: columns(names),
    }),
    client.query<{ line_id: number; name: string; question_id: string }>({
      name: 'questions-of-contacts',
      text: `select c.line_id, c.name, c.question_id from unnest($1::int[], $2::text[]) as given (line_id, name)
             join question_contacts c on c.line_id = given.line_id and c.name = given.name`,
      values: columns(names),
    }),
    client.query<AskedQuestion>({
      name: 'questions-of-messages',
      text: `select ${read} from questions where (line_id, message_id) in (
               select * from unnest($1::int[], $2::text[]))`,
      values: columns(aimed),
    }),
  ]);
  const answers = new Map<string, Answering>();
  const isAnswered = new Set<string>();
  for (const { event, lineId, reply } of replies) {
    const to = reply.to === null ? null : storable(reply.to);
    const ids = contacts.rows
      .filter((row) => row.line_id === lineId && reply.names.some((name) => storable(name) === row.name))
      .map((row) => row.question_id);
    // A question answered by an earlier message of this commit has ended.
    const now = (question: AskedQuestion): AskedQuestion =>
      isAnswered.has(question.id) ? { ...question, state: 'answered' } : question;
    const answering = answeredBy(
      { ...reply, to },
      {
        asked: asked.rows.filter(({ id }) => ids.includes(id)).map(now),
        aimedAt: aimedAt.rows.filter((one) => one.line_id === lineId && one.message_id === to).map(now),
        isToRecorded: sent.rows.some((one) => one.line_id === lineId && one.wamid === to),
      },
      event.received_at,
    );
    if (!answering) continue;
    answers.set(event.id, answering);
    if (!answering.isLate) isAnswered.add(answering.question.id);
  }
  const found = [...answers].map(([eventId, { question, isLate }]) => ({ eventId, id: question.id, isLate }));
  const byId = new Map(replies.map(({ event }) => [event.id, event]));
  const inTime = found.filter(({ isLate }) => !isLate);
  await Promise.all([
    noteAnswers(
      client,
      inTime.map(({ id, eventId }) => ({ id, event: byId.get(eventId) as NewEvent })),
    ),
    markLate(
      client,
      found.filter(({ isLate }) => isLate).map(({ id, eventId }) => ({ event_id: eventId, question_id: id })),
    ),
  ]);
  return answers;
}

/** Records the messages with which questions are asked. */
async function nameMessages(client: PoolClient, asking: { id: string; wamid: string }[]): Promise<void> {
  if (!asking.length) return;
  const { from, values } = unnest(
    byKey(
      asking,
      ({ id }) => id,
      (first) => first,
    ),
    text(['id', 'wamid']),
  );
  await client.query({
    name: 'name-messages',
    text: `update questions q set message_id = given.wamid from ${from} where q.id = given.id`,
    values,
  });
}

async function noteAnswers(client: PoolClient, answered: { id: string; event: NewEvent }[]): Promise<void> {
  if (!answered.length) return;
  const { from, values } = unnest(
    answered.map(({ id, event }) => ({ id, event_id: event.id, wamid: event.wamid, at: event.received_at })),
    text(['id', 'event_id', 'wamid', 'at']),
  );
  await Promise.all([
    client.query({
      name: 'answer-questions',
      text: `update questions q set state = 'answered', ended_at = given.at, answer_event_id = given.event_id,
               answer_message_id = given.wamid
             from ${from} where q.id = given.id`,
      values,
    }),
    client.query({
      name: 'free-contacts',
      text: 'delete from question_contacts where question_id = any($1::text[])',
      values: [answered.map(({ id }) => id)],
    }),
  ]);
}

async function markLate(client: PoolClient, late: Recorded['late']): Promise<void> {
  if (!late.length) return;
  const { from, values } = unnest(late, text(['event_id', 'question_id']));
  await client.query({
    name: 'mark-late-answers',
    text: `update events e set late_answer_to = given.question_id from ${from} where e.id = given.event_id`,
    values,
  });
}

/**
 * Ends the deliveries of answers.
 * @returns the answers whose delivery was pending
 */
async function endAnswers(client: PoolClient, releases: AnswerRelease[]): Promise<AnswerRelease[]> {
  if (!releases.length) return [];
  const given = unnest(
    byKey(
      releases,
      ({ question_id: id }) => id,
      (first) => first,
    ),
    { destination_id: 'int', ...text(['question_id', 'event_id', 'at']) },
  );
  const { rows } = await client.query<{ id: string }>({
    name: 'end-answers',
    text: `update questions q set answer_over_at = given.at from ${given.from}
           where q.id = given.question_id and q.answer_over_at is null and exists (
             select from deliveries d where d.destination_id = given.destination_id
               and d.event_id = given.event_id and d.state not in ('delivered', 'canceled'))
           returning q.id`,
    values: given.values,
  });
  const ended = new Set(rows.map(({ id }) => id));
  const released = byKey(
    releases.filter(({ question_id: id }) => ended.has(id)),
    ({ question_id: id }) => id,
    (first) => first,
  );
  if (!released.length) return [];
  const over = unnest(released, { destination_id: 'int', ...text(['event_id', 'at']) });
  await Promise.all([
    client.query({
      name: 'end-answer-deliveries',
      text: `update deliveries d set state = 'dead', finished_at = given.at from ${over.from}
             where d.destination_id = given.destination_id and d.event_id = given.event_id
               and case d.state when 'pending' then true end`,
      values: over.values,
    }),
    markLate(
      client,
      released.filter(({ deliveries }) => deliveries.length),
    ),
  ]);
  return released;
}

async function insertGathering(client: PoolClient, gathering: NewGathering[]): Promise<void> {
  if (!gathering.length) return;
  const { from, names, values } = unnest(gathering, {
    destination_id: 'int',
    ...text(['identity', 'event_id', 'contact', 'body', 'arrived_at']),
  });
  await client.query({
    name: 'insert-gathering',
    text: `insert into gathering (${names}) select * from ${from} on conflict do nothing`,
    values,
  });
}

type Owed = NewDelivery & { event_id: string };

/**
 * Inserts deliveries. The same transaction reads the owners of their destinations, because the recorder may have lost
 * its leases. For deliveries without or with another owner, it adds a row to `arrivals` and wakes the owner.
 */
async function insertDeliveries(
  client: PoolClient,
  owed: Owed[],
  recorder: string | null,
): Promise<Pick<Recorded, 'own' | 'behind'> & { told: number[] }> {
  if (!owed.length) return { own: [], behind: [], told: [] };
  const given = unnest(owed, { destination_id: 'int', ...text(['event_id', 'lane', 'due_at']) });
  const { rows } = await client.query<{
    destination_id: number;
    event_id: string;
    sequence: string;
    is_own: boolean;
    is_behind: boolean;
  }>({
    name: 'insert-deliveries',
    text: `with inserted as (
             insert into deliveries (${given.names}, state, attempts)
             select ${given.names}, 'pending', 0 from ${given.from}
             returning destination_id, event_id, sequence
           ), concerned as materialized (
             select ids.destination_id, coalesce(o.process_id = $${given.values.length + 1}, false) as is_own,
               exists (select from arrivals a where a.destination_id = ids.destination_id) as is_behind
             from (select distinct destination_id from inserted) ids
             left join owners o on o.destination_id = ids.destination_id
           ), told as (
             insert into arrivals (destination_id, sequence)
             select destination_id, min(sequence) from inserted natural join concerned
             where not is_own group by destination_id
           )
           select * from inserted natural join concerned order by sequence`,
    values: [...given.values, recorder],
  });
  const isOf = (isOwn: boolean) => rows.filter((row) => row.is_own === isOwn);
  const own = isOf(true);
  return {
    own: own.map(({ destination_id, event_id, sequence }) => ({
      destination_id,
      event_id,
      sequence: Number(sequence),
    })),
    behind: [...new Set(own.filter((row) => row.is_behind).map(({ destination_id: id }) => id))],
    told: isOf(false).map(({ destination_id: id }) => id),
  };
}

/**
 * An earlier commit of a repeated event may be unknown to its recorder. So the owners of its destinations must read
 * from the beginning before they accept later deliveries.
 */
async function tellOfRepeats(client: PoolClient, repeats: NewEvent[]): Promise<number[]> {
  const ids = new Set(repeats.flatMap(({ deliveries }) => deliveries.map((one) => one.destination_id)));
  if (!ids.size) return [];
  await client.query({
    name: 'tell-of-repeats',
    text: 'insert into arrivals (destination_id, sequence) select id, 0 from unnest($1::int[]) as id',
    values: [[...ids]],
  });
  return [...ids];
}

async function upsertWindows(client: PoolClient, windows: WindowChange[]): Promise<void> {
  if (!windows.length) return;
  const latest = byKey(
    windows,
    ({ line_id, contact }) => `${line_id} ${contact}`,
    (one, other) => (one.last_inbound_at > other.last_inbound_at ? one : other),
  );
  const { from, names, values } = unnest(latest, {
    line_id: 'int',
    contact: 'text',
    last_inbound_at: 'text',
  });
  await client.query({
    name: 'upsert-windows',
    text: `insert into windows (${names}) select * from ${from} on conflict (line_id, contact)
           do update set last_inbound_at = greatest(windows.last_inbound_at, excluded.last_inbound_at)`,
    values,
  });
}

/** Stores changes of messages, and marks the days whose usage changes: those of what the platform told. */
async function upsertMessages(
  client: PoolClient,
  accepted: MessageChange[],
  told: MessageChange[],
): Promise<void> {
  if (!accepted.length && !told.length) return;
  const merged = byKey([...accepted, ...told], ({ line_id, wamid }) => `${line_id} ${wamid}`, mergeMessages);
  const { from, names, values } = unnest(merged, { line_id: 'int', ...text(['wamid', ...MESSAGE_COLUMNS]) });
  const upsert = `insert into messages (${names}) select * from ${from}
    on conflict (line_id, wamid) do update set ${MESSAGE_MERGE}`;
  if (!told.length) {
    await client.query({ name: 'upsert-messages', text: upsert, values });
    return;
  }
  await client.query({
    name: 'upsert-told-messages',
    text: `with changed as (${upsert} returning line_id, wamid, ${USAGE_DAYS} as days)
           insert into usage_marks (line_id, day)
           select distinct line_id, substr(days, place, 10)
           from changed, generate_series(1, length(days), 10) as place
           where wamid = any($${values.length + 1}::text[])`,
    values: [...values, told.map(({ wamid }) => storable(wamid))],
  });
}

/** The rules of `MessageChange`. `least` ignores nulls. */
const MESSAGE_MERGE = [
  `contact = case when excluded.accepted_at is null then coalesce(messages.contact, excluded.contact)
     else coalesce(excluded.contact, messages.contact) end`,
  ...MESSAGE_FACTS.map((column) => `${column} = coalesce(messages.${column}, excluded.${column})`),
  `failure = case when excluded.failed_at < messages.failed_at then coalesce(excluded.failure, messages.failure)
     else coalesce(messages.failure, excluded.failure) end`,
  // The order of bytes, whatever the order of the database's language.
  ...SMALLEST_WINS.map(
    (column) => `${column} = least(messages.${column} collate "C", excluded.${column} collate "C")`,
  ),
].join(', ');

/** Merges two changes of a message in one batch, by the same rules. */
function mergeMessages(first: MessageChange, second: MessageChange): MessageChange {
  const merged = { ...second, ...known(first) };
  if (known(second).accepted_at) Object.assign(merged, known({ contact: second.contact }));
  if (second.failed_at && first.failed_at && second.failed_at < first.failed_at)
    Object.assign(merged, known({ failure: second.failure }));
  for (const column of SMALLEST_WINS) {
    const values = [first[column], second[column]].filter((value) => typeof value === 'string');
    merged[column] = values.sort()[0] ?? null;
  }
  return merged;
}

const known = <Row extends Partial<MessageChange>>(row: Row): Row =>
  Object.fromEntries(Object.entries(row).filter(([, value]) => value !== null && value !== undefined)) as Row;

async function insertAliases(client: PoolClient, aliases: AliasChange[]): Promise<void> {
  if (!aliases.length) return;
  const distinct = byKey(
    aliases,
    ({ line_id, contact, identity }) => `${line_id} ${contact} ${identity}`,
    (first) => first,
  );
  const { from, names, values } = unnest(distinct, { line_id: 'int', contact: 'text', identity: 'text' });
  await client.query({
    name: 'insert-aliases',
    text: `insert into aliases (${names}) select * from ${from} on conflict do nothing`,
    values,
  });
}

const lineAndKey = ({ line_id, key }: Pick<KeyClaim, 'line_id' | 'key'>): string => `${line_id} ${key}`;

/**
 * Claims free keys. If several sends claim one key, the first gets it.
 * @returns the holders of the other keys
 */
async function claimKeys(client: PoolClient, claims: KeyClaim[]): Promise<Map<KeyClaim, TakenKey>> {
  if (!claims.length) return new Map();
  const first = byKey(claims, lineAndKey, (one) => one);
  const given = unnest(first, { line_id: 'int', ...text(['key', 'body_hash', 'started_at']) });
  const { rows: taken } = await client.query<Pick<KeyClaim, 'line_id' | 'key'>>({
    name: 'claim-keys',
    text: `insert into idempotency_keys (${given.names}) select * from ${given.from}
           on conflict (line_id, key) do update
           set body_hash = excluded.body_hash, started_at = excluded.started_at, answer = null
           where idempotency_keys.started_at <= $${given.values.length + 1}
           returning line_id, key`,
    values: [...given.values, first.map(({ since }) => since).sort()[0]],
  });
  const isFree = new Set(taken.map(lineAndKey));
  const isFirst = new Set(first);
  const refused = claims.filter((claim) => !isFirst.has(claim) || !isFree.has(storable(lineAndKey(claim))));
  return refused.length ? takersOf(client, refused) : new Map();
}

async function takersOf(client: PoolClient, claims: KeyClaim[]): Promise<Map<KeyClaim, TakenKey>> {
  const { from, values } = unnest(claims, { line_id: 'int', key: 'text' });
  const { rows } = await client.query<TakenKey & Pick<KeyClaim, 'line_id' | 'key'>>({
    name: 'takers-of-keys',
    text: `select k.line_id, k.key, k.body_hash, k.started_at, k.answer
           from (select distinct * from ${from}) given natural join idempotency_keys k`,
    values,
  });
  const takers = new Map(rows.map((row) => [lineAndKey(row), row]));
  return new Map(
    claims.map((claim) => {
      // A key that is being freed now counts as claimed; the next request finds it free.
      const freed = { body_hash: claim.body_hash, started_at: claim.started_at, answer: null };
      return [claim, takers.get(storable(lineAndKey(claim))) ?? freed];
    }),
  );
}

async function answerKeys(client: PoolClient, answered: AnsweredKey[]): Promise<void> {
  if (!answered.length) return;
  const { from, values } = unnest(
    byKey(answered, lineAndKey, (first) => first),
    { line_id: 'int', ...text(['key', 'answer']) },
  );
  await client.query({
    name: 'answer-keys',
    text: `update idempotency_keys k set answer = given.answer from ${from}
           where k.line_id = given.line_id and k.key = given.key`,
    values,
  });
}

async function keepSent(client: PoolClient, sent: SentBody[]): Promise<void> {
  if (!sent.length) return;
  const { from, names, values } = unnest(
    byKey(
      sent,
      ({ line_id, wamid }) => `${line_id} ${wamid}`,
      (first) => first,
    ),
    { line_id: 'int', ...text(['wamid', 'body', 'accepted_at']) },
  );
  await client.query({
    name: 'keep-sent',
    text: `insert into sent_bodies (${names}) select * from ${from} on conflict do nothing`,
    values,
  });
}

const keyOf = ({ destination_id, event_id, number }: AttemptRecord): string =>
  `${destination_id} ${event_id} ${number}`;

/**
 * The condition on the state is written so that no index matches: the index of pending deliveries would read all
 * waiting ones of a destination.
 * @returns the keys of attempts that changed their delivery
 */
async function recordAttempts(client: PoolClient, attempts: AttemptRecord[]): Promise<Set<string>> {
  if (!attempts.length) return new Set();
  const sorted = byKey(attempts, keyOf, (first) => first);
  const made = unnest(sorted, {
    destination_id: 'int',
    event_id: 'text',
    number: 'int',
    started_at: 'text',
    duration_ms: 'int',
    http_status: 'int',
    outcome: 'text',
    answer: 'text',
  });
  const moving = unnest(sorted, {
    destination_id: 'int',
    event_id: 'text',
    number: 'int',
    started_at: 'text',
    state: 'text',
    due_at: 'text',
  });
  const [, { rows }] = await Promise.all([
    client.query({
      name: 'insert-attempts',
      text: `insert into attempts (${made.names}) select * from ${made.from} on conflict do nothing`,
      values: made.values,
    }),
    client.query<Pick<AttemptRecord, 'destination_id' | 'event_id' | 'number'>>({
      name: 'move-deliveries',
      text: `update deliveries d set state = given.state, attempts = greatest(d.attempts, given.number),
             due_at = given.due_at,
             finished_at = case when given.state = 'pending' then null else given.started_at end
           from ${moving.from}
           where d.destination_id = given.destination_id and d.event_id = given.event_id
             and case d.state when 'pending' then true end and d.attempts_before < given.number
             and (d.attempts = given.number - 1 or given.state = 'delivered')
           returning given.destination_id, given.event_id, given.number`,
      values: moving.values,
    }),
  ]);
  return new Set(rows.map((row) => keyOf(row as AttemptRecord)));
}

/** One row per key, merged, sorted by key. */
function byKey<Row>(
  rows: Row[],
  keyOf: (row: Row) => string,
  merge: (first: Row, second: Row) => Row,
): Row[] {
  const merged = new Map<string, Row>();
  for (const row of rows) {
    const key = storable(keyOf(row));
    const earlier = merged.get(key);
    merged.set(key, earlier === undefined ? row : merge(earlier, row));
  }
  return [...merged.entries()].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, row]) => row);
}

/** SQLSTATE classes for invalid data: 22 (value cannot be stored), 23 (constraint violated), 54 (too long). */
export const isFaultOfData = (error: unknown): boolean =>
  /^(2[23]|54)/.test((error as { code?: string }).code ?? '');
