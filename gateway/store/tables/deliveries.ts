import { sql, type Kysely, type Selectable } from 'kysely';
import { byColumn, COUNT, countOf } from '../rows';
import { inSerializableTransaction } from '../commit/retry-on-conflict';
import { type AttemptTable, type DeliveryState, type DeliveryTable, type Schema } from '../schema';
import { leastDue } from './queued';

export type DeliveryRow = Selectable<DeliveryTable>;
export type AttemptRow = Selectable<AttemptTable>;
export type DeliveryKey = Pick<DeliveryRow, 'destination_id' | 'event_id'>;

/** Literals, so that the databases can use the indexes of pending deliveries. */
const PENDING = sql.lit<DeliveryState>('pending');

/** Rows per statement: well below both databases' limit on parameters. */
const ROWS_A_STATEMENT = 500;

/** A filter of deliveries to resend; all given conditions apply. */
export interface DeliveryFilter {
  /** `pending` is only for single events, whose deliveries wait for a retry. */
  states: ('pending' | 'delivered' | 'dead')[];
  destinationIds?: number[];
  eventId?: string;
  /** All names of one contact. */
  contacts?: string[];
  /** The event's line. */
  lineId?: number;
  /** Event ids, or boundaries from `eventIdBefore`: `from` is inclusive, `to` exclusive. */
  from?: string;
  to?: string;
  /** The outcome of the last attempt. */
  cause?: string;
  /** Only deliveries that ended at this time (ISO) or later. */
  endedFrom?: string;
}

/** Queries over all deliveries. */
export const deliveriesInAll = (db: Kysely<Schema>) => ({
  /** Counts pending and dead deliveries, and destinations by health. */
  async overview() {
    // Each count uses its own index instead of reading all deliveries ever made.
    const counted = (state: DeliveryState) =>
      db.selectFrom('deliveries').select(COUNT).where('state', '=', sql.lit(state));
    const there = db.selectFrom('destinations').select('id').where('removed_at', 'is', null);
    const [pending, parked, dead, destinations] = await Promise.all([
      countOf(counted('pending')),
      countOf(counted('pending').where('destination_id', 'in', there.where('paused_at', 'is not', null))),
      countOf(counted('dead').where('destination_id', 'in', there)),
      db
        .selectFrom('destinations')
        .select((row) => ['paused_at', 'failing_since', leastDue(row).as('oldest_due_at')])
        .where('removed_at', 'is', null)
        .where('origin', '<>', 'question')
        .execute(),
    ]);
    const paused = destinations.filter((one) => one.paused_at !== null);
    const failing = destinations.filter((one) => one.paused_at === null && one.failing_since !== null);
    const due = destinations.flatMap((one) => (one.paused_at === null ? (one.oldest_due_at ?? []) : []));
    return {
      pending,
      parked,
      /** Excludes removed destinations, whose deliveries cannot be resent. */
      dead,
      /** ISO time, excluding paused destinations; null if none. */
      oldestDueAt: due.sort()[0] ?? null,
      destinations: {
        paused: paused.length,
        failing: failing.length,
        active: destinations.length - paused.length - failing.length,
      },
    };
  },

  /** A page of matching deliveries by event id, starting after `after`. */
  meant(
    { states, ...only }: DeliveryFilter,
    after: DeliveryKey | null,
    limit: number,
  ): Promise<DeliveryKey[]> {
    return db
      .selectFrom('deliveries')
      .select(['destination_id', 'event_id'])
      .where((row) => row.or(states.map((state) => row('state', '=', sql.lit<DeliveryState>(state)))))
      .where('destination_id', 'in', (row) =>
        row.selectFrom('destinations').select('id').where('removed_at', 'is', null),
      )
      .$if(only.destinationIds !== undefined, (query) =>
        query.where('destination_id', 'in', only.destinationIds ?? []),
      )
      .$if(only.eventId !== undefined, (query) => query.where('event_id', '=', only.eventId ?? ''))
      .$if(only.contacts !== undefined || only.lineId !== undefined, (query) =>
        query.where('event_id', 'in', (row) =>
          row
            .selectFrom('events')
            .select('events.id')
            .$if(only.contacts !== undefined, (some) => some.where('contact', 'in', only.contacts ?? []))
            .$if(only.lineId !== undefined, (some) => some.where('line_id', '=', only.lineId ?? 0))
            .where('events.id', '>=', after?.event_id ?? only.from ?? '')
            .$if(only.to !== undefined, (some) => some.where('events.id', '<', only.to ?? '')),
        ),
      )
      .$if(only.from !== undefined, (query) => query.where('event_id', '>=', only.from ?? ''))
      .$if(only.to !== undefined, (query) => query.where('event_id', '<', only.to ?? ''))
      .$if(only.endedFrom !== undefined, (query) => query.where('finished_at', '>=', only.endedFrom ?? ''))
      .$if(only.cause !== undefined, (query) =>
        query.where((row) =>
          row.exists(
            row
              .selectFrom('attempts')
              .select('attempts.number')
              .whereRef('attempts.destination_id', '=', 'deliveries.destination_id')
              .whereRef('attempts.event_id', '=', 'deliveries.event_id')
              .whereRef('attempts.number', '=', 'deliveries.attempts')
              .where('attempts.outcome', '=', only.cause ?? ''),
          ),
        ),
      )
      .$if(after !== null, (query) =>
        // Implied by the next condition, but without this one the index would be read from its start.
        query
          .where('event_id', '>=', after?.event_id ?? '')
          .where((row) =>
            row.or([
              row('event_id', '>', after?.event_id ?? ''),
              row.and([
                row('event_id', '=', after?.event_id ?? ''),
                row('destination_id', '>', after?.destination_id ?? 0),
              ]),
            ]),
          ),
      )
      .orderBy('event_id')
      .orderBy('destination_id')
      .limit(limit)
      .execute();
  },
});

