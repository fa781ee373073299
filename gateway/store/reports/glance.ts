import { sql, type Kysely } from 'kysely';
import { type DeliveryState, type Schema } from '../schema';

/** Written out, so that the databases see that the indexes of what is pending may be used. */
const PENDING = sql.lit<DeliveryState>('pending');

/** More that waits is not counted. */
export const MOST_COUNTED = 1000;

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

  /** What is still to be delivered to each destination, by its id, up to `MOST_COUNTED`. */
  async backlogs(destinationIds: number[]): Promise<Map<number, number>> {
    if (!destinationIds.length) return new Map();
    const rows = await db
      .selectFrom('destinations')
      .select((row) => [
        'id',
        row
          .selectFrom((some) =>
            some
              .selectFrom('deliveries')
              .select('event_id')
              .whereRef('destination_id', '=', 'destinations.id')
              .where('state', '=', PENDING)
              .limit(MOST_COUNTED)
              .as('some'),
          )
          .select((one) => one.fn.countAll<number | string>().as('count'))
          .as('count'),
      ])
      .where('id', 'in', destinationIds)
      .execute();
    return new Map(rows.map(({ id, count }) => [id, Number(count)]));
  },
});
