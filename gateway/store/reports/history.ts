import { sql, type Kysely } from 'kysely';
import { COUNT, countOf } from '../rows';
import { FAILED_OUTCOMES, type Schema } from '../schema';

/** A limit of a range: ISO time, and the corresponding event id. */
export interface Moment {
  at: string;
  eventId: string;
}

/** Counts of one period. */
export interface Counts {
  /** Accepted messages, and failed messages. */
  messages: number;
  failed: number;
  /** Events received. */
  events: number;
}

/** The counts of one period in detail. */
export interface Stretch extends Counts {
  /** Deliveries of these events by the hour in which they ended (`2026-03-10T12`); null for pending ones. */
  over: { hour: string | null; count: number }[];
  /** A sample of the first events: when their deliveries ended. */
  delivered: { event_id: string; finished_at: string }[];
}

/** All attempts, and the failed ones. */
export interface AttemptCounts {
  made: number;
  failed: number;
}

/** Literals, so that the databases can use the partial index of failed attempts. */
const FAILED = FAILED_OUTCOMES.map((word) => sql.lit(word));

/** The number of deliveries in the sample of durations. */
const MEASURED = 1_000;

/** Counts over time, from the tables in which each event is recorded. */
export const historyTables = (db: Kysely<Schema>) => {
  const messagesBy = (column: 'accepted_at' | 'failed_at', from: string, to: string) =>
    countOf(
      db
        .selectFrom('messages')
        .select(COUNT)
        .where(column, 'is not', null)
        .where(column, '>=', from)
        .where(column, '<', to),
    );

  async function counts(from: Moment, to: Moment): Promise<Counts> {
    const [messages, failed, events] = await Promise.all([
      messagesBy('accepted_at', from.at, to.at),
      messagesBy('failed_at', from.at, to.at),
      countOf(
        db.selectFrom('events').select(COUNT).where('id', '>=', from.eventId).where('id', '<', to.eventId),
      ),
    ]);
    return { messages, failed, events };
  }

  return {
    counts,

    /**
     * The attempts of these destinations for the events of a period, by destination id. Reads only indexes.
     * Destinations without attempts are left out.
     * @param destinationIds null for all that are not removed
     * @param from inclusive
     * @param to exclusive; both from `eventIdBefore`
     */
    async attempts(
      destinationIds: number[] | null,
      from: string,
      to: string,
    ): Promise<Map<number, AttemptCounts>> {
      if (destinationIds?.length === 0) return new Map();
      const ids =
        destinationIds ?? db.selectFrom('destinations').select('id').where('removed_at', 'is', null);
      const inTime = db
        .selectFrom('attempts')
        .select(['destination_id', COUNT])
        .where('event_id', '>=', from)
        .where('event_id', '<', to)
        .groupBy('destination_id');
      const [made, failed] = await Promise.all([
        inTime.where('destination_id', 'in', ids).execute(),
        inTime
          .where('outcome', '<>', sql.lit('delivered'))
          .where('outcome', 'in', FAILED)
          // The sum prevents a look-up by primary key, which would read a table row per attempt.
          .where(sql<number>`destination_id + 0`, 'in', ids)
          .execute(),
      ]);
      const failedOf = new Map(failed.map((row) => [row.destination_id, Number(row.count)]));
      return new Map(
        made.map(({ destination_id: id, count }) => [
          id,
          { made: Number(count), failed: failedOf.get(id) ?? 0 },
        ]),
      );
    },

    async stretch(from: Moment, to: Moment): Promise<Stretch> {
      const [all, over, delivered] = await Promise.all([
        counts(from, to),
        db
          .selectFrom('deliveries')
          .select([sql<string | null>`substr(finished_at, 1, 13)`.as('hour'), COUNT])
          .where('event_id', '>=', from.eventId)
          .where('event_id', '<', to.eventId)
          .groupBy('hour')
          .execute(),
        db
          .selectFrom('deliveries')
          .select(['event_id', 'finished_at'])
          .where('event_id', '>=', from.eventId)
          .where('event_id', '<', to.eventId)
          .where('state', '=', 'delivered')
          .where('attempts_before', '=', 0)
          .orderBy('event_id')
          .limit(MEASURED)
          .execute(),
      ]);
      return {
        ...all,
        over: over.map(({ hour, count }) => ({ hour, count: Number(count) })),
        delivered: delivered.flatMap(({ event_id, finished_at }) =>
          finished_at === null ? [] : [{ event_id, finished_at }],
        ),
      };
    },
  };
};
