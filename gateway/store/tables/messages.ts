import { sql, type Kysely, type Selectable } from 'kysely';
import { byColumn } from '../rows';
import { type MessageTable, type Schema } from '../schema';

export type MessageRow = Selectable<MessageTable>;

/** Messages sent through the gateway, with the time of each status. Group commit writes them (`commit/writes.ts`). */
export const messageTable = (db: Kysely<Schema>) => ({
  /**
   * Removes some older messages: accepted before this time or, if accepted elsewhere, with an older first status.
   * @returns the number removed
   */
  async removeBefore(at: string, limit: number): Promise<number> {
    const some = () => db.selectFrom('messages').select(['line_id', 'wamid']).limit(limit);
    const old = [
      ...(await some().where('accepted_at', 'is not', null).where('accepted_at', '<', at).execute()),
      ...(await some()
        .where('accepted_at', 'is', null)
        .where(sql`coalesce(sent_at, delivered_at, read_at, played_at, failed_at)`, '<', at)
        .execute()),
    ];
    for (const [lineId, wamids] of byColumn(old, 'line_id', 'wamid'))
      for (const table of ['sent_bodies', 'messages'] as const)
        await db.deleteFrom(table).where('line_id', '=', lineId).where('wamid', 'in', wamids).execute();
    return old.length;
  },

  /** Removes some of the bodies sent before this time. @returns the number removed */
  async removeBodiesBefore(at: string, limit: number): Promise<number> {
    const old = await db
      .selectFrom('sent_bodies')
      .select(['line_id', 'wamid'])
      .where('accepted_at', '<', at)
      .orderBy('accepted_at')
      .limit(limit)
      .execute();
    for (const [lineId, wamids] of byColumn(old, 'line_id', 'wamid'))
      await db.deleteFrom('sent_bodies').where('line_id', '=', lineId).where('wamid', 'in', wamids).execute();
    return old.length;
  },
});
