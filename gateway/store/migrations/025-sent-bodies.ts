import { type Kysely } from 'kysely';
import { type Migration } from 'kysely/migration';

/**
 * The bodies of sent messages, for lines that store them. Separate from the messages, so that other lines write no
 * more than before.
 */
export const sentBodies: Migration = {
  async up(db: Kysely<unknown>) {
    await db.schema.alterTable('lines').addColumn('sent_kept_at', 'text').execute();
    await db.schema
      .createTable('sent_bodies')
      .addColumn('line_id', 'integer', (column) => column.notNull())
      .addColumn('wamid', 'text', (column) => column.notNull())
      .addColumn('body', 'text', (column) => column.notNull())
      .addColumn('accepted_at', 'text', (column) => column.notNull())
      .addPrimaryKeyConstraint('sent_bodies_key', ['line_id', 'wamid'])
      .execute();
    await db.schema.createIndex('sent_bodies_accepted').on('sent_bodies').column('accepted_at').execute();
  },
};
