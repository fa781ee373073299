import { sql, type Kysely } from 'kysely';
import { type Migration } from 'kysely/migration';

/**
 * Indexes for what waits, by destination, and for what processes hold: what a claim or a scan reads grows neither with
 * what has been delivered nor with what waits for others. Indexes for what is dead, and for the deliveries of one event.
 * How each destination fares, its own headers and the secret that it had before, and how many attempts were made for a
 * delivery before it was replayed.
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
    await db.schema
      .createIndex('deliveries_dead')
      .on('deliveries')
      .columns(['destination_id', 'event_id'])
      .where(sql.ref('state'), '=', sql.lit('dead'))
      .execute();
    await db.schema.createIndex('deliveries_event').on('deliveries').column('event_id').execute();
    await db.schema.dropIndex('deliveries_due').execute();
    await db.schema
      .alterTable('deliveries')
      .addColumn('attempts_before', 'integer', (column) => column.notNull().defaultTo(0))
      .execute();
    const added = [
      'failing_since',
      'last_failure',
      'headers_sealed',
      'previous_secret_sealed',
      'previous_secret_until',
    ];
    for (const column of added)
      await db.schema.alterTable('destinations').addColumn(column, 'text').execute();
  },
};
