import { type Kysely, type Selectable } from 'kysely';
import { anyUpdated, COUNT, countDeleted, countOf } from '../rows';
import { type OptOutTable, type Schema } from '../schema';

export type OptOutRow = Selectable<OptOutTable>;

/**
 * Contacts who opted out of a line's messages. After an opt-in the row remains for a while, because the platform may
 * repeat an older message.
 * @param looks the connections for long lists
 */
export const optOutTable = (db: Kysely<Schema>, looks = db) => ({
  async hasAny(lineId: number): Promise<boolean> {
    const row = await db
      .selectFrom('opt_outs')
      .select('contact')
      .where('line_id', '=', lineId)
      .where('state', '=', 'out')
      .limit(1)
      .executeTakeFirst();
    return row !== undefined;
  },

  /**
   * The rows of a contact, including ended ones.
   * @param names all names of the contact
   */
  of: (lineId: number, names: string[]): Promise<OptOutRow[]> =>
    db
      .selectFrom('opt_outs')
      .selectAll()
      .where('line_id', '=', lineId)
      .where('contact', 'in', names)
      .execute(),

  /**
   * Stores an opt-out. A later entry remains.
   * @returns whether the opt-out is new
   */
  async add(row: Pick<OptOutRow, 'line_id' | 'contact' | 'at' | 'word'>): Promise<boolean> {
    const { at, word } = row;
    const { numInsertedOrUpdatedRows } = await db
      .insertInto('opt_outs')
      .values({ ...row, state: 'out' })
      .onConflict((conflict) =>
        conflict
          .columns(['line_id', 'contact'])
          .doUpdateSet({ state: 'out', at, word })
          .where('opt_outs.at', '<=', at)
          .where('opt_outs.state', '=', 'back'),
      )
      .executeTakeFirstOrThrow();
    return (numInsertedOrUpdatedRows ?? 0n) > 0n;
  },

  /**
   * Stores that a contact opted in again. @param names all names of the contact @returns whether the contact was on
   * the list
   */
  takeOff: (
    { line_id, at, word }: Pick<OptOutRow, 'line_id' | 'at' | 'word'>,
    names: string[],
  ): Promise<boolean> =>
    anyUpdated(
      db
        .updateTable('opt_outs')
        .set({ state: 'back', at, word })
        .where('line_id', '=', line_id)
        .where('state', '=', 'out')
        .where('at', '<=', at)
        .where('contact', 'in', names),
    ),

  /** Contacts on the list, by name, starting after `after`. */
  page: (lineId: number, after: string, limit: number): Promise<OptOutRow[]> =>
    looks
      .selectFrom('opt_outs')
      .selectAll()
      .where('line_id', '=', lineId)
      .where('state', '=', 'out')
      .where('contact', '>', after)
      .orderBy('contact')
      .limit(limit)
      .execute(),

  countOf: (lineId: number): Promise<number> =>
    countOf(db.selectFrom('opt_outs').select(COUNT).where('line_id', '=', lineId).where('state', '=', 'out')),

  /**
   * Removes some rows that ended before this time.
   * @returns the number removed
   */
  removeBackBefore: (at: string): Promise<number> =>
    countDeleted(db.deleteFrom('opt_outs').where('state', '=', 'back').where('at', '<', at)),
});
