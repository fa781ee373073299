import { type Kysely } from 'kysely';
import { type Migration } from 'kysely/migration';

/** When a destination's URL last changed. */
export const addressChanged: Migration = {
  async up(db: Kysely<unknown>) {
    await db.schema.alterTable('destinations').addColumn('url_changed_at', 'text').execute();
  },
};
