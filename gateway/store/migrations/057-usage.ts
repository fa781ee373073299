import { sql, type Kysely } from 'kysely';
import { type Migration } from 'kysely/migration';

/**
 * Usage: what statuses tell about the pricing of a message, the days of each line, and which of them must be rebuilt.
 * Adds only columns without values and empty tables, so that nothing is rewritten.
 */
export const usage = (dialect: 'sqlite' | 'postgres'): Migration => ({
  async up(db: Kysely<unknown>) {
    await db.schema.alterTable('messages').addColumn('pricing', 'text').execute();
    for (const table of ['messages', 'events'])
      await db.schema.alterTable(table).addColumn('country', 'text').execute();
    await db.schema.alterTable('lines').addColumn('time_zone', 'text').execute();
    for (const column of ['usage_settled', 'usage_frozen_before'])
      await db.schema.alterTable('registry').addColumn(column, 'text').execute();
    const key = ['line_id', 'clock', 'day', 'direction', 'kind', 'template', 'category', 'type', 'country'];
    const counts = ['sent', 'delivered', 'read', 'failed', 'received', 'charged'];
    const [lineId, ...words] = key as [string, ...string[]];
    let days = db.schema.createTable('usage_days').addColumn(lineId, 'integer', (column) => column.notNull());
    for (const word of words) days = days.addColumn(word, 'text', (column) => column.notNull());
    for (const count of counts) days = days.addColumn(count, 'integer', (column) => column.notNull());
    days = days.addPrimaryKeyConstraint('usage_days_key', key as never[]);
    // The rows of a line and clock stand together, so that a report reads them in one range.
    await (dialect === 'sqlite' ? days.modifyEnd(sql`without rowid`) : days).execute();
    await db.schema
      .createTable('usage_marks')
      .addColumn('id', dialect === 'sqlite' ? 'integer' : 'bigint', (column) =>
        dialect === 'sqlite'
          ? column.primaryKey().autoIncrement()
          : column.primaryKey().generatedAlwaysAsIdentity(),
      )
      .addColumn('line_id', 'integer', (column) => column.notNull())
      .addColumn('day', 'text', (column) => column.notNull())
      .execute();
    await db.schema.createIndex('usage_marks_day').on('usage_marks').columns(['line_id', 'day']).execute();
  },
});
