import { type Kysely } from 'kysely';
import { type Schema } from '../schema';

/**
 * Data of lines for alerts, checks and the first steps. The cost of these queries does not grow with the stored data.
 */
export const glanceTable = (db: Kysely<Schema>) => ({
  /** The time of the latest event by line id. Lines without events are left out. */
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

  /** Whether a contact has written to the line, as far back as customer service windows are stored. */
  async hasMessage(lineId: number): Promise<boolean> {
    const row = await db
      .selectFrom('windows')
      .select('line_id')
      .where('line_id', '=', lineId)
      .limit(1)
      .executeTakeFirst();
    return row !== undefined;
  },

  /**
   * The ids of active lines that the platform has never called: their callback is not verified, and no stored event
   * came from the platform.
   * @param lineId only this line, even if it is inactive
   */
  async notCalled(lineId?: number): Promise<number[]> {
    const rows = await db
      .selectFrom('lines')
      .select('id')
      .where('removed_at', 'is', null)
      .where('handshake_at', 'is', null)
      .where(({ not, exists, selectFrom }) =>
        not(exists(selectFrom('events').select('events.id').whereRef('line_id', '=', 'lines.id'))),
      )
      .$if(lineId === undefined, (query) => query.where('deactivated_at', 'is', null))
      .$if(lineId !== undefined, (query) => query.where('id', '=', lineId ?? 0))
      .orderBy('id')
      .execute();
    return rows.map(({ id }) => id);
  },
});
