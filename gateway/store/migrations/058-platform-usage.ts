import { type Kysely } from 'kysely';
import { type Migration } from 'kysely/migration';

/** The platform's own counts of delivered messages, with which usage is compared. */
export const platformUsage: Migration = {
  async up(db: Kysely<unknown>) {
    let table = db.schema
      .createTable('platform_usage')
      .addColumn('line_id', 'integer', (column) => column.notNull());
    for (const column of ['day', 'category', 'type', 'country', 'read_at'])
      table = table.addColumn(column, 'text', (added) => added.notNull());
    await table
      .addColumn('delivered', 'integer', (column) => column.notNull())
      .addPrimaryKeyConstraint('platform_usage_key', [
        'line_id',
        'day',
        'category',
        'type',
        'country',
      ] as never[])
      .execute();
  },
};
