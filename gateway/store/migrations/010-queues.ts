import { sql, type Kysely } from 'kysely';
import { type Migration } from 'kysely/migration';

/**
 * One index for what waits, by destination, and one for what processes hold: what a claim or a scan reads does not grow
 * with what has been delivered, nor with what waits for others. And how each destination fares.
 */
export const queues: Migration = {
  async up(db: Kysely<unknown>) {
    const pending = [sql.ref('state'), '=', sql.lit('pending')] as const;
    await db.schema
      .createIndex('deliveries_waiting')
      .on('deliveries')
      .columns(['destination_id', 'due_at', 'event_id'])
      .where(...pending)
      .where(sql.ref('claimed_by'), 'is', sql.lit(null))
      .execute();
    await db.schema
      .createIndex('deliveries_claimed')
      .on('deliveries')
      .columns(['claimed_by', 'due_at'])
      .where(...pending)
      .where(sql.ref('claimed_by'), 'is not', sql.lit(null))
      .execute();
    await db.schema.dropIndex('deliveries_due').execute();
    await db.schema.alterTable('destinations').addColumn('failing_since', 'text').execute();
    await db.schema.alterTable('destinations').addColumn('last_failure', 'text').execute();
  },
};
