import { sql, type ExpressionBuilder, type Kysely, type Selectable } from 'kysely';
import { byColumn } from '../rows';
import { inSerializableTransaction } from '../commit/retry-on-conflict';
import { isPostgres } from '../is-postgres';
import { dropPartitions } from '../postgres/partitions';
import { type EventTable, type Schema } from '../schema';

export type EventRow = Selectable<EventTable>;

/** Whether an event has pending deliveries. */
const owed = (row: ExpressionBuilder<Schema, 'events'>) =>
  row.exists(
    row
      .selectFrom('deliveries')
      .select('event_id')
      .whereRef('event_id', '=', 'events.id')
      .where('state', '=', 'pending'),
  );

/** Events. Group commit inserts them with their deliveries (`commit/writes.ts`). */
export const eventTable = (db: Kysely<Schema>) => ({
  /** The greatest id; null if there are no events. */
  async newest(): Promise<string | null> {
    const row = await db.selectFrom('events').select('id').orderBy('id', 'desc').limit(1).executeTakeFirst();
    return row?.id ?? null;
  },

  /**
   * Empties a page of event bodies between two ids, and the receivers' responses, except for events with pending
   * deliveries.
   * @returns the last id of the page; null if there was none
   */
  async emptyBodies(after: string, before: string, limit: number): Promise<string | null> {
    const page = await db
      .selectFrom('events')
      .select('id')
      // A literal, so that the databases can use the partial index.
      .where('body', '<>', sql.lit(''))
      .where('id', '>', after)
      .where('id', '<', before)
      .orderBy('id')
      .limit(limit)
      .execute();
    const ids = page.map(({ id }) => id);
    if (ids.length) await emptyBodies(db, ids);
    return page.at(-1)?.id ?? null;
  },

  /**
   * Deletes events whose partition ends before an id, on PostgreSQL.
   * @param goesOn asked while it waits for other programs
   * @returns the id before which the others must be deleted by `remove`
   */
  dropBefore: (before: string, goesOn: () => boolean): Promise<string> =>
    isPostgres(db) ? dropPartitions(db, before, goesOn) : Promise.resolve(before),

  /**
   * Deletes a page of events between two ids with their deliveries and attempts, except events with pending deliveries.
   * @returns the last id of the page; null if there was none
   */
  async remove(after: string, before: string, limit: number): Promise<string | null> {
    const page = await db
      .selectFrom('events')
      .select((row) => ['id', owed(row).as('is_owed')])
      .where('id', '>', after)
      .where('id', '<', before)
      .orderBy('id')
      .limit(limit)
      .execute();
    const over = page.filter(({ is_owed: isOwed }) => !isOwed).map(({ id }) => id);
    const last = page.at(-1)?.id ?? null;
    if (!over.length) return last;
    await inSerializableTransaction(db, async (trx) => {
      // Some may have been replayed meanwhile.
      const still = await trx
        .selectFrom('events')
        .select('id')
        .where('id', 'in', over)
        .where((row) => row.not(owed(row)))
        .execute();
      const ids = still.map(({ id }) => id);
      if (!ids.length) return;
      const deliveries = await trx
        .deleteFrom('deliveries')
        .where('event_id', 'in', ids)
        .returning(['destination_id', 'event_id'])
        .execute();
      for (const [destinationId, eventIds] of byColumn(deliveries, 'destination_id', 'event_id')) {
        await trx
          .deleteFrom('attempts')
          .where('destination_id', '=', destinationId)
          .where('event_id', 'in', eventIds)
          .execute();
      }
      await trx.deleteFrom('events').where('id', 'in', ids).execute();
    });
    return last;
  },
});

/**
 * Empties the bodies of these events, and the receivers' responses, except for events with pending deliveries,
 * including recently replayed ones (`deliveries.again`).
 * @returns the number of emptied events
 */
export const emptyBodies = (db: Kysely<Schema>, eventIds: string[]): Promise<number> =>
  inSerializableTransaction(db, async (trx) => {
    const emptied = await trx
      .updateTable('events')
      .set({ body: '' })
      .where('id', 'in', eventIds)
      .where((row) => row.not(owed(row)))
      .returning('id')
      .execute();
    const ids = emptied.map(({ id }) => id);
    await emptyAnswers(trx, ids);
    return ids.length;
  });

/** Deletes the receivers' responses to these events, because a response may echo the event. */
export async function emptyAnswers(db: Kysely<Schema>, eventIds: string[]): Promise<void> {
  if (!eventIds.length) return;
  const deliveries = await db
    .selectFrom('deliveries')
    .select(['destination_id', 'event_id'])
    .where('event_id', 'in', eventIds)
    .execute();
  for (const [destinationId, eventIds] of byColumn(deliveries, 'destination_id', 'event_id'))
    await db
      .updateTable('attempts')
      .set({ answer: null })
      .where('destination_id', '=', destinationId)
      .where('event_id', 'in', eventIds)
      .where('answer', 'is not', null)
      .execute();
}
