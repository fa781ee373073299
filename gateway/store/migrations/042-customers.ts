import { type Kysely } from 'kysely';
import { type Migration } from 'kysely/migration';

/** Customers, the roles of users in them, and the customer of a line. Processes say which migrations they know. */
export const customers = (dialect: 'sqlite' | 'postgres'): Migration => ({
  async up(db: Kysely<unknown>) {
    await db.schema
      .createTable('customers')
      .addColumn('id', 'integer', (column) =>
        dialect === 'sqlite'
          ? column.primaryKey().autoIncrement()
          : column.primaryKey().generatedAlwaysAsIdentity(),
      )
      .addColumn('name', 'text', (column) => column.notNull())
      .addColumn('external_id', 'text', (column) => column.unique())
      .addColumn('suspended_at', 'text')
      .addColumn('created_at', 'text', (column) => column.notNull())
      .execute();
    await db.schema
      .createTable('memberships')
      .addColumn('user_id', 'integer', (column) => column.notNull())
      .addColumn('customer_id', 'integer', (column) => column.notNull())
      .addColumn('role', 'text', (column) => column.notNull())
      .addPrimaryKeyConstraint('memberships_key', ['user_id', 'customer_id'])
      .execute();
    await db.schema.createIndex('memberships_customer').on('memberships').column('customer_id').execute();
    await db.schema.alterTable('lines').addColumn('customer_id', 'integer').execute();
    await db.schema.alterTable('processes').addColumn('step', 'text').execute();
  },
});
