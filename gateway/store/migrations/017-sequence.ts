import { sql, type Kysely } from 'kysely';
import { type Migration } from 'kysely/migration';

/**
 * Makes the lease on a destination the only right to send to it, so that deliveries are no longer claimed. Deliveries
 * are read by the sequence in which they were recorded, by contact, or by due time, each with an index of pending
 * deliveries only. A new table notifies a destination's owner of deliveries recorded by other processes.
 *
 * On PostgreSQL, `buildIndexes` builds the indexes; `031-no-claims` drops `claimed_by`.
 */
export const sequence = (dialect: 'sqlite' | 'postgres'): Migration => ({
  async up(db: Kysely<unknown>) {
    const isPostgres = dialect === 'postgres';
    const sequenceType = isPostgres ? 'bigint' : 'integer';
    await db.schema.alterTable('deliveries').addColumn('sequence', sequenceType).execute();
    // Until this migration, pending deliveries were in the order of event ids.
    await sql`update deliveries set sequence = waiting.place
      from (
        select destination_id, event_id, row_number() over (order by event_id, destination_id) as place
        from deliveries where state = 'pending'
      ) as waiting
      where deliveries.destination_id = waiting.destination_id and deliveries.event_id = waiting.event_id`.execute(
      db,
    );
    if (isPostgres) {
      await sql`create sequence delivery_sequence owned by deliveries.sequence`.execute(db);
      await sql`select setval('delivery_sequence', coalesce(max(sequence), 0) + 1) from deliveries
        where state = 'pending'`.execute(db);
      await sql`alter table deliveries alter column sequence set default nextval('delivery_sequence')`.execute(
        db,
      );
    }

    await db.schema
      .createTable('arrivals')
      .addColumn('destination_id', 'integer', (column) => column.notNull())
      .addColumn('sequence', sequenceType, (column) => column.notNull())
      .execute();
    await db.schema.createIndex('arrivals_destination').on('arrivals').column('destination_id').execute();
    await db.schema.alterTable('processes').addColumn('name', 'text').execute();

    await db.schema.dropIndex('deliveries_waiting_first').execute();
    if (!isPostgres) {
      await db.schema.dropIndex('deliveries_waiting').execute();
      await db.schema.dropIndex('deliveries_claimed').execute();
    }
    if (isPostgres) return;
    for (const index of QUEUE_INDEXES) await sql.raw(`create index ${index}`).execute(db);
  },
});

const PENDING = "state = 'pending'";

/** Each contains only pending deliveries. */
export const QUEUE_INDEXES = [
  `deliveries_pending on deliveries (destination_id, due_at, event_id) where ${PENDING}`,
  `deliveries_untried on deliveries (destination_id, sequence) where ${PENDING} and attempts = 0`,
  `deliveries_of_contact on deliveries (destination_id, lane, sequence) where ${PENDING} and attempts = 0`,
  `deliveries_holding on deliveries (destination_id, due_at) where ${PENDING} and attempts in (1, 2) and attempts_before = 0`,
  `deliveries_later on deliveries (destination_id, due_at) where ${PENDING} and attempts > 2 and attempts_before = 0`,
  `deliveries_replayed on deliveries (destination_id, due_at) where ${PENDING} and attempts_before > 0`,
];
