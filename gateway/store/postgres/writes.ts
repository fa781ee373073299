import { type Pool, type PoolClient, type QueryConfig } from 'pg';
import { isoTime } from '../../time';
import { repeated } from '../repeat';
import { WAKE_CHANNEL, wakeText } from '../wake';
import {
  COMES_FIRST,
  MESSAGE_COLUMNS,
  MESSAGE_TIMES,
  isWhole,
  tellsAnything,
  type AliasChange,
  type AttemptRecord,
  type Claim,
  type ClaimedDelivery,
  type MessageChange,
  type NewDelivery,
  type NewEvent,
  type WindowChange,
  type Write,
} from '../writes';

/**
 * The hot writes on PostgreSQL: one multi-row statement per kind, fed with one array per column, so that a batch costs
 * a handful of round trips however large it is. Rows of a statement are merged by key, because PostgreSQL refuses to
 * update one row twice in a statement, and sorted by it, so that two batches at once never wait for each other in a
 * circle.
 */
export const commitWrites = (pool: Pool, writes: Write[]): Promise<string[][]> =>
  repeated(() => commitOnce(pool, writes));

async function commitOnce(pool: Pool, writes: Write[]): Promise<string[][]> {
  const notifications = writes.filter((write) => write.kind === 'notification');
  const messages = writes.flatMap((write) => {
    if (write.kind === 'message') return [write.message];
    return write.kind === 'notification' ? write.messages : [];
  });
  const attempts = writes.flatMap((write) => (write.kind === 'attempt' ? [write.attempt] : []));

  const client = await pool.connect();
  let broken: Error | undefined;
  try {
    await client.query('begin');
    const fresh = await insertEvents(
      client,
      notifications.flatMap(({ events }) => events.filter((event) => !isWhole(event))),
    );
    const wholes = notifications.flatMap(({ events }) => {
      const told = events.filter(({ id }) => fresh.has(id));
      return events.filter((event) => isWhole(event) && tellsAnything(event, told));
    });
    for (const id of await insertEvents(client, wholes)) fresh.add(id);
    const owed = notifications.flatMap(({ events, process_id = null }) =>
      events
        .filter(({ id }) => fresh.has(id))
        .flatMap((event) =>
          event.deliveries.map((delivery) => ({ delivery, event_id: event.id, recorded_by: process_id })),
        ),
    );
    const left = await insertDeliveries(client, owed);
    await upsertWindows(
      client,
      notifications.flatMap(({ windows }) => windows),
    );
    await upsertMessages(client, messages);
    await insertAliases(
      client,
      writes.flatMap((write) => (write.kind === 'attempt' ? [] : (write.aliases ?? []))),
    );
    await recordAttempts(client, attempts);
    await client.query('commit');
    left.forEach(({ delivery }) => (delivery.claimed_by = null));
    return writes.map((write) =>
      write.kind === 'notification' ? write.events.map(({ id }) => id).filter((id) => fresh.has(id)) : [],
    );
  } catch (error) {
    // A connection whose rollback fails too is not given back to the pool.
    await client.query('rollback').catch((failure: Error) => (broken = failure));
    throw error;
  } finally {
    client.release(broken);
  }
}

type ColumnType = 'text' | 'int';

/** A text as PostgreSQL holds it: it takes no NUL and no half of a surrogate pair. */
const storable = (text: string): string => text.replaceAll('\0', '�').toWellFormed();

/** `unnest($1::text[], $2::int[])` and its values, for rows given as one object each. */
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

const EVENT_COLUMNS = {
  id: 'text',
  line_id: 'int',
  ...text([
    'subject',
    'kind',
    'identity',
    'contact',
    'wamid',
    'phone_number_id',
    'waba_id',
    'body',
    'received_at',
  ]),
} satisfies { [Column in keyof NewEvent]?: ColumnType };

/** @returns the ids that were not there before. */
async function insertEvents(client: PoolClient, events: NewEvent[]): Promise<Set<string>> {
  if (!events.length) return new Set();
  const inserted = unnest(
    byKey(
      events,
      ({ identity }) => identity,
      (first) => first,
    ),
    EVENT_COLUMNS,
  );
  const { rows } = await client.query<{ id: string }>({
    name: 'insert-events',
    text: `insert into events (${inserted.names}) select * from ${inserted.from}
           on conflict (identity) do nothing returning id`,
    values: inserted.values,
  });
  return new Set(rows.map(({ id }) => id));
}

