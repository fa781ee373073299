import { sql, type Kysely } from 'kysely';
import { type Migration } from 'kysely/migration';

/**
 * Indexes of pending deliveries by destination and by process, so that the cost of a claim or a scan is independent
 * of delivered ones and of other destinations. Indexes of dead deliveries, and of the deliveries of one event.
 * Columns for a destination's health, custom headers and previous secret, and for a delivery's attempts before its
 * replay.
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
