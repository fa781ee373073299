import { type Kysely } from 'kysely';
import { type Migration } from 'kysely/migration';

/** When an operator last reset the count of a user's wrong passwords and codes. */
export const unlocked: Migration = {
  async up(db: Kysely<unknown>) {
    await db.schema.alterTable('users').addColumn('unlocked_at', 'text').execute();
  },
};
