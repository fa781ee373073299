import { sql, type Kysely, type Selectable } from 'kysely';
import { isPostgres } from '../is-postgres';
import { COUNT } from '../rows';
import { type GatheringTable, type Schema } from '../schema';

export type GatheringRow = Selectable<GatheringTable> & {
  /** Increases with each message, independent of clocks. */
  place: number;
};

/** A group holds up to 100 messages. */
const GROUPS_AT_ONCE = 50;

/** The waiting messages of one contact at one destination. */
export interface Waiting {
  destination_id: number;
  contact: string;
  /** Arrival of the first and the latest message. */
  first: string;
  latest: string;
  count: number;
}

/** The order of arrival: a sequence on PostgreSQL, the order of rows on SQLite. */
const placeIn = (db: Kysely<Schema>, table: string) =>
  sql<number>`${sql.ref(`${table}.${isPostgres(db) ? 'sequence' : 'rowid'}`)}`;

/**
 * Messages that wait until their contact pauses, inserted by group commit (`commit/writes.ts`). A message first
 * waits, then belongs to a group that is sent as one event, and then is done: only its identity remains, for as long
 * as the platform may repeat it.
 */
export const gatheringTable = (db: Kysely<Schema>) => ({
  async waiting(): Promise<Waiting[]> {
    const rows = await db
      .selectFrom('gathering')
      .select(({ fn }) => [
        'destination_id',
        'contact',
        fn.min<string>('arrived_at').as('first'),
        fn.max<string>('arrived_at').as('latest'),
        COUNT,
      ])
      .where('done_at', 'is', null)
      .where('group_id', 'is', null)
      .groupBy(['destination_id', 'contact'])
      .execute();
    return rows.map((row) => ({ ...row, count: Number(row.count) }));
  },

  /**
   * Puts the first waiting messages into a group. If several processes do so at once, each message is in one group
   * only.
   */
  async close({ destination_id, contact }: Waiting, groupId: string, most: number): Promise<void> {
    await db
      .updateTable('gathering')
      .set({ group_id: groupId })
      .where('destination_id', '=', destination_id)
      .where('contact', '=', contact)
      .where('done_at', 'is', null)
      .where('group_id', 'is', null)
      .where('event_id', 'in', (row) =>
        row
          .selectFrom('gathering as some')
          .select('some.event_id')
          .where('some.destination_id', '=', destination_id)
          .where('some.contact', '=', contact)
          .where('some.done_at', 'is', null)
          .where('some.group_id', 'is', null)
          .orderBy(placeIn(db, 'some'))
          .limit(most),
      )
      .execute();
  },

  /**
   * The messages of the oldest unfinished groups, each complete, in the order of arrival.
   * @param after only groups whose first message arrived after this place
   * @param not destinations whose groups are excluded
   */
  async closed(after = 0, not: number[] = []): Promise<GatheringRow[]> {
    const first = sql<number>`min(${placeIn(db, 'some')})`;
    const rows = await db
      .selectFrom('gathering')
      .selectAll()
      .select(placeIn(db, 'gathering').as('place'))
      .where('done_at', 'is', null)
      .where('group_id', 'in', (row) =>
        row
          .selectFrom('gathering as some')
          .select('some.group_id')
          .where('some.done_at', 'is', null)
          .where('some.group_id', 'is not', null)
          .where('some.destination_id', 'not in', [0, ...not])
          .groupBy('some.group_id')
          .having(first, '>', after)
          .orderBy(first)
          .limit(GROUPS_AT_ONCE),
      )
      .orderBy('place')
      .execute();
    return rows.map((row) => ({ ...row, place: Number(row.place) }));
  },

  async done(groupId: string, at: string): Promise<void> {
    await db
      .updateTable('gathering')
      .set({ done_at: at, body: '' })
      .where('group_id', '=', groupId)
      .where('done_at', 'is', null)
      .execute();
  },

  async removeDoneBefore(at: string): Promise<void> {
    await db.deleteFrom('gathering').where('done_at', '<', at).execute();
  },
});
