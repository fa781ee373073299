import { type Kysely } from 'kysely';
import { type Migration } from 'kysely/migration';

/** What the platform reports about a line for its checks, when it was read, and since when signatures are wrong. */
export const lineChecks: Migration = {
  async up(db: Kysely<unknown>) {
    for (const column of [
      'checks',
      'checks_refresh_at',
      'checks_asked_at',
      'checks_wanted_at',
      'signature_failed_at',
    ])
      await db.schema.alterTable('lines').addColumn(column, 'text').execute();
    await db.schema
      .alterTable('lines')
      .addColumn('checks_failures', 'integer', (column) => column.notNull().defaultTo(0))
      .execute();
  },
};
