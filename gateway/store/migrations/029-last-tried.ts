import { type Kysely } from 'kysely';
import { type Migration } from 'kysely/migration';

/** When a failing destination was last tried. */
export const lastTried: Migration = {
  async up(db: Kysely<unknown>) {
    await db.schema.alterTable('destinations').addColumn('last_tried_at', 'text').execute();
  },
};
