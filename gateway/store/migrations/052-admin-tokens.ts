import { type Kysely } from 'kysely';
import { type Migration } from 'kysely/migration';

/** Admin tokens, and which of them registered a destination, a question or an alert webhook. */
export const adminTokens = (dialect: 'sqlite' | 'postgres'): Migration => ({
  async up(db: Kysely<unknown>) {
    await db.schema
      .createTable('admin_tokens')
      .addColumn('id', 'integer', (column) =>
        dialect === 'sqlite'
          ? column.primaryKey().autoIncrement()
          : column.primaryKey().generatedAlwaysAsIdentity(),
      )
      .addColumn('hash', 'text', (column) => column.notNull().unique())
      .addColumn('last_four', 'text', (column) => column.notNull())
      .addColumn('name', 'text', (column) => column.notNull())
      .addColumn('permissions', 'text', (column) => column.notNull())
      .addColumn('customer_ids', 'text')
      .addColumn('line_ids', 'text')
      .addColumn('created_at', 'text', (column) => column.notNull())
      .addColumn('created_by', 'text', (column) => column.notNull())
      .addColumn('expires_at', 'text', (column) => column.notNull())
      .addColumn('last_used_at', 'text')
      .addColumn('last_used_from', 'text')
      .addColumn('last_used_by', 'text')
      .addColumn('revoked_at', 'text')
      .execute();
    for (const table of ['destinations', 'questions', 'alert_channels'])
      await db.schema.alterTable(table).addColumn('admin_token_id', 'integer').execute();
  },
});
