import { setTimeout as wait } from 'node:timers/promises';
import { sql, type Kysely } from 'kysely';
import { DAY, isoTime, MINUTE, SECOND } from '../../time';
import { eventIdBefore, eventTime } from '../event-id';
import { type Schema } from '../schema';

/** The tables of events, each with the column that has the event's id. */
const DIVIDED = { events: 'id', deliveries: 'event_id', attempts: 'event_id' } as const;
type Divided = keyof typeof DIVIDED;

/** The period of a partition, counted from 1970. */
const PERIOD = 7 * DAY;

/**
 * More partitions of a table are not made: each query locks and plans all of them, and PostgreSQL has 6,400 locks by
 * default. Enough for events that are kept for a year.
 */
const MOST_PARTITIONS = 60;

/**
 * How long before its period a partition must exist: longer than the largest table takes to be checked, and than all
 * gateways are likely to be stopped.
 */
const AHEAD = 2 * DAY;

/** Milliseconds that a change of partitions waits for a table's lock, because all later statements wait behind it. */
const LONGEST_IN_THE_WAY = 100;

/** The key (any number) of an advisory lock that lets one process divide tables at a time. */
const DIVIDING = 7_264_016;

/** By SQLSTATE. */
const isLocked = (error: unknown): boolean => (error as { code?: unknown }).code === '55P03';

/** A partition, or the whole table while it is not divided. */
interface Part {
  name: string;
  /** Event ids: `from` inclusive, `to` exclusive; null for no bound. */
  from: string | null;
  to: string | null;
}

/**
 * Divides the tables of events, and makes their next partition. The last partition has no upper bound, so every event
 * has a partition, whether or not this runs in time. It is divided while its period lies ahead, when it is empty.
 *
 * A table that is not divided yet becomes the first partition, unchanged. Its rows are checked, which takes a minute
 * for a few gigabytes, beside all reads and writes.
 * @param db a single connection that may be silent for that long, and is closed afterwards
 * @param now milliseconds
 */
export async function divideEvents(db: Kysely<Schema>, now: number): Promise<void> {
  const { rows } = await sql<{ isAlone: boolean }>`
    select pg_try_advisory_lock(${DIVIDING}) as "isAlone"`.execute(db);
  if (!rows[0]?.isAlone) return;
  const at = eventIdBefore((Math.floor((now + AHEAD) / PERIOD) + 1) * PERIOD);
  const { rows: later } = await sql`select from events where id >= ${at} limit 1`.execute(db);
  // From a clock that was ahead. The tables stay as they are until then.
  if (later.length) return;
  for (const table of Object.keys(DIVIDED) as Divided[]) {
    const parts = await partsOf(db, table);
    const last = parts.at(-1);
    if (
      !last ||
      parts.length >= MOST_PARTITIONS ||
      (last.from !== null && eventTime(last.from) > now + AHEAD)
    )
      continue;
    await divideAt(db, table, last, at);
  }
}

/**
 * How close to the beginning of a period an event is recorded with a lock, in milliseconds: more than clocks differ,
 * and than a transaction takes.
 */
const NEAR = 10 * MINUTE;

/**
 * Whether an event is close to where a period begins. Each partition has its own index of identities, so it finds no
 * repeat that another transaction is recording in the next partition at this moment.
 */
export function isNearPeriod(eventId: string): boolean {
  const since = eventTime(eventId) % PERIOD;
  return since < NEAR || since > PERIOD - NEAR;
}

/**
 * Drops the partitions that end before an event id, unless one of their deliveries is pending, or another program, such
 * as a dump, keeps a table locked.
 * @param goesOn asked while a table is locked; false ends the wait
 * @returns the id before which single rows must be deleted: the rest is in partitions that are dropped later
 */
export async function dropPartitions(
  db: Kysely<Schema>,
  before: string,
  goesOn: () => boolean,
): Promise<string> {
  const [events, deliveries, attempts] = await Promise.all(
    (['events', 'deliveries', 'attempts'] as const).map((table) => partsOf(db, table)),
  );
  const ends = (parts: Part[] = []) => parts.flatMap(({ to }) => (to !== null && to <= before ? [to] : []));
  const until = ends(events)
    .filter((to) => ends(deliveries).includes(to) && ends(attempts).includes(to))
    .at(-1);
  if (until !== undefined) {
    const drop = async (trx: Kysely<Schema>) => {
      const pending = sql`select from deliveries where state = 'pending' and event_id < ${until} limit 1`;
      if ((await pending.execute(trx)).rows.length) return;
      for (const { name } of [...(events ?? []), ...(deliveries ?? []), ...(attempts ?? [])].filter(
        ({ to }) => to !== null && to <= until,
      ))
        await sql`drop table ${sql.table(name)}`.execute(trx);
    };
    await withLock(db, ['events', 'deliveries', 'attempts'], drop, goesOn).catch((error: unknown) => {
      if (!isLocked(error)) throw error;
    });
  }
  const from = events?.find(({ to }) => to === null || to > before)?.from ?? before;
  // Rows of a longer one, made while no process could divide it, would stay for too long.
  return eventTime(before) - eventTime(from) <= PERIOD ? from : before;
}

