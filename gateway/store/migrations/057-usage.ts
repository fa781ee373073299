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
    for (const [table, period] of [
      ['usage_days', 'day'],
      ['usage_months', 'month'],
    ] as const) {
      const words = ['clock', period, 'direction', 'kind', 'template', 'category', 'type', 'country'];
      const counts = ['sent', 'delivered', 'read', 'failed', 'received', 'charged'];
      let created = db.schema
        .createTable(table)
        .addColumn('line_id', 'integer', (column) => column.notNull());
      for (const word of words) created = created.addColumn(word, 'text', (column) => column.notNull());
      for (const count of counts) created = created.addColumn(count, 'integer', (column) => column.notNull());
      created = created.addPrimaryKeyConstraint(`${table}_key`, ['line_id', ...words] as never[]);
      // The rows of a line and clock stand together, so that a report reads them in one range.
      await (dialect === 'sqlite' ? created.modifyEnd(sql`without rowid`) : created).execute();
    }
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
