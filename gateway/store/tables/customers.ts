import { sql, type Insertable, type Kysely, type Selectable, type Updateable } from 'kysely';
import { isFaultOfData } from '../fault-of-data';
import { anyDeleted, COUNT, firstOf } from '../rows';
import { changeRegistry } from '../processes/registry';
import { type CustomerTable, type Schema } from '../schema';
import { wholeTable } from '../within-reach';

export type CustomerRow = Selectable<CustomerTable>;

/** What is known of a customer's budget. */
export type NotedBudget = Pick<
  CustomerRow,
  'budget_spent_micros' | 'budget_unpriced' | 'budget_warned_at' | 'budget_reached_at'
>;

/** PostgreSQL refuses to compare a greater one with an id. */
const GREATEST_ID = 2 ** 31 - 1;

/** Customers, in the order of their names. */
export const customerTable = (db: Kysely<Schema>) => ({
  all: (): Promise<CustomerRow[]> =>
    db
      .selectFrom('customers')
      .selectAll()
      .orderBy(sql`lower(name)`)
      .orderBy('id')
      .execute(),

  find: (id: number): Promise<CustomerRow | null> =>
    firstOf(db.selectFrom('customers').selectAll().where('id', '=', id)),

  /** The names of customers, also if the reader does not see them yet: those of an invitation. */
  invitedTo: async (ids: readonly number[]): Promise<string[]> =>
    ids.length
      ? (await wholeTable(db, 'customers').select('name').where('id', 'in', ids).execute()).map(
          ({ name }) => name,
        )
      : [],

  /**
   * Keeps customers from being changed or removed until the transaction ends.
   * @returns those that exist
   */
  lock: async (ids: readonly number[]): Promise<CustomerRow[]> => {
    const possible = ids.filter((id) => id <= GREATEST_ID);
    return possible.length
      ? await db
          .updateTable('customers')
          .set((row) => ({ name: row.ref('name') }))
          .where('id', 'in', possible)
          .returningAll()
          .execute()
      : [];
  },

  /** @returns null if another customer has its external id */
  insert: (customer: Insertable<CustomerTable>): Promise<CustomerRow | null> =>
    firstOf(
      db
        .insertInto('customers')
        .values(customer)
        .onConflict((conflict) => conflict.column('external_id').doNothing())
        .returningAll(),
    ),

  /**
   * Makes every process read its lines again, because they know whether their customer is suspended.
   * @returns false if another customer has the external id. The transaction can then only be rolled back
   */
  async update(id: number, change: Updateable<CustomerTable>): Promise<boolean> {
    try {
      await changeRegistry(db, null, async (trx) => {
        await trx.updateTable('customers').set(change).where('id', '=', id).execute();
      });
      return true;
    } catch (error) {
      if (isFaultOfData(error)) return false;
      throw error;
    }
  },

  /**
   * Stores what the month has cost, and since when a budget is used up, unless the budget was changed meanwhile.
   * Processes read their lines again only if marketing templates are held, or no longer.
   * @param row as it was read
   */
  async noteBudget({ id, ...row }: CustomerRow, change: NotedBudget): Promise<void> {
    const note = (trx: Kysely<Schema>) =>
      trx
        .updateTable('customers')
        .set(change)
        .where('id', '=', id)
        .where('budget_micros', '=', row.budget_micros)
        .execute();
    if (Object.entries(change).every(([column, value]) => row[column as keyof NotedBudget] === value)) return;
    const isSame = (row.budget_reached_at === null) === (change.budget_reached_at === null);
    await (isSame ? note(db) : changeRegistry(db, null, note));
  },

  /** The numbers of lines and of users, by customer. Customers without any are left out. */
  async counts(): Promise<Map<number, { lines: number; users: number }>> {
    const [lines, users] = await Promise.all([
      db
        .selectFrom('lines')
        .select(['customer_id', COUNT])
        .where('removed_at', 'is', null)
        .groupBy('customer_id')
        .execute(),
      db
        .selectFrom('memberships')
        .select(['customer_id', COUNT])
        .where('customer_id', 'in', db.selectFrom('customers').select('id'))
        .groupBy('customer_id')
        .execute(),
    ]);
    const counts = new Map<number, { lines: number; users: number }>();
    const of = (id: number) => counts.get(id) ?? { lines: 0, users: 0 };
    for (const { customer_id: id, count } of lines)
      if (id !== null) counts.set(id, { ...of(id), lines: Number(count) });
    for (const { customer_id: id, count } of users) counts.set(id, { ...of(id), users: Number(count) });
    return counts;
  },

  remove: (id: number): Promise<boolean> => anyDeleted(db.deleteFrom('customers').where('id', '=', id)),
});
