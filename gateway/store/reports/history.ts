import { sql, type Kysely } from 'kysely';
import { type Schema } from '../schema';

/** When something began or ended: ISO time, and the event id that stands for it. */
export interface Moment {
  at: string;
  eventId: string;
}

/** How much happened between two times. */
export interface Counts {
  /** Messages that the platform accepted, and messages that failed. */
  messages: number;
  failed: number;
  /** Events that came in. */
  events: number;
}

/** What happened between two times. */
export interface Stretch extends Counts {
  /** Of the deliveries that these events owe: how many were over in which hour (`2026-03-10T12`), null those that are not. */
  over: { hour: string | null; count: number }[];
  /** Of the first of them: when they were over, by the ids of their events. */
  delivered: { event_id: string; finished_at: string }[];
}

/** So many tell how long deliveries took. */
const MEASURED = 1_000;

/** What happened over time, counted where it is recorded. */
export const historyTables = (db: Kysely<Schema>) => {
  const counted = { count: sql<number | string>`count(*)` };
  const select = (column: 'accepted_at' | 'failed_at', from: string, to: string) =>
    db
      .selectFrom('messages')
      .select(counted.count.as('count'))
      .where(column, 'is not', null)
      .where(column, '>=', from)
      .where(column, '<', to)
      .executeTakeFirstOrThrow();

  async function counts(from: Moment, to: Moment): Promise<Counts> {
    const [messages, failed, events] = await Promise.all([
      select('accepted_at', from.at, to.at),
      select('failed_at', from.at, to.at),
      db
        .selectFrom('events')
        .select(counted.count.as('count'))
        .where('id', '>=', from.eventId)
        .where('id', '<', to.eventId)
        .executeTakeFirstOrThrow(),
    ]);
    return { messages: Number(messages.count), failed: Number(failed.count), events: Number(events.count) };
  }

  return {
    counts,

    async stretch(from: Moment, to: Moment): Promise<Stretch> {
      const [all, over, delivered] = await Promise.all([
        counts(from, to),
        db
          .selectFrom('deliveries')
          .select([sql<string | null>`substr(finished_at, 1, 13)`.as('hour'), counted.count.as('count')])
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
