import { type Kysely } from 'kysely';
import { type Migration } from 'kysely/migration';

/** Columns of lines and templates for scheduled refreshes and for the order of the platform's events. */
export const polling: Migration = {
  async up(db: Kysely<unknown>) {
    // One column per statement, because SQLite cannot add several at once.
    for (const refreshed of ['status', 'templates']) {
      await db.schema.alterTable('lines').addColumn(`${refreshed}_wanted_at`, 'text').execute();
      await db.schema
        .alterTable('lines')
        .addColumn(`${refreshed}_failures`, 'integer', (column) => column.notNull().defaultTo(0))
        .execute();
    }
    await db.schema.alterTable('lines').addColumn('templates_read_at', 'text').execute();
    for (const fact of ['status', 'quality', 'category', 'components'])
      await db.schema.alterTable('templates').addColumn(`${fact}_at`, 'text').execute();
  },
};
