import { sql, type Kysely } from 'kysely';
import { type Migration } from 'kysely/migration';

/**
 * Indexes for lists: dead and failed deliveries, newest first; messages by time and by contact; and messages of a
 * contact. Successful deliveries, which are nearly all rows, add nothing to the indexes of failures.
 */
export const lists: Migration = {
  async up(db: Kysely<unknown>) {
    await db.schema
      .createIndex('deliveries_dead_newest')
      .on('deliveries')
      .columns(['event_id', 'destination_id'])
      .where(sql.ref('state'), '=', sql.lit('dead'))
      .execute();
    await db.schema
      .createIndex('attempts_failed')
      .on('attempts')
      .columns(['outcome', 'event_id', 'destination_id', 'number'])
      .where(sql.ref('outcome'), '<>', sql.lit('delivered'))
      .execute();
    await db.schema
      .createIndex('messages_accepted')
      .on('messages')
      .column('accepted_at')
      .where(sql.ref('accepted_at'), 'is not', sql.lit(null))
      .execute();
    await db.schema
      .createIndex('messages_contact')
      .on('messages')
      .columns(['contact', 'accepted_at'])
      .where(sql.ref('accepted_at'), 'is not', sql.lit(null))
      .execute();
    await db.schema
      .createIndex('messages_failed')
      .on('messages')
      .column('failed_at')
      .where(sql.ref('failed_at'), 'is not', sql.lit(null))
      .execute();
    await db.schema
      .createIndex('events_contact')
      .on('events')
      .columns(['contact', 'id'])
      .where(sql.ref('contact'), 'is not', sql.lit(null))
      .execute();
  },
};
