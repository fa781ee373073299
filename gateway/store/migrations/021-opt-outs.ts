import { type Kysely } from 'kysely';
import { type Migration } from 'kysely/migration';

/** Contacts who opted out of a line's messages, and the words for opting out and in. */
export const optOuts: Migration = {
  async up(db: Kysely<unknown>) {
    await db.schema.alterTable('lines').addColumn('opt_out_words', 'text').execute();
    await db.schema
      .createTable('opt_outs')
      .addColumn('line_id', 'integer', (column) => column.notNull())
      .addColumn('contact', 'text', (column) => column.notNull())
      .addColumn('state', 'text', (column) => column.notNull())
      .addColumn('at', 'text', (column) => column.notNull())
      .addColumn('word', 'text')
      .addPrimaryKeyConstraint('opt_outs_key', ['line_id', 'contact'])
      .execute();
  },
};
