import { sql, type Kysely } from 'kysely';
import { type DeliveryState, type Schema } from '../schema';

/** Written out, so that the databases see that the indexes of what is pending may be used. */
const PENDING = sql.lit<DeliveryState>('pending');

/** Of so many events, the latest of all lines, the latest of each line is looked for. */
const LATEST_EVENTS = 1000;

/** More that waits is not counted. */
export const MOST_COUNTED = 1000;

/** What a page shows of many lines at once, again each second: queries whose cost does not grow with what there is. */
export const glanceTable = (db: Kysely<Schema>) => ({
  /** When the latest event of each line came, by its id; lines of which none came lately are not in it. */
  async lastEvents(): Promise<Map<number, string>> {
    const rows = await db
      .selectFrom(
        db
          .selectFrom('events')
          .select(['line_id', 'received_at'])
          .orderBy('id', 'desc')
          .limit(LATEST_EVENTS)
          .as('latest'),
      )
      .select((row) => ['line_id', row.fn.max('received_at').as('at')])
      .where('line_id', 'is not', null)
      .groupBy('line_id')
      .execute();
    return new Map(rows.flatMap(({ line_id: id, at }) => (id === null ? [] : [[id, at]])));
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
