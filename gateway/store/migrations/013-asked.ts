import { type Kysely } from 'kysely';
import { type Migration } from 'kysely/migration';

/**
 * When a user last requested a refresh. Separate from the gateway's own refreshes, which must not make a user wait.
 */
export const asked: Migration = {
  async up(db: Kysely<unknown>) {
    for (const column of ['status_asked_at', 'templates_asked_at'])
      await db.schema.alterTable('lines').addColumn(column, 'text').execute();
  },
};
