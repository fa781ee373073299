import { type Kysely } from 'kysely';
import { type Migration } from 'kysely/migration';

/** Whether a customer's audit records who reads messages, and who read what in the current hour. */
export const looks: Migration = {
  async up(db: Kysely<unknown>) {
    await db.schema.alterTable('customers').addColumn('audit_looks', 'text').execute();
    await db.schema
      .createTable('looks')
      .addColumn('user_id', 'integer', (column) => column.notNull())
      .addColumn('subject', 'text', (column) => column.notNull())
      .addColumn('hour', 'text', (column) => column.notNull())
      .addPrimaryKeyConstraint('looks_key', ['user_id', 'subject', 'hour'])
      .execute();
  },
};
