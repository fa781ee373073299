import { type Kysely } from 'kysely';
import { type Migration } from 'kysely/migration';

/** What incidents, pauses and mutes say, as facts beside the English sentences; in which language a channel is written to. */
export const facts: Migration = {
  async up(db: Kysely<unknown>) {
    await db.schema.alterTable('alert_incidents').addColumn('facts', 'text').execute();
    await db.schema
      .alterTable('alert_channels')
      .addColumn('language', 'text', (column) => column.notNull().defaultTo('en'))
      .execute();
    await db.schema.alterTable('alert_mutes').addColumn('facts', 'text').execute();
    await db.schema.alterTable('destinations').addColumn('paused_fact', 'text').execute();
  },
};
