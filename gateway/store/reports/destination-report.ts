import { sql, type Kysely } from 'kysely';
import { isoTime } from '../../time';
import { eventTime } from '../event-id';
import { type DeliveryState, type Schema } from '../schema';
import { COUNT, countOf } from '../rows';
import { type AttemptRow } from '../tables/deliveries';
import { type DestinationRow } from '../tables/destinations';
import { MOST_COUNTED } from './backlog';

/** A literal, so that the databases can use the indexes of pending deliveries. */
const PENDING = sql.lit<DeliveryState>('pending');

/** The most pending deliveries that are read, in the order of due times. */
const MOST_READ = 1_000;

/** The last attempts are searched among this many of the newest events and of the deliveries that are due first. */
const LATEST_EVENTS = 100;

/** The last accepted delivery is searched among this many attempts for the newest events. */
const MOST_LOOKED_AT = 1_000;

/** Characters of a response that are read: enough even if most of it is white space. */
const BEGINNING_OF_ANSWER = 400;

/** The last attempt, with the beginning of the response. */
export type LastAttempt = Omit<AttemptRow, 'destination_id'>;

/** The state of one destination, as stored in the database. */
export interface DestinationReport {
  /** Deliveries that were never tried, counted up to `MOST_COUNTED` plus one. */
  untried: number;
  /** The time of the oldest waiting event among those read (ISO); null if none. */
  oldestAt: string | null;
  /** The earliest due time among those read (ISO); null if none. */
  dueAt: string | null;
  lastAttempt: LastAttempt | null;
  /** The name of the process that owns the destination; null if none, and on SQLite, which has only one process. */
  owner: string | null;
}

const ATTEMPT = ['event_id', 'number', 'started_at', 'duration_ms', 'http_status', 'outcome'] as const;

const untriedOf = (db: Kysely<Schema>, id: number) =>
  db
    .selectFrom('deliveries')
    .select('destination_id')
    .where('destination_id', '=', id)
    .where('state', '=', PENDING)
    .where('attempts', '=', sql.lit(0))
    .limit(MOST_COUNTED + 1);

const openOf = (db: Kysely<Schema>, id: number) =>
  db
    .selectFrom('deliveries')
    .select(['event_id', 'lane', 'attempts', 'attempts_before', 'due_at'])
    .where('destination_id', '=', id)
    .where('state', '=', PENDING)
    .orderBy('due_at')
    .limit(MOST_READ + 1);

/** When the destination's URL last changed; empty if it never did. */
const sinceOf = (db: Kysely<Schema>, id: number) =>
  db
    .selectFrom('destinations')
    .select((row) => row.fn.coalesce('url_changed_at', sql.lit('')).as('since'))
    .where('id', '=', id);

/** The last attempts at the destination's current URL, latest first. Responses are read for these only. */
function latestOf(db: Kysely<Schema>, id: number, limit: number): Promise<LastAttempt[]> {
  const attempts = db.selectFrom('attempts').select(ATTEMPT).where('destination_id', '=', id);
  const triedFirst = db
    .selectFrom(openOf(db, id).as('open'))
    .select('event_id')
    .where('attempts', '>', 0)
    .orderBy('due_at')
    .limit(LATEST_EVENTS);
  const newest = attempts.orderBy('event_id', 'desc').limit(LATEST_EVENTS);
  const ofFirst = attempts.where('event_id', 'in', triedFirst);
  return (
    db
      .selectFrom(
        db
          .selectFrom(db.selectFrom(newest.as('newest')).selectAll().union(ofFirst).as('tried'))
          .selectAll()
          .where('started_at', '>=', sinceOf(db, id))
          .orderBy('started_at', 'desc')
          .orderBy('event_id', 'desc')
          .orderBy('number', 'desc')
          .limit(limit)
          .as('latest'),
      )
      .selectAll()
      // A subquery: with a join, SQLite may read all attempts of the destination.
      .select((row) =>
        row
          .selectFrom('attempts')
          .select(sql<string | null>`substr(attempts.answer, 1, ${BEGINNING_OF_ANSWER})`.as('beginning'))
          .where('attempts.destination_id', '=', id)
          .whereRef('attempts.event_id', '=', 'latest.event_id')
          .whereRef('attempts.number', '=', 'latest.number')
          .as('answer'),
      )
      .orderBy('latest.started_at', 'desc')
      .orderBy('latest.event_id', 'desc')
      .orderBy('latest.number', 'desc')
      .execute()
  );
}

/** The last attempt at the current URL of each of these destinations, by id. */
export const lastAttempts =
  (db: Kysely<Schema>) =>
  async (ids: number[]): Promise<Map<number, LastAttempt | null>> =>
    new Map(await Promise.all(ids.map(async (id) => [id, (await latestOf(db, id, 1))[0] ?? null] as const)));

/**
 * The last attempts at the current URL of one destination, latest first, and the last accepted one if it is recent.
 */
export const latestAttempts =
  (db: Kysely<Schema>) =>
  async (
    id: number,
    limit: number,
  ): Promise<{
    latest: LastAttempt[];
    accepted: Pick<LastAttempt, 'event_id' | 'started_at'> | null;
  }> => {
    const newest = db
      .selectFrom('attempts')
      .select(['event_id', 'started_at', 'outcome'])
      .where('destination_id', '=', id)
      .orderBy('event_id', 'desc')
      .limit(MOST_LOOKED_AT);
    const [latest, accepted] = await Promise.all([
      latestOf(db, id, limit),
      db
        .selectFrom(newest.as('newest'))
        .select(['event_id', 'started_at'])
        .where('outcome', '=', 'delivered')
        .where('started_at', '>=', sinceOf(db, id))
        .orderBy('started_at', 'desc')
        .limit(1)
        .executeTakeFirst(),
    ]);
    return { latest, accepted: accepted ?? null };
  };

export const destinationReport = (db: Kysely<Schema>) => {
  const lastOf = lastAttempts(db);

  return async (id: number): Promise<DestinationReport> => {
    const [open, untried, last, owner] = await Promise.all([
      openOf(db, id).execute(),
      countOf(db.selectFrom(untriedOf(db, id).as('some')).select(COUNT)),
      lastOf([id]),
      db
        .selectFrom('owners')
        .innerJoin('processes', 'processes.id', 'owners.process_id')
        .select('processes.name')
        .where('destination_id', '=', id)
        .executeTakeFirst(),
    ]);
    const held = new Set(open.filter(holdsBack).map(({ lane }) => lane));
    const first = open.find(({ attempts, lane }) => attempts > 0 || !held.has(lane));
    const [oldest] = open.map(({ event_id: event }) => event).toSorted();
    return {
      untried,
      oldestAt: oldest === undefined ? null : isoTime(eventTime(oldest)),
      dueAt: first?.due_at ?? null,
      lastAttempt: last.get(id) ?? null,
      owner: owner?.name ?? null,
    };
  };
};

/** Whether the delivery failed once or twice, so that it blocks later ones of its contact (`tables/queued.ts`). */
const holdsBack = ({ attempts, attempts_before: before }: { attempts: number; attempts_before: number }) =>
  before === 0 && (attempts === 1 || attempts === 2);

/** When the next delivery is sent; null if none is waiting or the destination is paused. */
export const nextAttemptOf = (
  { paused_at: pausedAt, next_try_at: nextTryAt }: Pick<DestinationRow, 'paused_at' | 'next_try_at'>,
  dueAt: string | null,
): string | null => {
  if (dueAt === null || pausedAt !== null) return null;
  return nextTryAt !== null && nextTryAt > dueAt ? nextTryAt : dueAt;
};
