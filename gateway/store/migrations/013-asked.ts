import { type Kysely } from 'kysely';
import { type Migration } from 'kysely/migration';

/** When a person last asked for a refresh: apart from what the gateway asks by itself, which keeps nobody waiting. */
export const asked: Migration = {
  async up(db: Kysely<unknown>) {
    for (const column of ['status_asked_at', 'templates_asked_at'])
      await db.schema.alterTable('lines').addColumn(column, 'text').execute();
  },
};
