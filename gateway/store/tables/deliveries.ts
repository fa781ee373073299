import { sql, type Kysely, type Selectable } from 'kysely';
import { byColumn, COUNT, countOf } from '../rows';
import { inSerializableTransaction } from '../commit/retry-on-conflict';
import { type AttemptTable, type DeliveryState, type DeliveryTable, type Schema } from '../schema';
import { leastDue } from './queued';

export type DeliveryRow = Selectable<DeliveryTable>;
export type AttemptRow = Selectable<AttemptTable>;
export type DeliveryKey = Pick<DeliveryRow, 'destination_id' | 'event_id'>;

/** Written out, so that the databases see that the indexes of what is pending may be used. */
const PENDING = sql.lit<DeliveryState>('pending');

/** Rows that one statement names: well below both databases' ceiling of parameters. */
const ROWS_A_STATEMENT = 500;

/** Which deliveries are to be sent again: all that fulfil everything that is given. */
export interface DeliveryFilter {
  /** `pending` is for a single event: what waits for a later time. */
  states: ('pending' | 'delivered' | 'dead')[];
  destinationIds?: number[];
  eventId?: string;
  /** Names of one contact. */
  contacts?: string[];
  /** The line of which the event tells, whoever's destination it is. */
  lineId?: number;
  /** Event ids, or what `eventIdBefore` makes of a time: from this one on, and before this one. */
  from?: string;
  to?: string;
  /** What came of the last attempt, in a word. */
  cause?: string;
  /** Of what is over: ended at this time (ISO) or later. */
  endedFrom?: string;
}

/** What is looked for among all deliveries, however many there are. */
export const deliveriesInAll = (db: Kysely<Schema>) => ({
  /** How much is still to be delivered and what was given up, and how the destinations fare. */
  async overview() {
    // Each is counted in an index of its own, not among all that was ever delivered.
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
      /** Of these, what waits for destinations that are paused. */
      parked,
      /** Those of removed destinations cannot be sent again. */
      dead,
      /** Paused destinations left out; ISO time, or null. */
      oldestDueAt: due.sort()[0] ?? null,
      destinations: {
        paused: paused.length,
        failing: failing.length,
        active: destinations.length - paused.length - failing.length,
      },
    };
  },

  /** Some of those that are meant, by event id, from the one after `after` on. */
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
        // What follows says it too, but not so that an index is begun there.
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

/** Deliveries and their attempts. Inserted and moved on by the hot statements (`commit/writes.ts`). */
export const deliveryTable = (db: Kysely<Schema>) => ({
  /** Makes due now what is due later than that. A look into the index of each destination, however much waits. */
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
   * Makes what was tried for a destination, and waits there for a later attempt, due at this time. What is replayed
   * and not tried since keeps the pace of its replay: all of it at once would be a flood.
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

  /** Whether anything is still to be delivered there. */
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

  /** How many are still to be delivered to these destinations. */
  async waitingFor(destinationIds: number[]): Promise<number> {
    if (!destinationIds.length) return 0;
    const waiting = db.selectFrom('deliveries').select(COUNT).where('state', '=', PENDING);
    return countOf(waiting.where('destination_id', 'in', destinationIds));
  },

  /**
   * Makes those that are over wait again, each in a lane of its own, with a schedule of its own from the beginning.
   * One whose event's body is gone stays as it is. Those that wait for a later time wait for
   * this one, and go on in their lanes and schedules.
   * @returns how many of both
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
                // An answer that is resent would answer again.
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

  /** Cancels what waits to be delivered to a question that is gone. */
  async cancel(destinationId: number, eventId: string, at: string): Promise<void> {
    await db
      .updateTable('deliveries')
      .set({ state: 'canceled', finished_at: at })
      .where('destination_id', '=', destinationId)
      .where('event_id', '=', eventId)
      .where('state', '=', PENDING)
      .execute();
  },

  /** Cancels the delivery of an event whose body is gone. */
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
   * Cancels what is still to be delivered to a destination that has been removed; nothing where it has not. A few at a
   * time: a million at once would hold up every other write for seconds.
   * @param ends whether it ends before all is canceled
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
