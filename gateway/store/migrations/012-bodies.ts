import { sql, type Kysely } from 'kysely';
import { type Migration } from 'kysely/migration';

/** An index of events that still have a body, so that old ones are found without reading emptied events. */
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
