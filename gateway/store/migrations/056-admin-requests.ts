import { type Kysely } from 'kysely';
import { type Migration } from 'kysely/migration';

/** The Idempotency-Keys of admin tokens. */
export const adminRequests = (dialect: 'sqlite' | 'postgres'): Migration => ({
  async up(db: Kysely<unknown>) {
    await db.schema
      .createTable('admin_requests')
      .addColumn('id', 'integer', (column) =>
        dialect === 'sqlite'
          ? column.primaryKey().autoIncrement()
          : column.primaryKey().generatedAlwaysAsIdentity(),
      )
      .addColumn('token_id', 'integer', (column) => column.notNull())
      .addColumn('key', 'text', (column) => column.notNull())
      .addColumn('request_hash', 'text', (column) => column.notNull())
      .addColumn('started_at', 'text', (column) => column.notNull())
      .addColumn('answer_sealed', 'text')
      .addUniqueConstraint('admin_requests_key', ['token_id', 'key'])
      .execute();
    await db.schema.createIndex('admin_requests_started').on('admin_requests').column('started_at').execute();
  },
});
