import { type Kysely } from 'kysely';
import { type Migration } from 'kysely/migration';

/** The customers that templates belong to. A template without a row belongs to all lines of its business account. */
export const templateOwners: Migration = {
  async up(db: Kysely<unknown>) {
    await db.schema
      .createTable('template_owners')
      .addColumn('waba_id', 'text', (column) => column.notNull())
      .addColumn('name', 'text', (column) => column.notNull())
      .addColumn('customer_id', 'integer')
      .addPrimaryKeyConstraint('template_owners_key', ['waba_id', 'name'])
      .execute();
  },
};
