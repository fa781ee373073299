import { type Insertable, type Kysely, type Selectable, type Updateable } from 'kysely';
import { type ReplayTable, type Schema } from '../schema';

export type ReplayRow = Selectable<ReplayTable>;

/** The progress of each replay, in any process. */
export const replayTable = (db: Kysely<Schema>) => ({
  /** @param forgottenBefore removes replays without progress since this time */
  async begin(row: Insertable<ReplayTable>, forgottenBefore: string): Promise<void> {
    await db.deleteFrom('replays').where('told_at', '<', forgottenBefore).execute();
    await db.insertInto('replays').values(row).execute();
  },

  async tell(id: string, change: Updateable<ReplayTable>): Promise<void> {
    await db.updateTable('replays').set(change).where('id', '=', id).execute();
  },

  /** Replays that reported progress since this time, latest first. @param who null: of everyone */
  since: (at: string, who: string | null): Promise<ReplayRow[]> =>
    db
      .selectFrom('replays')
      .selectAll()
      .where('told_at', '>=', at)
      .$if(who !== null, (query) => query.where('who', '=', who ?? ''))
      .orderBy('begun_at', 'desc')
      .execute(),
});