/** The partitions of a table, the earliest first; the table itself if it is not divided. */
export async function partsOf(db: Kysely<Schema>, table: string): Promise<Part[]> {
  const { rows } = await sql<{ name: string; bounds: string }>`
    select relname as name, pg_get_expr(relpartbound, oid) as bounds from pg_inherits
    join pg_class on oid = inhrelid where inhparent = ${table}::regclass`.execute(db);
  if (!rows.length) return [{ name: table, from: null, to: null }];
  return rows
    .map(({ name, bounds }) => {
      const [, from = null, to = null] =
        /^FOR VALUES FROM \((?:MINVALUE|'(\w+)')\) TO \((?:MAXVALUE|'(\w+)')\)$/.exec(bounds) ?? [];
      return { name, from, to };
    })
    .toSorted((one, other) => ((one.from ?? '') < (other.from ?? '') ? -1 : 1));
}

/** Ends a partition at this event id, or the table that is not divided yet, and adds the one after it. */
async function divideAt(db: Kysely<Schema>, table: Divided, part: Part, at: string): Promise<void> {
  const ends = sql.ref(`${table}_ends`);
  const dropEnds = async (trx: Kysely<Schema>, name = part.name) =>
    void (await sql`alter table ${sql.table(name)} drop constraint if exists ${ends}`.execute(trx));
  const id = sql.ref(DIVIDED[table]);
  const isWithin = sql`${part.from === null ? sql`` : sql`${id} >= ${sql.lit(part.from)} and `}${id} < ${sql.lit(at)}`;
  // So that attaching it does not read all of it while everybody waits. Not for an empty one: an interrupted division
  // would leave a partition that refuses later events.
  const prove = async () => {
    if (!(await sql`select from ${sql.table(part.name)} limit 1`.execute(db)).rows.length) return;
    await withLock(db, [part.name], async (trx) => {
      await dropEnds(trx);
      await sql`alter table ${sql.table(part.name)} add constraint ${ends} check (${isWithin}) not valid`.execute(
        trx,
      );
    });
    await sql`alter table ${sql.table(part.name)} validate constraint ${ends}`.execute(db);
  };
  const divide = async (trx: Kysely<Schema>) => {
    let { name } = part;
    if (name === table) name = await putAbove(trx, table);
    else await sql`alter table ${sql.table(table)} detach partition ${sql.table(name)}`.execute(trx);
    const from = part.from === null ? sql`minvalue` : sql.lit(part.from);
    const next = `${table}_${isoTime(eventTime(at)).slice(0, 10).replaceAll('-', '')}`;
    await sql`alter table ${sql.table(table)} attach partition ${sql.table(name)}
      for values from (${from}) to (${sql.lit(at)})`.execute(trx);
    await sql`create table ${sql.table(next)} partition of ${sql.table(table)}
      for values from (${sql.lit(at)}) to (maxvalue)`.execute(trx);
    // Not an index of the divided table, because it would have to contain the id.
    if (table === 'events')
      await sql`create unique index ${sql.ref(`${next}_identity_key`)} on ${sql.table(next)} (identity)`.execute(
        trx,
      );
    await dropEnds(trx, name);
  };
  try {
    await prove();
    await withLock(db, [table], divide);
  } catch (error) {
    // The check would refuse later events. If another statement has the lock, the next division removes it.
    await withLock(db, [part.name], dropEnds, () => false).catch(() => undefined);
    throw error;
  }
}

/**
 * Renames a table and its indexes, and makes a divided table with their names.
 * @returns the new name
 */
async function putAbove(trx: Kysely<Schema>, table: Divided): Promise<string> {
  const first = `${table}_first`;
  const { rows: indexes } = await sql<{ name: string; definition: string; constraint: string | null }>`
    select c.relname as name, pg_get_indexdef(c.oid) as definition, pg_get_constraintdef(k.oid) as "constraint"
    from pg_index i join pg_class c on c.oid = i.indexrelid left join pg_constraint k on k.conindid = c.oid
    where i.indrelid = ${table}::regclass`.execute(trx);
  await sql`alter table ${sql.table(table)} rename to ${sql.ref(first)}`.execute(trx);
  await sql`create table ${sql.table(table)} (like ${sql.table(first)} including defaults)
    partition by range (${sql.ref(DIVIDED[table])})`.execute(trx);
  if (table === 'deliveries')
    await sql`alter sequence delivery_sequence owned by deliveries.sequence`.execute(trx);
  for (const { name, definition, constraint } of indexes) {
    await sql`alter index ${sql.ref(name)} rename to ${sql.ref(name.replace(table, first))}`.execute(trx);
    if (constraint === null) await sql.raw(definition).execute(trx);
    else if (constraint.startsWith('PRIMARY KEY'))
      await sql`alter table ${sql.table(table)} add constraint ${sql.ref(name)} ${sql.raw(constraint)}`.execute(
        trx,
      );
  }
  return first;
}

/** Runs a short transaction with tables that nothing else uses meanwhile. Tries again until it gets them. */
async function withLock(
  db: Kysely<Schema>,
  tables: string[],
  work: (trx: Kysely<Schema>) => Promise<void>,
  goesOn = () => true,
): Promise<void> {
  for (const end = performance.now() + 10 * MINUTE; ;) {
    try {
      await db.transaction().execute(async (trx) => {
        await sql`set local lock_timeout = ${sql.lit(LONGEST_IN_THE_WAY)}`.execute(trx);
        const names = sql.join(tables.map((table) => sql.table(table)));
        await sql`lock table ${names} in access exclusive mode`.execute(trx);
        await work(trx);
      });
      return;
    } catch (error) {
      if (!isLocked(error) || performance.now() > end || !goesOn()) throw error;
      await wait(SECOND, null, { ref: false });
    }
  }
}
