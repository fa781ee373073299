import { type Insertable, type Kysely, type Selectable } from 'kysely';
import { anyDeleted, firstOf } from '../rows';
import { type RateCardTable, type Schema } from '../schema';

export type RateCardRow = Selectable<RateCardTable>;

/** A rate card without its rates. */
export type RateCardHead = Omit<RateCardRow, 'rates'>;

/** Rate cards. A card never changes after its import. */
export const rateCardTable = (db: Kysely<Schema>) => ({
  /** The latest first; of the same day, the one imported last. */
  all: (): Promise<RateCardHead[]> =>
    db
      .selectFrom('rate_cards')
      .select(['id', 'customer_id', 'name', 'currency', 'effective_from', 'imported_at'])
      .orderBy('effective_from', 'desc')
      .orderBy('id', 'desc')
      .execute(),

  some: async (ids: readonly number[]): Promise<RateCardRow[]> =>
    ids.length ? await db.selectFrom('rate_cards').selectAll().where('id', 'in', ids).execute() : [],

  find: (id: number): Promise<RateCardRow | null> =>
    firstOf(db.selectFrom('rate_cards').selectAll().where('id', '=', id)),

  insert: (card: Insertable<RateCardTable>): Promise<RateCardRow> =>
    db.insertInto('rate_cards').values(card).returningAll().executeTakeFirstOrThrow(),

  remove: (id: number): Promise<boolean> => anyDeleted(db.deleteFrom('rate_cards').where('id', '=', id)),

  async removeOf(customerId: number): Promise<void> {
    await db.deleteFrom('rate_cards').where('customer_id', '=', customerId).execute();
  },
});
