import { sql, type Kysely } from 'kysely';
import { type Migration } from 'kysely/migration';

/** An index of pending deliveries that are not replayed, which are sent first even during a large replay. */
export const replayed: Migration = {
  async up(db: Kysely<unknown>) {
    await db.schema
      .createIndex('deliveries_waiting_first')
      .on('deliveries')
      .columns(['destination_id', 'due_at', 'event_id'])
      .where(sql.ref('state'), '=', sql.lit('pending'))
      .where(sql.ref('claimed_by'), 'is', sql.lit(null))
      .where(sql.ref('attempts_before'), '=', sql.lit(0))
      .execute();
  },
};
