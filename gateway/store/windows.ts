import { type Kysely } from 'kysely';
import { type Schema } from './schema';

/**
 * When each contact last wrote to each line, by the identity that upstream reported, and the aliases by which customers
 * address them. Both are written by group commit (`writes.ts`).
 */
export const windowTable = (db: Kysely<Schema>) => ({
  /**
   * ISO time of the contact's last message to the line, or null.
   * @param spellings of one contact; any of them, and any identity that one of them is an alias of, counts
   */
  async lastInboundAt(lineId: number, spellings: readonly string[]): Promise<string | null> {
    const reported = db
      .selectFrom('windows')
      .select('last_inbound_at')
      .where('line_id', '=', lineId)
      .where('contact', 'in', spellings);
    const byAlias = db
      .selectFrom('aliases')
      .innerJoin('windows', (join) =>
        join
          .onRef('windows.line_id', '=', 'aliases.line_id')
          .onRef('windows.contact', '=', 'aliases.identity'),
      )
      .select('windows.last_inbound_at')
      .where('aliases.line_id', '=', lineId)
      .where('aliases.contact', 'in', spellings);
    const { latest } = await db
      .selectFrom(reported.unionAll(byAlias).as('found'))
      .select(({ fn }) => fn.max<string | null>('last_inbound_at').as('latest'))
      .executeTakeFirstOrThrow();
    return latest;
  },
});
