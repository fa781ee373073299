import { sql, type Kysely } from 'kysely';
import { inOrderOf } from '../../primitives/in-order-of';
import { isoTime } from '../../time';
import { eventTime } from '../event-id';
import { type DeliveryState, type Schema } from '../schema';
import { COUNT, countOf } from '../rows';
import { type AttemptRow } from '../tables/deliveries';
import { type DestinationRow } from '../tables/destinations';
import { MOST_COUNTED } from './backlog';

/** Written out, so that the databases see that the indexes of what is pending may be used. */
const PENDING = sql.lit<DeliveryState>('pending');

/** Of what is still to be delivered, so much is read, what is due first. */
const MOST_READ = 1_000;

/** The last attempt is looked for among those of so many events, the newest and those that are due first. */
const LATEST_EVENTS = 100;

export type LastAttempt = Omit<AttemptRow, 'destination_id' | 'answer'>;

/** How one destination fares, as far as the database knows. */
export interface DestinationReport {
  /** Deliveries that were not tried yet, counted up to `MOST_COUNTED` and one more. */
  untried: number;
  /** When the event came that has waited longest, of those that are read; ISO time, or null. */
  oldestAt: string | null;
  /** When what goes out first is due, of those that are read; ISO time, or null. */
  dueAt: string | null;
  lastAttempt: LastAttempt | null;
  /** The name of the process that sends there; null where none does, and on SQLite, which has one. */
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

/** The last attempt at each of these destinations, by its id. */
export const lastAttempts = (db: Kysely<Schema>) => {
  const attemptsOf = (id: number) =>
    db.selectFrom('attempts').select(ATTEMPT).where('destination_id', '=', id);

  async function lastOf(id: number): Promise<LastAttempt | null> {
    const triedFirst = db
      .selectFrom(openOf(db, id).as('open'))
      .select('event_id')
      .where('attempts', '>', 0)
      .orderBy('due_at')
      .limit(LATEST_EVENTS);
    const [newest, ofFirst] = await Promise.all([
      attemptsOf(id).orderBy('event_id', 'desc').limit(LATEST_EVENTS).execute(),
      attemptsOf(id).where('event_id', 'in', triedFirst).execute(),
    ]);
    return (
      [...newest, ...ofFirst].toSorted((one, other) => inOrderOf(other.started_at, one.started_at))[0] ?? null
    );
  }

  return async (ids: number[]): Promise<Map<number, LastAttempt | null>> =>
    new Map(await Promise.all(ids.map(async (id) => [id, await lastOf(id)] as const)));
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

/** One that was tried once or twice: what came after it from the same contact waits for it (`tables/queued.ts`). */
const holdsBack = ({ attempts, attempts_before: before }: { attempts: number; attempts_before: number }) =>
  before === 0 && (attempts === 1 || attempts === 2);

/** When something goes there next; null where nothing waits, and while it is paused. */
export const nextAttemptOf = (
  { paused_at: pausedAt, next_try_at: nextTryAt }: Pick<DestinationRow, 'paused_at' | 'next_try_at'>,
  dueAt: string | null,
): string | null => {
  if (dueAt === null || pausedAt !== null) return null;
  return nextTryAt !== null && nextTryAt > dueAt ? nextTryAt : dueAt;
};
