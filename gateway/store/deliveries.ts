import { type Kysely, type Selectable } from 'kysely';
import { type AttemptTable, type DeliveryTable, type Schema } from './schema';

export type DeliveryRow = Selectable<DeliveryTable>;
export type AttemptRow = Selectable<AttemptTable>;
export type DeliveryKey = Pick<DeliveryRow, 'destination_id' | 'event_id'>;

/** Rows that one statement names: well below both databases' ceiling of parameters. */
const ROWS_A_STATEMENT = 500;

/** Deliveries and their attempts. Inserted, claimed and moved on by the hot statements (`writes.ts`). */
export const deliveryTable = (db: Kysely<Schema>) => ({
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

  /** What a process has claimed and that was due before this time. */
  claimedBy: (processId: string, dueBefore: string): Promise<DeliveryKey[]> =>
    db
      .selectFrom('deliveries')
      .select(['destination_id', 'event_id'])
      .where('state', '=', 'pending')
      .where('due_at', '<', dueBefore)
      .where('claimed_by', '=', processId)
      .execute(),

  /** Gives back what a process has claimed, so that it can be claimed again. */
  async release(deliveries: DeliveryKey[], processId: string): Promise<void> {
    for (const [destinationId, ofOne] of Map.groupBy(deliveries, (delivery) => delivery.destination_id)) {
      for (let from = 0; from < ofOne.length; from += ROWS_A_STATEMENT) {
        const eventIds = ofOne.slice(from, from + ROWS_A_STATEMENT).map((delivery) => delivery.event_id);
        await db
          .updateTable('deliveries')
          .set({ claimed_by: null })
          .where('destination_id', '=', destinationId)
          .where('event_id', 'in', eventIds)
          .where('state', '=', 'pending')
          .where('claimed_by', '=', processId)
          .execute();
      }
    }
  },

  /** Cancels what was recorded for a destination while it was being removed. */
  async cancelIfRemoved(destinationId: number, at: string): Promise<void> {
    await cancelPending(db, destinationId, at)
      .where((row) =>
        row.exists(
          row
            .selectFrom('destinations')
            .select('id')
            .where('id', '=', destinationId)
            .where('removed_at', 'is not', null),
        ),
      )
      .execute();
  },
});

/** Cancels what is still to be delivered to a destination, once executed. */
export const cancelPending = (db: Kysely<Schema>, destinationId: number, at: string) =>
  db
    .updateTable('deliveries')
    .set({ state: 'canceled', finished_at: at, claimed_by: null })
    .where('destination_id', '=', destinationId)
    .where('state', '=', 'pending');
