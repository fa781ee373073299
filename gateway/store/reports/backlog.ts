import { sql, type ExpressionBuilder, type Kysely } from 'kysely';
import { COUNT, countOf } from '../rows';
import { type DeliveryState, type Schema } from '../schema';
import { type DeliveryFilter } from '../tables/deliveries';
import { leastDue } from '../tables/queued';
import { LOOKED_AT } from './delivery-list';

/** Larger numbers of waiting deliveries are shown as "or more". */
export const MOST_COUNTED = 10_000;

/** The bound per destination, for pages with many destinations that refresh each second. */
export const MOST_GLANCED = 1_000;

/** Waiting deliveries of one destination. */
export interface WaitingFor {
  count: number;
  /**
   * When the first delivery is due (ISO time); null if none is waiting. If one has failed once or twice, its due time
   * counts: the ones behind it are due since their arrival.
   */
  firstDueAt: string | null;
}

/** The total backlog. Each count stops at `MOST_COUNTED` plus one. */
export interface DeliveryBacklog {
  pending: number;
  dead: number;
  /** The oldest due time (ISO), excluding destinations that are paused or known to fail; null if none. */
  oldestDueAt: string | null;
}

/** A literal, so that the databases can use their partial indexes. */
const state = (word: DeliveryState) => sql.lit<DeliveryState>(word);

/** The size and age of the backlog. Each query is bounded. */
export const backlogReport = (db: Kysely<Schema>) => {
  const inState = (word: DeliveryState) =>
    db.selectFrom('deliveries').select('event_id').where('state', '=', state(word));

  const counted = (some: ReturnType<typeof inState>): Promise<number> =>
    countOf(db.selectFrom(some.limit(MOST_COUNTED + 1).as('some')).select(COUNT));

  /** For a query of destinations: the deliveries of each in a state, counted up to a bound plus one. */
  const countAt = (row: ExpressionBuilder<Schema, 'destinations'>, word: DeliveryState, most: number) =>
    row
      .selectFrom(() =>
        ofOne(word)
          .limit(most + 1)
          .as('some'),
      )
      .select(COUNT)
      .as('count');

  /** A condition on the destination of the outer query. */
  const ofOne = (word: DeliveryState) =>
    inState(word).where(sql<boolean>`deliveries.destination_id = destinations.id`);

  /**
   * Given-up deliveries that can be resent, of these destinations or of all. Excludes removed destinations and
   * answers to questions.
   */
  async function dead(destinationIds: number[] | null = null): Promise<number> {
    if (destinationIds?.length === 0) return 0;
    return counted(
      inState('dead').where('destination_id', 'in', (row) =>
        row
          .selectFrom('destinations')
          .select('id')
          .where('removed_at', 'is', null)
          .where('origin', '<>', 'question')
          .$if(destinationIds !== null, (query) => query.where('id', 'in', destinationIds ?? [])),
      ),
    );
  }

  /** The oldest due time (ISO), excluding destinations that are paused or known to fail; null if none. */
  async function oldestDueAt(): Promise<string | null> {
    const due = await db
      .selectFrom('destinations')
      .select((row) => leastDue(row).as('at'))
      .where('removed_at', 'is', null)
      .where('paused_at', 'is', null)
      .where('failing_since', 'is', null)
      .execute();
    return due.flatMap(({ at }) => at ?? []).toSorted()[0] ?? null;
  }

  /**
   * Deliveries that a replay would resend, counted up to `MOST_GLANCED` plus one. Reads only adjacent rows of one
   * index, at most `LOOKED_AT`.
   * @returns null if more rows would have to be read
   */
  async function over({
    states,
    destinationIds,
    from,
    to,
    endedFrom,
    ...others
  }: DeliveryFilter): Promise<number | null> {
    if ([others.eventId, others.contacts, others.lineId, others.cause].some((one) => one !== undefined))
      return null;
    const isDead = states.every((one) => one === 'dead');
    const looked = db
      .selectFrom('deliveries')
      .select(['destination_id', 'state'])
      .$if(isDead, (query) => query.where('state', '=', state('dead')))
      .$if(destinationIds !== undefined, (query) => query.where('destination_id', 'in', destinationIds ?? []))
      .$if(from !== undefined, (query) => query.where('event_id', '>=', from ?? ''))
      .$if(to !== undefined, (query) => query.where('event_id', '<', to ?? ''))
      .$if(endedFrom !== undefined, (query) => query.where('finished_at', '>=', endedFrom ?? ''))
      .limit(LOOKED_AT + 1)
      .as('looked');
    const meant = db
      .selectFrom(looked)
      .where('state', 'in', states)
      .where('destination_id', 'in', (row) =>
        row
          .selectFrom('destinations')
          .select('id')
          .where('removed_at', 'is', null)
          .where('origin', '<>', 'question'),
      );
    const [all, count] = await Promise.all([
      countOf(db.selectFrom(looked).select(COUNT)),
      countOf(meant.select(COUNT)),
    ]);
    if (count > MOST_GLANCED) return MOST_GLANCED + 1;
    return all > LOOKED_AT ? null : count;
  }

  return {
    dead,
    over,
    oldestDueAt,

    /** Waiting deliveries by destination id, each counted up to `most` plus one. */
    async of(destinationIds: number[], most = MOST_COUNTED): Promise<Map<number, WaitingFor>> {
      if (!destinationIds.length) return new Map();
      const rows = await db
        .selectFrom('destinations')
        .select((row) => [
          'id',
          leastDue(row).as('firstDueAt'),
          leastDue(row)
            .where('attempts', 'in', [sql.lit(1), sql.lit(2)])
            .where('attempts_before', '=', sql.lit(0))
            .as('heldUntil'),
          countAt(row, 'pending', most),
        ])
        .where('id', 'in', destinationIds)
        .execute();
      return new Map(
        rows.map(({ id, firstDueAt, heldUntil, count }) => [
          id,
          { count: Number(count), firstDueAt: heldUntil ?? firstDueAt },
        ]),
      );
    },

    /** Given-up deliveries by destination id, each counted up to `most` plus one. */
    async deadOf(destinationIds: number[], most = MOST_GLANCED): Promise<Map<number, number>> {
      if (!destinationIds.length) return new Map();
      const rows = await db
        .selectFrom('destinations')
        .select((row) => ['id', countAt(row, 'dead', most)])
        .where('id', 'in', destinationIds)
        .execute();
      return new Map(rows.map(({ id, count }) => [id, Number(count)]));
    },

    /** The ids of lines with given-up deliveries, up to the limit. */
    async linesOfDead(most: number): Promise<number[]> {
      const rows = await db
        .selectFrom('destinations')
        .select('line_id')
        .distinct()
        .where('removed_at', 'is', null)
        .where('origin', '<>', 'question')
        .where(({ exists }) => exists(ofOne('dead')))
        .orderBy('line_id')
        .limit(most)
        .execute();
      return rows.map((row) => row.line_id);
    },

    async inAll(): Promise<DeliveryBacklog> {
      const [pending, given, due] = await Promise.all([counted(inState('pending')), dead(), oldestDueAt()]);
      return { pending, dead: given, oldestDueAt: due };
    },
  };
};
