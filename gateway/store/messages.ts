import { type Kysely, type Selectable } from 'kysely';
import { type MessageTable, type Schema } from './schema';

export type MessageRow = Selectable<MessageTable>;

/** Messages sent through the gateway, with the time of each status. They are written by group commit (`writes.ts`). */
export const messageTable = (db: Kysely<Schema>) => ({
  async find(lineId: number, wamid: string): Promise<MessageRow | null> {
    const row = await db
      .selectFrom('messages')
      .selectAll()
      .where('line_id', '=', lineId)
      .where('wamid', '=', wamid)
      .executeTakeFirst();
    return row ?? null;
  },
});
