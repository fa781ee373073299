import { type Kysely } from 'kysely';
import { type Migration } from 'kysely/migration';

/** When wrong passwords and codes of a user last ceased to count, because an operator said so. */
export const unlocked: Migration = {
  async up(db: Kysely<unknown>) {
    await db.schema.alterTable('users').addColumn('unlocked_at', 'text').execute();
  },
};
