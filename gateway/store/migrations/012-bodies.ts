import { sql, type Kysely } from 'kysely';
import { type Migration } from 'kysely/migration';

/** An index for the events whose bodies are still kept: what is old among them is found without those that are emptied. */
export const bodies: Migration = {
  async up(db: Kysely<unknown>) {
    await db.schema
      .createIndex('events_with_body')
      .on('events')
      .column('id')
      .where(sql.ref('body'), '<>', sql.lit(''))
      .execute();
  },
};
