import { type Kysely } from 'kysely';
import { type Migration } from 'kysely/migration';

/** Invitations, customers that require an authenticator app, and log-ins whose provider confirmed a second factor. */
export const people = (dialect: 'sqlite' | 'postgres'): Migration => ({
  async up(db: Kysely<unknown>) {
    await db.schema
      .createTable('invitations')
      .addColumn('id', 'integer', (column) =>
        dialect === 'sqlite'
          ? column.primaryKey().autoIncrement()
          : column.primaryKey().generatedAlwaysAsIdentity(),
      )
      .addColumn('hash', 'text', (column) => column.notNull().unique())
      .addColumn('email', 'text')
      .addColumn('name', 'text')
      .addColumn('role', 'text', (column) => column.notNull())
      .addColumn('customer_ids', 'text')
      .addColumn('invited_by', 'text', (column) => column.notNull())
      .addColumn('user_id', 'integer')
      .addColumn('admin_token_id', 'integer')
      .addColumn('created_at', 'text', (column) => column.notNull())
      .addColumn('expires_at', 'text', (column) => column.notNull())
      .execute();
    await db.schema
      .alterTable('customers')
      .addColumn('requires_app', 'integer', (column) => column.notNull().defaultTo(0))
      .execute();
    await db.schema
      .alterTable('sessions')
      .addColumn('has_second_factor', 'integer', (column) => column.notNull().defaultTo(0))
      .execute();
  },
});
