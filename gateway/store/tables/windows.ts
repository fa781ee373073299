import { sql, type Kysely } from 'kysely';
import { byColumn } from '../rows';
import { type AliasTable, type Schema, type WindowTable } from '../schema';

/**
 * When each contact last wrote to each line, by the platform's identity of the contact, and the aliases that
 * customers use. Group commit writes both (`commit/writes.ts`).
 */
export const windowTable = (db: Kysely<Schema>) => ({
  /**
   * ISO time of the contact's last message to the line, or null.
   * @param spellings of one contact; any of them counts, and any identity that has one of them as an alias
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

  /**
   * All names of a contact on one line, in every spelling.
   * @param names the known ones
   */
  identitiesOf: (lineId: number, names: string[], spellings: (name: string) => string[]): Promise<string[]> =>
    identitiesOf(db, names, spellings, lineId),

  /**
   * Removes from one page the contacts who last wrote before this time.
   * @param after the last row of the previous page
   * @returns the last row of the page; null at the end
   */
  async removeBefore(at: string, after: WindowKey, limit: number): Promise<WindowKey | null> {
    const page = await db
      .selectFrom('windows')
      .selectAll()
      .where(sql<boolean>`(line_id, contact) > (${after.line_id}, ${after.contact})`)
      .orderBy('line_id')
      .orderBy('contact')
      .limit(limit)
      .execute();
    const old = page.filter((row) => row.last_inbound_at < at);
    for (const [lineId, contacts] of byColumn(old, 'line_id', 'contact'))
      await db
        .deleteFrom('windows')
        .where('line_id', '=', lineId)
        .where('last_inbound_at', '<', at)
        .where('contact', 'in', contacts)
        .execute();
    return page.at(-1) ?? null;
  },

  /**
   * Removes from one page the aliases of contacts without a stored window, message, opt-out or pause.
   * @param after the last row of the previous page
   * @param spellings of a number: opt-outs and pauses use the first of them
   * @returns the last row of the page; null at the end
   */
  async removeLooseAliases(
    after: AliasTable,
    limit: number,
    spellings: (name: string) => string[],
  ): Promise<AliasTable | null> {
    const page = await db
      .selectFrom('aliases')
      .selectAll()
      .where(
        sql<boolean>`(line_id, contact, identity) > (${after.line_id}, ${after.contact}, ${after.identity})`,
      )
      .orderBy('line_id')
      .orderBy('contact')
      .orderBy('identity')
      .limit(limit)
      .execute();
    for (const { line_id: lineId, contact, identity } of page) {
      const has = (
        table: 'windows' | 'messages' | 'opt_outs' | 'automation_pauses',
        names = [contact, identity],
      ) => db.selectFrom(table).select('line_id').where('line_id', '=', lineId).where('contact', 'in', names);
      await db
        .deleteFrom('aliases')
        .where('line_id', '=', lineId)
        .where('contact', '=', contact)
        .where('identity', '=', identity)
        .where(({ not, exists }) => not(exists(has('windows'))))
        // The condition of the partial index: messages that were not accepted here created no alias.
        .where(({ not, exists }) => not(exists(has('messages').where('accepted_at', 'is not', null))))
        // A contact who opted out under one identity is opted out under the other.
        .where(({ not, exists }) =>
          not(exists(has('opt_outs', [contact, ...spellings(identity)]).where('state', '=', 'out'))),
        )
        .where(({ not, exists }) =>
          not(
            exists(has('automation_pauses', [contact, ...spellings(identity)]).where('state', '=', 'paused')),
          ),
        )
        .execute();
    }
    return page.at(-1) ?? null;
  },
});

/**
 * All names of a contact that are connected by aliases, in every spelling.
 * @param names the known ones
 * @param lineId only aliases of this line; omitted: of all lines
 */
export async function identitiesOf(
  db: Kysely<Schema>,
  names: string[],
  spellings: (name: string) => string[],
  lineId?: number,
): Promise<string[]> {
  const known = new Set(names.flatMap((name) => [name, ...spellings(name)]));
  for (let before = 0; before < known.size;) {
    before = known.size;
    const found = [...known];
    const rows = await db
      .selectFrom('aliases')
      .select(['contact', 'identity'])
      .where((row) => row.or([row('contact', 'in', found), row('identity', 'in', found)]))
      // The plus makes SQLite use the indexes of names, because the index of lines reads all aliases of the line.
      .$if(lineId !== undefined, (query) => query.where(sql<number>`+line_id`, '=', lineId ?? 0))
      .execute();
    for (const name of rows.flatMap(({ contact, identity }) => [contact, identity]))
      [name, ...spellings(name)].forEach((one) => known.add(one));
  }
  return [...known];
}

type WindowKey = Pick<WindowTable, 'line_id' | 'contact'>;
