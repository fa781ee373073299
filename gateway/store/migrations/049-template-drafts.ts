import { type Kysely } from 'kysely';
import { type Migration } from 'kysely/migration';

/** Drafts of templates, their sample files, and the last submission to each business account in each language. */
export const templateDrafts = (dialect: 'sqlite' | 'postgres'): Migration => ({
  async up(db: Kysely<unknown>) {
    await db.schema
      .createTable('template_drafts')
      .addColumn('id', 'integer', (column) =>
        dialect === 'sqlite'
          ? column.primaryKey().autoIncrement()
          : column.primaryKey().generatedAlwaysAsIdentity(),
      )
      .addColumn('customer_id', 'integer')
      .addColumn('name', 'text', (column) => column.notNull())
      .addColumn('category', 'text', (column) => column.notNull())
      .addColumn('content', 'text', (column) => column.notNull())
      .addColumn('revision', 'integer', (column) => column.notNull())
      .addColumn('created_at', 'text', (column) => column.notNull())
      .addColumn('updated_at', 'text', (column) => column.notNull())
      .addColumn('updated_by', 'text', (column) => column.notNull())
      .execute();
    await db.schema
      .createIndex('template_drafts_customer')
      .on('template_drafts')
      .columns(['customer_id', 'name'])
      .execute();
    await db.schema
      .createTable('template_draft_files')
      .addColumn('draft_id', 'integer', (column) => column.notNull())
      .addColumn('hash', 'text', (column) => column.notNull())
      .addColumn('name', 'text', (column) => column.notNull())
      .addColumn('type', 'text', (column) => column.notNull())
      .addColumn('bytes', dialect === 'sqlite' ? 'blob' : 'bytea', (column) => column.notNull())
      .addColumn('added_at', 'text', (column) => column.notNull())
      .addPrimaryKeyConstraint('template_draft_files_key', ['draft_id', 'hash'])
      .execute();
    await db.schema
      .createTable('template_submissions')
      .addColumn('draft_id', 'integer', (column) => column.notNull())
      .addColumn('waba_id', 'text', (column) => column.notNull())
      .addColumn('language', 'text', (column) => column.notNull())
      .addColumn('at', 'text', (column) => column.notNull())
      .addColumn('failure', 'text')
      .addPrimaryKeyConstraint('template_submissions_key', ['draft_id', 'waba_id', 'language'])
      .execute();
  },
});
