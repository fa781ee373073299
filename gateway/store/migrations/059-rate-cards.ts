import { type Kysely } from 'kysely';
import { type Migration } from 'kysely/migration';

/** Rate cards, and the monthly budgets of customers with what the month has cost so far. */
export const rateCards = (dialect: 'sqlite' | 'postgres'): Migration => ({
  async up(db: Kysely<unknown>) {
    await db.schema
      .createTable('rate_cards')
      .addColumn('id', 'integer', (column) =>
        dialect === 'sqlite'
          ? column.primaryKey().autoIncrement()
          : column.primaryKey().generatedAlwaysAsIdentity(),
      )
      .addColumn('customer_id', 'integer')
      .addColumn('name', 'text', (column) => column.notNull())
      .addColumn('currency', 'text', (column) => column.notNull())
      .addColumn('effective_from', 'text', (column) => column.notNull())
      .addColumn('rates', 'text', (column) => column.notNull())
      .addColumn('imported_at', 'text', (column) => column.notNull())
      .execute();
    // The driver of PostgreSQL returns its larger integers as text; this type is exact up to 2^53.
    const micros = dialect === 'sqlite' ? 'integer' : 'double precision';
    for (const [column, type] of [
      ['budget_micros', micros],
      ['budget_currency', 'text'],
      ['budget_spent_micros', micros],
      ['budget_warned_at', 'text'],
      ['budget_reached_at', 'text'],
    ] as const)
      await db.schema.alterTable('customers').addColumn(column, type).execute();
    for (const column of ['budget_holds', 'budget_unpriced'])
      await db.schema
        .alterTable('customers')
        .addColumn(column, 'integer', (added) => added.notNull().defaultTo(0))
        .execute();
  },
});