/** Deliveries and their attempts. Group commit inserts and updates them (`commit/writes.ts`). */
export const deliveryTable = (db: Kysely<Schema>) => ({
  /** Makes deliveries that are due after `latest` due now. One index look-up per destination. */
  async bringForward(now: string, latest: string): Promise<void> {
    const late = await db
      .selectFrom('destinations')
      .select('id')
      .where((row) =>
        row.exists(
          row
            .selectFrom('deliveries')
            .select('event_id')
            .whereRef('destination_id', '=', 'destinations.id')
            .where('state', '=', PENDING)
            .where('due_at', '>', latest),
        ),
      )
      .execute();
    for (const { id } of late)
      await db
        .updateTable('deliveries')
        .set({ due_at: now })
        .where('destination_id', '=', id)
        .where('state', '=', PENDING)
        .where('due_at', '>', latest)
        .execute();
  },

  ofDestination: (destinationId: number): Promise<DeliveryRow[]> =>
    db
      .selectFrom('deliveries')
      .selectAll()
      .where('destination_id', '=', destinationId)
      .orderBy('event_id')
      .execute(),

  attemptsOf: (destinationId: number, eventId: string): Promise<AttemptRow[]> =>
    db
      .selectFrom('attempts')
      .selectAll()
      .where('destination_id', '=', destinationId)
      .where('event_id', '=', eventId)
      .orderBy('number')
      .execute(),

  /**
   * Makes deliveries of a destination that wait for a retry due at this time. Replayed ones that were not tried since
   * keep their schedule, to avoid a flood.
   */
  async makeDueBy(destinationId: number, dueAt: string): Promise<void> {
    await db
      .updateTable('deliveries')
      .set({ due_at: dueAt })
      .where('destination_id', '=', destinationId)
      .where('state', '=', PENDING)
      .where('due_at', '>', dueAt)
      .whereRef('attempts', '>', 'attempts_before')
      .execute();
  },

  async waitsFor(destinationId: number): Promise<boolean> {
    const one = await db
      .selectFrom('deliveries')
      .select('event_id')
      .where('destination_id', '=', destinationId)
      .where('state', '=', PENDING)
      .limit(1)
      .executeTakeFirst();
    return one !== undefined;
  },

  /** The number of pending deliveries of these destinations. */
  async waitingFor(destinationIds: number[]): Promise<number> {
    if (!destinationIds.length) return 0;
    const waiting = db.selectFrom('deliveries').select(COUNT).where('state', '=', PENDING);
    return countOf(waiting.where('destination_id', 'in', destinationIds));
  },

  /**
   * Makes ended deliveries pending again, each with its own ordering key and a new schedule. Those whose event has no
   * body any more are skipped. Pending ones become due at this time and keep their ordering key and schedule.
   * @returns the number of changed deliveries
   */
  async again(deliveries: DeliveryKey[], dueAt: string): Promise<number> {
    let count = 0;
    for (const [destinationId, eventIds] of byColumn(deliveries, 'destination_id', 'event_id')) {
      const { numUpdatedRows } = await inSerializableTransaction(db, (trx) =>
        trx
          .updateTable('deliveries')
          .set((row) => {
            const isOver = row.case().when('state', '<>', 'pending');
            return {
              state: 'pending',
              finished_at: null,
              due_at: dueAt,
              attempts_before: isOver.then(row.ref('attempts')).else(row.ref('attempts_before')).end(),
              lane: isOver.then(row.ref('event_id')).else(row.ref('lane')).end(),
            };
          })
          .where('destination_id', '=', destinationId)
          .where('event_id', 'in', eventIds)
          .where((row) =>
            row.or([
              row.and([
                row('state', 'in', ['delivered', 'dead']),
                // Resending an answer would answer the question twice.
                row('destination_id', 'not in', (of) =>
                  of.selectFrom('destinations').select('id').where('origin', '=', 'question'),
                ),
              ]),
              row.and([row('state', '=', 'pending'), row('due_at', '>', dueAt)]),
            ]),
          )
          .where('event_id', 'in', (row) =>
            row
              .selectFrom('events')
              .select('id')
              .where('body', '<>', '')
              .whereRef('events.id', '=', 'deliveries.event_id'),
          )
          .executeTakeFirst(),
      );
      count += Number(numUpdatedRows);
    }
    return count;
  },

  /** Cancels the delivery of an answer whose question no longer exists. */
  async cancel(destinationId: number, eventId: string, at: string): Promise<void> {
    await db
      .updateTable('deliveries')
      .set({ state: 'canceled', finished_at: at })
      .where('destination_id', '=', destinationId)
      .where('event_id', '=', eventId)
      .where('state', '=', PENDING)
      .execute();
  },

  /** Cancels the delivery of an event without a body. */
  async cancelEmpty(destinationId: number, eventId: string, at: string): Promise<void> {
    await db
      .updateTable('deliveries')
      .set({ state: 'canceled', finished_at: at })
      .where('destination_id', '=', destinationId)
      .where('event_id', '=', eventId)
      .where('state', '=', PENDING)
      .where((row) =>
        row.exists(
          row
            .selectFrom('events')
            .select('id')
            .whereRef('id', '=', 'deliveries.event_id')
            .where('body', '=', ''),
        ),
      )
      .execute();
  },

  /**
   * Cancels the pending deliveries of a removed destination in small batches: a million at once would delay every
   * other write for seconds. Does nothing if the destination is not removed.
   * @param ends called between batches; true stops early
   */
  async cancelOfRemoved(destinationId: number, at: string, ends: () => boolean = () => false): Promise<void> {
    const removed = await db
      .selectFrom('destinations')
      .select('id')
      .where('id', '=', destinationId)
      .where('removed_at', 'is not', null)
      .executeTakeFirst();
    if (!removed) return;
    for (let canceled = 1n; canceled > 0n && !ends();) {
      const { numUpdatedRows } = await db
        .updateTable('deliveries')
        .set({ state: 'canceled', finished_at: at })
        .where('destination_id', '=', destinationId)
        .where('state', '=', PENDING)
        .where('event_id', 'in', (row) =>
          row
            .selectFrom('deliveries as some')
            .select('some.event_id')
            .where('some.destination_id', '=', destinationId)
            .where('some.state', '=', PENDING)
            .limit(ROWS_A_STATEMENT),
        )
        .executeTakeFirst();
      canceled = numUpdatedRows;
    }
  },
});
