import { type Kysely, type Selectable } from 'kysely';
import { type AttemptTable, type DeliveryTable, type Schema } from './schema';

export type DeliveryRow = Selectable<DeliveryTable>;
export type AttemptRow = Selectable<AttemptTable>;

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

  /** Gives back what this process holds for a destination, so that it can be claimed again later. */
  async release(destinationId: number, processId: string): Promise<void> {
    await db
      .updateTable('deliveries')
      .set({ claimed_by: null })
      .where('destination_id', '=', destinationId)
      .where('state', '=', 'pending')
      .where('claimed_by', '=', processId)
      .execute();
  },
});
