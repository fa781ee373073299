import { type Kysely } from 'kysely';
import { type Migration } from 'kysely/migration';

/** The audit of each customer. */
export const customerAudit: Migration = {
  async up(db: Kysely<unknown>) {
    await db.schema
      .createTable('customer_audit')
      .addColumn('customer_id', 'integer', (column) => column.notNull())
      .addColumn('number', 'integer', (column) => column.notNull())
      .addColumn('audit_number', 'integer', (column) => column.notNull())
      .addColumn('details', 'text')
      .addColumn('before', 'text', (column) => column.notNull())
      .addColumn('hash', 'text', (column) => column.notNull())
      .addPrimaryKeyConstraint('customer_audit_key', ['customer_id', 'number'])
      .execute();
    await db.schema
      .createIndex('customer_audit_number')
      .on('customer_audit')
      .column('audit_number')
      .execute();
    await db.schema.alterTable('customers').addColumn('audit_sealed', 'text').execute();
  },
};
