import { type Insertable, type Kysely, type Selectable, type Updateable } from 'kysely';
import { COUNT, countOf, firstOf } from '../rows';
import { changeRegistry } from '../processes/registry';
import { type DestinationTable, type Schema } from '../schema';
import { type TokenColumn } from './tokens';

export type DestinationRow = Selectable<DestinationTable>;

/** The lines' destinations. The row of a removed one remains, because past deliveries refer to it. */
export const destinationTable = (db: Kysely<Schema>) => ({
  /**
   * Destinations that are neither removed nor expired at this time.
   * @param of one or several lines, without their destinations for questions; omitted: all destinations
   */
  active: (now: string, of?: number | number[]): Promise<DestinationRow[]> =>
    db
      .selectFrom('destinations')
      .selectAll()
      .where('removed_at', 'is', null)
      .where((row) => row.or([row('expires_at', 'is', null), row('expires_at', '>', now)]))
      .$if(of !== undefined, (query) =>
        query.where('line_id', 'in', [0, ...[of ?? 0].flat()]).where('origin', '<>', 'question'),
      )
      .orderBy('id')
      .execute(),

  /** The existing destinations with these ids. */
  some: async (ids: number[]): Promise<DestinationRow[]> =>
    ids.length
      ? await db.selectFrom('destinations').selectAll().where('id', 'in', ids).orderBy('id').execute()
      : [],

  /** Destinations that were registered with these tokens and are not removed. @param tokenIds values of the column */
  registeredBy: async (column: TokenColumn, tokenIds: number[]): Promise<DestinationRow[]> =>
    tokenIds.length
      ? await db
          .selectFrom('destinations')
          .selectAll()
          .where('removed_at', 'is', null)
          .where('origin', '=', 'token')
          .where(column, 'in', tokenIds)
          .orderBy('id')
          .execute()
      : [],

  /** Destinations that have expired at this time but are not removed yet. */
  expired: (now: string): Promise<{ id: number }[]> =>
    db
      .selectFrom('destinations')
      .select('id')
      .where('removed_at', 'is', null)
      .where('expires_at', '<=', now)
      .execute(),

  /** Destinations that are paused or failing. */
  unhealthy: (): Promise<DestinationRow[]> =>
    db
      .selectFrom('destinations')
      .selectAll()
      .where('removed_at', 'is', null)
      .where((row) => row.or([row('paused_at', 'is not', null), row('failing_since', 'is not', null)]))
      .orderBy('id')
      .execute(),

  /** The newest destinations that are not removed. @param lineId null for all lines */
  latest: (lineId: number | null, limit: number): Promise<DestinationRow[]> =>
    db
      .selectFrom('destinations')
      .selectAll()
      .where('removed_at', 'is', null)
      .where('origin', '<>', 'question')
      .$if(lineId !== null, (query) => query.where('line_id', '=', lineId))
      .orderBy('id', 'desc')
      .limit(limit)
      .execute(),

  /** The ids of a line's destinations, including removed ones, newest first. @param limit null for all */
  async idsOf(lineId: number, limit: number | null): Promise<number[]> {
    const rows = await db
      .selectFrom('destinations')
      .select('id')
      .where('line_id', '=', lineId)
      .orderBy('id', 'desc')
      .$if(limit === null, (query) => query.where('removed_at', 'is', null))
      .$if(limit !== null, (query) => query.limit(limit ?? 0))
      .execute();
    return rows.map(({ id }) => id);
  },

  /**
   * Deletes a page of destinations that were removed before this time and have no deliveries left.
   * @returns the last id of the page; null if there was none
   */
  async clearRemoved(after: number, before: string, limit: number): Promise<number | null> {
    const page = await db
      .selectFrom('destinations')
      .select('id')
      .where('removed_at', '<', before)
      .where('id', '>', after)
      .orderBy('id')
      .limit(limit)
      .execute();
    const ids = page.map(({ id }) => id);
    if (!ids.length) return null;
    await db
      .deleteFrom('destinations')
      .where('id', 'in', ids)
      .where((row) =>
        row.not(
          row.exists(
            row
              .selectFrom('deliveries')
              .select('event_id')
              .whereRef('destination_id', '=', 'destinations.id'),
          ),
        ),
      )
      .execute();
    return ids.at(-1) ?? null;
  },

  /** All destinations, including removed ones. */
  all: (): Promise<DestinationRow[]> => db.selectFrom('destinations').selectAll().orderBy('id').execute(),

  /** The number of a line's destinations, without removed ones. */
  countOf: (lineId: number): Promise<number> =>
    countOf(
      db
        .selectFrom('destinations')
        .select(COUNT)
        .where('line_id', '=', lineId)
        .where('origin', '<>', 'question')
        .where('removed_at', 'is', null),
    ),

  find: (id: number): Promise<DestinationRow | null> =>
    firstOf(db.selectFrom('destinations').selectAll().where('id', '=', id)),

  insert: (destination: Insertable<DestinationTable>): Promise<DestinationRow> =>
    changeRegistry(db, 'destinations', (trx) =>
      trx.insertInto('destinations').values(destination).returningAll().executeTakeFirstOrThrow(),
    ),

  /** The destination that delivers answers to this server, created if missing. */
  ofQuestions: (
    row: Pick<Insertable<DestinationTable>, 'line_id' | 'url' | 'secret_sealed' | 'created_at'>,
  ): Promise<{ id: number }> =>
    changeRegistry(db, 'destinations', async (trx) => {
      await trx
        .insertInto('destinations')
        .values({ ...row, origin: 'question', mode: 'split', events: '[]' })
        .onConflict((conflict) => conflict.doNothing())
        .execute();
      return trx
        .selectFrom('destinations')
        .select('id')
        .where('line_id', '=', row.line_id)
        .where('url', '=', row.url)
        .where('origin', '=', 'question')
        .where('removed_at', 'is', null)
        .executeTakeFirstOrThrow();
    }),

  update: (id: number, change: Updateable<DestinationTable>): Promise<unknown> =>
    changeRegistry(db, ['destinations', id], (trx) =>
      trx.updateTable('destinations').set(change).where('id', '=', id).execute(),
    ),

  /** Changes a destination based on its row. Concurrent changes wait. */
  updateBy: (id: number, changeOf: (row: DestinationRow) => Updateable<DestinationTable>): Promise<void> =>
    changeRegistry(db, ['destinations', id], async (trx) => {
      const row = await trx
        .updateTable('destinations')
        .set((held) => ({ url: held.ref('url') }))
        .where('id', '=', id)
        .returningAll()
        .executeTakeFirst();
      if (row) await trx.updateTable('destinations').set(changeOf(row)).where('id', '=', id).execute();
    }),

  async healthOf(
    ids: number[],
  ): Promise<
    Pick<DestinationRow, 'id' | 'failing_since' | 'last_failure' | 'failing_seconds' | 'last_tried_at'>[]
  > {
    if (!ids.length) return [];
    return await db
      .selectFrom('destinations')
      .select(['id', 'failing_since', 'last_failure', 'failing_seconds', 'last_tried_at'])
      .where('id', 'in', ids)
      .execute();
  },

  /**
   * Stores a destination's health, which other processes need not read.
   * @param at the URL that the note concerns: nothing is stored if the URL has changed since
   */
  async note(
    id: number,
    health: Pick<
      DestinationRow,
      'failing_since' | 'last_failure' | 'failing_seconds' | 'last_tried_at' | 'next_try_at'
    >,
    at: string,
  ): Promise<void> {
    await db.updateTable('destinations').set(health).where('id', '=', id).where('url', '=', at).execute();
  },

  /** Marks a destination as removed. Its pending deliveries are canceled later (`deliveries.cancelOfRemoved`). */
  remove(id: number, at: string): Promise<unknown> {
    return this.update(id, { removed_at: at });
  },
});
