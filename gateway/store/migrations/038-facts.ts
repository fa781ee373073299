import { type Kysely } from 'kysely';
import { type Migration } from 'kysely/migration';

/** The facts behind the English sentences of incidents, pauses and mutes, and the language of a channel. */
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
