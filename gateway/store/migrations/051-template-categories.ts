import { sql, type Kysely } from 'kysely';
import { type Migration } from 'kysely/migration';

/** The category that a template had before the platform changed it, and when. */
export const templateCategories: Migration = {
  async up(db: Kysely<unknown>) {
    for (const column of ['category_before', 'category_changed_at'])
      await db.schema.alterTable('templates').addColumn(column, 'text').execute();
    await sql`create index templates_recategorised on templates (category_changed_at)
      where category_changed_at is not null`.execute(db);
  },
};
