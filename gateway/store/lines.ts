import { type Insertable, type Kysely, type Selectable, type Updateable } from 'kysely';
import { changeRegistry } from './registry';
import { type LineTable, type Schema } from './schema';

export type LineRow = Selectable<LineTable>;

/** Lines, in the order in which they were added. */
export const lineTable = (db: Kysely<Schema>) => ({
  all: (): Promise<LineRow[]> => db.selectFrom('lines').selectAll().orderBy('id').execute(),

  /** Null where a line has that phone number id already. */
  insert: (line: Insertable<LineTable>): Promise<LineRow | null> =>
    changeRegistry(db, async (trx) => {
      const inserted = await trx
        .insertInto('lines')
        .values(line)
        .onConflict((conflict) => conflict.column('phone_number_id').doNothing())
        .returningAll()
        .executeTakeFirst();
      return inserted ?? null;
    }),

  update: (id: number, change: Updateable<LineTable>): Promise<void> =>
    changeRegistry(db, async (trx) => {
      await trx.updateTable('lines').set(change).where('id', '=', id).execute();
    }),

  /**
   * Starts a refresh unless one started after `since`: of all processes that ask at once, one is told true.
   * @param at, since ISO times
   */
  async startRefresh(id: number, of: 'status' | 'templates', at: string, since: string): Promise<boolean> {
    const column = `${of}_refresh_at` as const;
    const { numUpdatedRows } = await db
      .updateTable('lines')
      .set({ [column]: at })
      .where('id', '=', id)
      .where((row) => row.or([row(column, 'is', null), row(column, '<=', since)]))
      .executeTakeFirst();
    return numUpdatedRows > 0n;
  },

  /** When the last refresh began. */
  async refreshedAt(id: number, of: 'status' | 'templates'): Promise<string | null> {
    const row = await db
      .selectFrom('lines')
      .select([`${of}_refresh_at as at`])
      .where('id', '=', id)
      .executeTakeFirst();
    return row?.at ?? null;
  },
});
