import { type Kysely } from 'kysely';
import { type Schema } from './schema';

/** When each contact last wrote to each line. Written by group commit (`writes.ts`). */
export const windowTable = (db: Kysely<Schema>) => ({
  /** ISO time of the contact's last message to the line, or null. */
  async lastInboundAt(lineId: number, contact: string): Promise<string | null> {
    const row = await db
      .selectFrom('windows')
      .select('last_inbound_at')
      .where('line_id', '=', lineId)
      .where('contact', '=', contact)
      .executeTakeFirst();
    return row?.last_inbound_at ?? null;
  },
});
