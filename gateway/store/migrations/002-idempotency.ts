import { type Kysely } from 'kysely';
import { type Migration } from 'kysely/migration';

/** The Idempotency-Keys of sends. */
export const idempotency: Migration = {
  async up(db: Kysely<unknown>) {
    await db.schema
      .createTable('idempotency_keys')
      .addColumn('line_id', 'integer', (column) => column.notNull())
      .addColumn('key', 'text', (column) => column.notNull())
      .addColumn('body_hash', 'text', (column) => column.notNull())
      .addColumn('started_at', 'text', (column) => column.notNull())
      .addColumn('answer', 'text')
      .addPrimaryKeyConstraint('idempotency_keys_key', ['line_id', 'key'])
      .execute();
    await db.schema
      .createIndex('idempotency_keys_started')
      .on('idempotency_keys')
      .column('started_at')
      .execute();
  },
};
