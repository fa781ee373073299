import { type Kysely } from 'kysely';
import { type Migration } from 'kysely/migration';

/** When a destination that accepts nothing is tried next, and when somebody last asked for that to be at once. */
export const nextTry: Migration = {
  async up(db: Kysely<unknown>) {
    for (const column of ['next_try_at', 'try_now_at'])
      await db.schema.alterTable('destinations').addColumn(column, 'text').execute();
  },
};
