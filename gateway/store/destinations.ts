import { type Insertable, type Kysely, type Selectable, type Updateable } from 'kysely';
import { changeRegistry } from './registry';
import { type DestinationTable, type Schema } from './schema';

export type DestinationRow = Selectable<DestinationTable>;

/** Where the lines' events go. A removed destination keeps its row, so that what was delivered can still be told. */
export const destinationTable = (db: Kysely<Schema>) => ({
  /** Neither removed nor expired at this time. */
  active: (now: string): Promise<DestinationRow[]> =>
    db
      .selectFrom('destinations')
      .selectAll()
      .where('removed_at', 'is', null)
      .where((row) => row.or([row('expires_at', 'is', null), row('expires_at', '>', now)]))
      .orderBy('id')
      .execute(),

  /** Expired at this time, and not removed yet. */
  expired: (now: string): Promise<{ id: number }[]> =>
    db
      .selectFrom('destinations')
      .select('id')
      .where('removed_at', 'is', null)
      .where('expires_at', '<=', now)
      .execute(),

  /** All, those that were removed included. */
  all: (): Promise<DestinationRow[]> => db.selectFrom('destinations').selectAll().orderBy('id').execute(),

  /** Of one line, those that were removed left out. */
  async countOf(lineId: number): Promise<number> {
    const { count } = await db
      .selectFrom('destinations')
      .select((row) => row.fn.countAll<number | string>().as('count'))
      .where('line_id', '=', lineId)
      .where('removed_at', 'is', null)
      .executeTakeFirstOrThrow();
    return Number(count);
  },

  async find(id: number): Promise<DestinationRow | null> {
    const row = await db.selectFrom('destinations').selectAll().where('id', '=', id).executeTakeFirst();
    return row ?? null;
  },

  insert: (destination: Insertable<DestinationTable>): Promise<DestinationRow> =>
    changeRegistry(db, (trx) =>
      trx.insertInto('destinations').values(destination).returningAll().executeTakeFirstOrThrow(),
    ),

  update: (id: number, change: Updateable<DestinationTable>): Promise<void> =>
    changeRegistry(db, async (trx) => {
      await trx.updateTable('destinations').set(change).where('id', '=', id).execute();
    }),

  /** Changes it by what it is. Whoever changes it at the same moment waits until this is done. */
  updateBy: (id: number, changeOf: (row: DestinationRow) => Updateable<DestinationTable>): Promise<void> =>
    changeRegistry(db, async (trx) => {
      const row = await trx
        .updateTable('destinations')
        .set((held) => ({ url: held.ref('url') }))
        .where('id', '=', id)
        .returningAll()
        .executeTakeFirst();
      if (row) await trx.updateTable('destinations').set(changeOf(row)).where('id', '=', id).execute();
    }),

  /** How these fare, as it is noted at this moment. */
  async healthOf(ids: number[]): Promise<Pick<DestinationRow, 'id' | 'failing_since' | 'last_failure'>[]> {
    if (!ids.length) return [];
    return await db
      .selectFrom('destinations')
      .select(['id', 'failing_since', 'last_failure'])
      .where('id', 'in', ids)
      .execute();
  },

  /** Keeps how it fares: nothing that other processes have to read again. */
  async note(
    id: number,
    health: Pick<DestinationRow, 'failing_since' | 'last_failure' | 'next_try_at'>,
  ): Promise<void> {
    await db.updateTable('destinations').set(health).where('id', '=', id).execute();
  },

  /** What is still to be delivered there is canceled after that (`deliveries.cancelOfRemoved`). */
  remove: (id: number, at: string): Promise<void> =>
    changeRegistry(db, async (trx) => {
      await trx.updateTable('destinations').set({ removed_at: at }).where('id', '=', id).execute();
    }),
});
