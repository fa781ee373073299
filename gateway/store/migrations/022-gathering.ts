import { sql, type Kysely } from 'kysely';
import { type Migration } from 'kysely/migration';

/** Destinations that group messages until a contact pauses, and the waiting messages. */
export const gathering: Migration = {
  async up(db: Kysely<unknown>) {
    await db.schema.alterTable('destinations').addColumn('quiet_seconds', 'integer').execute();
    await db.schema
      .createTable('gathering')
      .addColumn('destination_id', 'integer', (column) => column.notNull())
      .addColumn('identity', 'text', (column) => column.notNull())
      .addColumn('event_id', 'text', (column) => column.notNull())
      .addColumn('contact', 'text', (column) => column.notNull())
      .addColumn('body', 'text', (column) => column.notNull())
      .addColumn('arrived_at', 'text', (column) => column.notNull())
      .addColumn('group_id', 'text')
      .addColumn('done_at', 'text')
      .addPrimaryKeyConstraint('gathering_key', ['destination_id', 'identity'])
      .execute();
    await sql`create index gathering_open on gathering (destination_id, contact, event_id)
      where done_at is null`.execute(db);
  },
};
