import { type Kysely } from 'kysely';
import { type Migration } from 'kysely/migration';

/** Aliases: the platform's identity of a contact that customers address by another name. */
export const aliases: Migration = {
  async up(db: Kysely<unknown>) {
    await db.schema
      .createTable('aliases')
      .addColumn('line_id', 'integer', (column) => column.notNull())
      .addColumn('contact', 'text', (column) => column.notNull())
      .addColumn('identity', 'text', (column) => column.notNull())
      .addPrimaryKeyConstraint('aliases_key', ['line_id', 'contact', 'identity'])
      .execute();
  },
};