interface Owed {
  delivery: NewDelivery;
  event_id: string;
  /** Null where nobody says. */
  recorded_by: string | null;
}

/**
 * Inserts deliveries, each claimed as it asks where no other process owns its destination and nothing that comes first
 * waits there. Of destinations with another owner, or with none, whoever may own them is woken.
 * @returns those that are left to the database
 */
async function insertDeliveries(client: PoolClient, owed: Owed[]): Promise<Owed[]> {
  if (!owed.length) return [];
  const rows = owed.map(({ delivery, event_id, recorded_by }) => ({ ...delivery, event_id, recorded_by }));
  const due = unnest(rows, {
    destination_id: 'int',
    ...text(['event_id', 'lane', 'due_at', 'claimed_by', 'recorded_by']),
  });
  // Not all as arguments at once: one notification may owe more of them than a call takes.
  const latest = owed.reduce((last, { delivery }) => Math.max(last, Date.parse(delivery.due_at) || 0), 0);
  const { rows: inserted } = await client.query<{
    destination_id: number;
    event_id: string;
    claimed_by: string | null;
    wakes: boolean;
  }>({
    name: 'insert-deliveries',
    text: `with given as materialized (select * from ${due.from}),
           concerned as materialized (
             select ids.destination_id, o.process_id,
               exists (select from deliveries d where d.destination_id = ids.destination_id
                 and d.state = 'pending' and d.claimed_by is null and d.attempts_before = 0
                 and d.due_at <= $${due.values.length + 1}) as waits
             from (select distinct destination_id from given) ids
             left join owners o on o.destination_id = ids.destination_id
           ), judged as materialized (
             select given.*, c.process_id is distinct from given.recorded_by as wakes,
               case when not c.waits and coalesce(c.process_id, given.claimed_by) = given.claimed_by
                 then given.claimed_by end as granted_to
             from given join concerned c on c.destination_id = given.destination_id
           ), inserted as (
             insert into deliveries (destination_id, event_id, lane, due_at, claimed_by, state, attempts)
             select destination_id, event_id, lane, due_at, granted_to, 'pending', 0 from judged
           )
           select destination_id, event_id, granted_to as claimed_by, wakes from judged where granted_to is null`,
    values: [...due.values, isoTime(latest + COMES_FIRST)],
  });
  if (!inserted.length) return [];
  const woken = new Set(inserted.filter(({ wakes }) => wakes).map(({ destination_id: id }) => id));
  if (woken.size && owed.some(({ recorded_by }) => recorded_by !== null))
    await client.query('select pg_notify($1, $2)', [WAKE_CHANNEL, wakeText({ waiting: [...woken] })]);
  const left = new Set(inserted.map(({ destination_id, event_id }) => `${destination_id} ${event_id}`));
  return owed.filter(({ delivery, event_id }) =>
    left.has(`${delivery.destination_id} ${storable(event_id)}`),
  );
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

async function upsertMessages(client: PoolClient, messages: MessageChange[]): Promise<void> {
  if (!messages.length) return;
  const merged = byKey(messages, ({ line_id, wamid }) => `${line_id} ${wamid}`, mergeMessages);
  const { from, names, values } = unnest(merged, { line_id: 'int', ...text(['wamid', ...MESSAGE_COLUMNS]) });
  await client.query({
    name: 'upsert-messages',
    text: `insert into messages (${names}) select * from ${from}
           on conflict (line_id, wamid) do update set ${MESSAGE_MERGE}`,
    values,
  });
}

/** The rules of `MessageChange`. `least` passes over what is null. */
const MESSAGE_MERGE = [
  `contact = case when excluded.accepted_at is null then coalesce(messages.contact, excluded.contact)
     else coalesce(excluded.contact, messages.contact) end`,
  'type = coalesce(messages.type, excluded.type)',
  'client_ref = coalesce(messages.client_ref, excluded.client_ref)',
  `failure = case when excluded.failed_at < messages.failed_at then coalesce(excluded.failure, messages.failure)
     else coalesce(messages.failure, excluded.failure) end`,
  ...MESSAGE_TIMES.map((column) => `${column} = least(messages.${column}, excluded.${column})`),
].join(', ');

/** The same of two changes in one batch. */
function mergeMessages(first: MessageChange, second: MessageChange): MessageChange {
  const merged = { ...second, ...known(first) };
  if (known(second).accepted_at) Object.assign(merged, known({ contact: second.contact }));
  if (second.failed_at && first.failed_at && second.failed_at < first.failed_at)
    Object.assign(merged, known({ failure: second.failure }));
  for (const column of MESSAGE_TIMES) {
    const times = [first[column], second[column]].filter((time) => typeof time === 'string');
    merged[column] = times.sort()[0] ?? null;
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

async function recordAttempts(client: PoolClient, attempts: AttemptRecord[]): Promise<void> {
  if (!attempts.length) return;
  const sorted = byKey(
    attempts,
    (attempt) => `${attempt.destination_id} ${attempt.event_id} ${attempt.number}`,
    (first) => first,
  );
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
  await client.query({
    name: 'insert-attempts',
    text: `insert into attempts (${made.names}) select * from ${made.from} on conflict do nothing`,
    values: made.values,
  });
  const moved = unnest(sorted, {
    destination_id: 'int',
    event_id: 'text',
    number: 'int',
    started_at: 'text',
    state: 'text',
    due_at: 'text',
    claimed_by: 'text',
    made_by: 'text',
  });
  await client.query({
    name: 'move-deliveries',
    text: `update deliveries d set state = given.state, attempts = given.number, due_at = given.due_at,
             claimed_by = given.claimed_by,
             finished_at = case when given.state = 'pending' then null else given.started_at end
           from ${moved.from}
           where d.destination_id = given.destination_id and d.event_id = given.event_id and d.state = 'pending'
             and (given.state = 'delivered'
               or coalesce(d.claimed_by, given.made_by, '') = coalesce(given.made_by, d.claimed_by, ''))`,
    values: moved.values,
  });
}

/** One row per key, those of the same key merged, in the order of the keys. */
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

/** Takes what is due and nobody holds, unless another process owns the destination. Rows that another process is taking at this moment are skipped. */
export async function claimDeliveries(pool: Pool, claim: Claim): Promise<ClaimedDelivery[]> {
  const { replayed = null } = claim;
  const ofKind = replayed === null ? '' : `and d.attempts_before ${replayed ? '> 0' : '= 0'}`;
  const query: QueryConfig = {
    name: `claim-deliveries ${ofKind}`,
    text: `with waiting as (
             select d.destination_id, d.event_id, d.due_at, d.lane, d.attempts from deliveries d
             where d.destination_id = $1 and d.state = 'pending' and d.claimed_by is null and d.due_at <= $2
               and ($6::text is null or d.event_id = $6) ${ofKind}
               and not (d.attempts = 0 and d.lane = any($7::text[]))
               and not exists (select from owners o where o.destination_id = $1 and o.process_id <> $4)
             order by d.due_at, d.event_id limit $3 for update skip locked
           ), ranked as (
             select waiting.*,
               row_number() over (partition by lane, attempts = 0 order by due_at, event_id) as of_lane from waiting
           ), due as (
             select w.destination_id, w.event_id, sum(octet_length(e.body)) over before as size_before
             from (select * from ranked where attempts > 0 or $8::int is null or of_lane <= $8) w join events e on e.id = w.event_id
             window before as (order by w.due_at, w.event_id rows between unbounded preceding and 1 preceding)
           ), claimed as (
             update deliveries d set claimed_by = $4 from due
             where d.destination_id = due.destination_id and d.event_id = due.event_id
               and coalesce(due.size_before, 0) < $5
             returning d.destination_id, d.event_id, d.lane, d.attempts, d.attempts_before, d.due_at
           )
           select claimed.*, e.body from claimed join events e on e.id = claimed.event_id`,
    values: [
      claim.destination_id,
      claim.due_before,
      claim.limit,
      claim.process_id,
      claim.most_size,
      claim.event_id ?? null,
      claim.lanes_left_out ?? [],
      claim.most_of_lane ?? null,
    ],
  };
  const { rows } = await repeated(() => pool.query<ClaimedDelivery>(query));
  return rows;
}

/** Classes of SQLSTATE that blame the data: 22 (a value that cannot be stored), 23 (a broken constraint), 54 (too long). */
export const isFaultOfData = (error: unknown): boolean =>
  /^(2[23]|54)/.test((error as { code?: string }).code ?? '');
