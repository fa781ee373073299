import { type Kysely } from 'kysely';
import { type Migration } from 'kysely/migration';

/** When a failing destination is tried next, and when a user last requested an immediate try. */
export const nextTry: Migration = {
  async up(db: Kysely<unknown>) {
    for (const column of ['next_try_at', 'try_now_at'])
      await db.schema.alterTable('destinations').addColumn(column, 'text').execute();
  },
};
