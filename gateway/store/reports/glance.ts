import { type Kysely } from 'kysely';
import { type Schema } from '../schema';

/** What a page shows of many lines at once, again each second: queries whose cost does not grow with what there is. */
export const glanceTable = (db: Kysely<Schema>) => ({
  /** When the latest event of each of these lines came, by its id; a line without events is not in it. */
  async lastEvents(lineIds: number[]): Promise<Map<number, string>> {
    if (!lineIds.length) return new Map();
    const rows = await db
      .selectFrom('lines')
      .select((row) => [
        'id',
        row
          .selectFrom('events')
          .select('received_at')
          .whereRef('line_id', '=', 'lines.id')
          .orderBy('events.id', 'desc')
          .limit(1)
          .as('at'),
      ])
      .where('id', 'in', lineIds)
      .execute();
    return new Map(rows.flatMap(({ id, at }) => (at === null ? [] : [[id, at]])));
  },
});
