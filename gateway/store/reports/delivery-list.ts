import {
  sql,
  type ExpressionBuilder,
  type Kysely,
  type RawBuilder,
  type SelectQueryBuilder,
  type SqlBool,
} from 'kysely';
import { inOrderOf } from '../../primitives/in-order-of';
import { isPostgres } from '../is-postgres';
import { type DeliveryState, type Schema } from '../schema';
import { MOST_MERGED, wholeTable } from '../within-reach';

/** The state of a delivery in lists. A pending one is `waiting`, or `parked` at a paused destination. */
export type DeliveryStanding = 'waiting' | 'parked' | 'delivered' | 'dead' | 'canceled';

/** The state filters: `open` is any pending delivery, parked or not. */
export const LISTED_STATES = ['open', 'waiting', 'parked', 'delivered', 'dead', 'canceled'] as const;
export type ListedState = (typeof LISTED_STATES)[number];

/** Filters of deliveries; all given ones apply. */
export interface DeliverySearch {
  destinationIds?: number[];
  state?: ListedState;
  /** The result of the last attempt, as one word. */
  cause?: string;
  /** Event ids, or boundaries from `eventIdBefore`: `from` is inclusive, `to` exclusive. */
  from?: string;
  to?: string;
}

/** The last row of a page, where the next page begins. */
export interface DeliveryCursor {
  /** The due time, for lists of pending deliveries. */
  dueAt: string;
  eventId: string;
  destinationId: number;
}

/** A literal, so that the databases can use their partial indexes. */
const state = (word: DeliveryState) => sql.lit<DeliveryState>(word);

const KEYS = ['destination_id', 'event_id', 'state', 'attempts', 'due_at', 'finished_at'] as const;

/**
 * The most rows that one page reads if no index fits a filter, which bounds its time. A page may then be short or
 * empty; the next one continues after it.
 */
export const LOOKED_AT = 5_000;
/** The same for failed attempts: each delivery has a few. */
const ATTEMPTS_LOOKED_AT = 1_000;

/** The most destinations of a line that are read, highest ids first: a line for experiments may have had many. */
export const MOST_DESTINATIONS = 100;

/** The body of an event for its preview in lists; null if it was emptied or is too long. */
export const shortBody = sql<
  string | null
>`case when octet_length(events.body) between 1 and 32768 then events.body end`;

type Range = Pick<DeliverySearch, 'from' | 'to'>;

export const isOpenState = (wanted: ListedState | undefined): wanted is 'open' | 'waiting' | 'parked' =>
  wanted === 'open' || wanted === 'waiting' || wanted === 'parked';

/** Whether a list by time has a filter that no index covers. */
const isNarrowed = ({ cause, from, to }: DeliverySearch): boolean =>
  cause !== undefined || from !== undefined || to !== undefined;

type Place = { due_at: string; event_id: string; destination_id: number };

const inOrderOfTime = (one: DeliveryCursor, other: DeliveryCursor): number =>
  inOrderOf(one.dueAt, other.dueAt) ||
  inOrderOf(one.eventId, other.eventId) ||
  one.destinationId - other.destinationId;

/** Whether a row of a list by time is at or before this cursor. */
const isAt = (row: Place, place: DeliveryCursor): boolean =>
  inOrderOfTime({ dueAt: row.due_at, eventId: row.event_id, destinationId: row.destination_id }, place) <= 0;

/**
 * Lists of deliveries, by cursor.
 * @param isOfSome whether `db` is narrowed to some lines, whose destinations are then read one by one
 */
export const deliveryList = (db: Kysely<Schema>, isOfSome: boolean) => {
  type Row = ExpressionBuilder<Schema, 'deliveries'>;

  /** The condition for newest events first, on deliveries or attempts. */
  const older = (after: DeliveryCursor | null, { from, to }: Range): RawBuilder<SqlBool> =>
    sql.join(
      [
        sql`1 = 1`,
        ...(from === undefined ? [] : [sql`event_id >= ${from}`]),
        ...(to === undefined ? [] : [sql`event_id < ${to}`]),
        ...(after
          ? [
              sql`event_id <= ${after.eventId} and (event_id < ${after.eventId} or destination_id < ${after.destinationId})`,
            ]
          : []),
      ],
      sql` and `,
    );

  /** The condition for the order of due times. */
  const later = (after: DeliveryCursor | null) => (row: Row) =>
    after
      ? row.and([
          row('due_at', '>=', after.dueAt),
          row.or([
            row('due_at', '>', after.dueAt),
            row('event_id', '>', after.eventId),
            row.and([row('event_id', '=', after.eventId), row('destination_id', '>', after.destinationId)]),
          ]),
        ])
      : row.val(true);

  const openOnes = () => db.selectFrom('deliveries').where('state', '=', state('pending'));

  /**
   * A query of each destination, merged by their common order.
   * @param ids undefined for one query of all
   * @param most the rows that are needed. PostgreSQL merges only queries that are in order themselves, and uses an
   * index for the order only with a limit.
   */
  const merged = <Name extends 'deliveries' | 'attempts', Row>(
    name: Name,
    ids: number[] | undefined,
    most: number,
    query: (rows: SelectQueryBuilder<Schema, Name, object>) => SelectQueryBuilder<Schema, Name, Row>,
    inOrder: (rows: SelectQueryBuilder<Schema, Name, Row>) => SelectQueryBuilder<Schema, Name, Row>,
  ): SelectQueryBuilder<Schema, Name, Row> => {
    const one = (id: number) => {
      const rows = query(wholeTable(db, name).where(sql<SqlBool>`destination_id = ${id}`));
      if (!isPostgres(db)) return rows;
      const first = inOrder(rows).limit(most).as('first');
      return db.selectFrom(first).selectAll() as unknown as typeof rows;
    };
    const [first = query(db.selectFrom(name) as never), ...others] = ids?.map(one) ?? [];
    return inOrder(others.reduce((before, next) => before.unionAll(next), first));
  };

  const byEvent = (
    ids: number[] | undefined,
    after: DeliveryCursor | null,
    range: Range,
    most: number,
    only?: 'dead',
  ) =>
    merged(
      'deliveries',
      ids,
      most,
      (rows) =>
        rows
          .select(KEYS)
          .where(older(after, range))
          .$if(only !== undefined, (query) => query.where('state', '=', state('dead'))),
      (rows) => rows.orderBy('event_id', 'desc').orderBy('destination_id', 'desc'),
    );

  const byDue = (ids: number[] | undefined, after: DeliveryCursor | null, most: number) =>
    merged(
      'deliveries',
      ids,
      most,
      (rows) => rows.select(KEYS).where('state', '=', state('pending')).where(later(after)),
      (rows) => rows.orderBy('due_at').orderBy('event_id').orderBy('destination_id'),
    );

  /** Failed attempts with this result. Attempts are in the order of events too. */
  const failed = (ids: number[] | undefined, cause: string, after: DeliveryCursor | null, range: Range) =>
    merged(
      'attempts',
      ids,
      ATTEMPTS_LOOKED_AT,
      (rows) =>
        rows
          .select(['destination_id', 'event_id', 'number'])
          .where('outcome', '=', cause)
          .where('outcome', '<>', sql.lit('delivered'))
          .where(older(after, range)),
      (rows) => rows.orderBy('event_id', 'desc').orderBy('destination_id', 'desc').orderBy('number', 'desc'),
    );

  type Keys = ReturnType<typeof byEvent>;

  return {
    /**
     * A page of deliveries with their events and last attempts. Newest events first; pending deliveries in the order
     * of due times.
     * @param next the cursor of the next page; null at the end
     */
    async page(search: DeliverySearch, after: DeliveryCursor | null, limit: number) {
      const more = limit + 1;
      const isOpen = isOpenState(search.state);
      const { ids, horizon } = await destinationsOf(search, after);
      if (ids?.length === 0) return { rows: [], next: null };

      const inOrder = (keys: Keys): Keys =>
        isOpen
          ? keys.orderBy('due_at').orderBy('event_id').orderBy('destination_id')
          : keys.orderBy('event_id', 'desc').orderBy('destination_id', 'desc');
      const keys = db.selectFrom(keysOf(search, ids, after, more).as('some')).selectAll() as unknown as Keys;
      // Details are read only for the rows shown.
      const found = db
        .selectFrom(inOrder(keys).limit(more).as('found'))
        .innerJoin('events', 'events.id', 'found.event_id')
        .innerJoin('destinations', 'destinations.id', 'found.destination_id')
        .leftJoin('attempts', (join) =>
          join
            .onRef('attempts.destination_id', '=', 'found.destination_id')
            .onRef('attempts.event_id', '=', 'found.event_id')
            .onRef('attempts.number', '=', 'found.attempts'),
        )
        .select(KEYS.map((key) => `found.${key}` as const))
        .select(['events.subject', 'events.kind', 'events.contact', 'events.wamid', 'events.received_at'])
        .select(shortBody.as('body'))
        .select(['destinations.line_id', 'destinations.url', 'destinations.origin'])
        .select(['destinations.paused_at', 'destinations.failing_since'])
        .select(['destinations.url_changed_at', 'attempts.started_at'])
        .select(['attempts.outcome', 'attempts.http_status']);
      const rows = await (
        isOpen
          ? found.orderBy('found.due_at').orderBy('found.event_id').orderBy('found.destination_id')
          : found.orderBy('found.event_id', 'desc').orderBy('found.destination_id', 'desc')
      ).execute();
      // Beyond this point, destinations that were not read may have rows.
      const known = horizon ? rows.filter((row) => isAt(row, horizon)) : rows;
      const shown = known.slice(0, limit);
      const last = known.length > limit ? shown.at(-1) : undefined;
      if (last)
        return {
          rows: shown,
          next: { dueAt: last.due_at, eventId: last.event_id, destinationId: last.destination_id },
        };
      const end = await endOfLook(search, ids, after);
      if (!isOpen)
        return { rows: shown.filter((row) => end === null || row.event_id >= end.eventId), next: end };
      // Destinations may be read to different points. Rows beyond the nearest one come on the next page.
      const [next = null] = [end, horizon].flatMap((one) => one ?? []).toSorted(inOrderOfTime);
      return { rows: next ? shown.filter((row) => isAt(row, next)) : shown, next };
    },

    /** One event with all its deliveries and attempts. */
    async event(id: string) {
      const event = await db.selectFrom('events').selectAll().where('id', '=', id).executeTakeFirst();
      if (!event) return null;
      const [deliveries, attempts] = await Promise.all([
        db
          .selectFrom('deliveries')
          .innerJoin('destinations', 'destinations.id', 'deliveries.destination_id')
          .selectAll('deliveries')
          .select([
            'line_id',
            'url',
            'origin',
            'url_changed_at',
            'headers_sealed',
            'paused_at',
            'paused_because',
            'paused_fact',
            'removed_at',
          ])
          .select(['failing_since', 'last_failure', 'last_tried_at', 'next_try_at'])
          .where('event_id', '=', id)
          .orderBy('destination_id')
          .execute(),
        db
          .selectFrom('attempts')
          .selectAll()
          .where('event_id', '=', id)
          .where('destination_id', 'in', (row) =>
            row.selectFrom('deliveries').select('destination_id').where('event_id', '=', id),
          )
          .orderBy('destination_id')
          .orderBy('number')
          .execute(),
      ]);
      return { event, deliveries, attempts };
    },
  };

  /**
   * The destinations to read; undefined for all. For pending deliveries, those with the earliest due times:
   * `MOST_DESTINATIONS` of them fill more than a page before any other.
   * @returns `horizon`: the cursor before which other destinations have no rows; null if there are no others
   */
  async function destinationsOf(
    search: DeliverySearch,
    after: DeliveryCursor | null,
  ): Promise<{ ids: number[] | undefined; horizon: DeliveryCursor | null }> {
    const given = search.destinationIds?.toSorted((one, other) => other - one).slice(0, MOST_DESTINATIONS);
    const isOpen = isOpenState(search.state);
    if (!isOpen) return { ids: isOfSome ? await idsAmong(given) : given, horizon: null };
    const first = openOnes()
      .where(sql<SqlBool>`deliveries.destination_id = destinations.id`)
      .where(later(after))
      .orderBy('due_at')
      .orderBy('event_id')
      .limit(1);
    const found = await db
      .selectFrom('destinations')
      .select(['id', first.select('due_at').as('due_at'), first.select('event_id').as('event_id')])
      .where('removed_at', 'is', null)
      .$if(search.state !== 'open', (query) =>
        query.where('paused_at', search.state === 'parked' ? 'is not' : 'is', null),
      )
      .$if(given !== undefined, (query) => query.where('id', 'in', given ?? []))
      .execute();
    const waiting = found
      .flatMap(({ id, due_at: dueAt, event_id: eventId }) =>
        dueAt === null || eventId === null ? [] : [{ dueAt, eventId, destinationId: id }],
      )
      .toSorted(inOrderOfTime);
    const other = waiting[MOST_DESTINATIONS];
    return {
      ids: waiting.slice(0, MOST_DESTINATIONS).map(({ destinationId }) => destinationId),
      horizon: other ? { ...other, destinationId: other.destinationId - 1 } : null,
    };
  }

  /** The reader's destinations, or some of them; undefined if there are too many to merge. */
  async function idsAmong(given: number[] | undefined): Promise<number[] | undefined> {
    const own = await db
      .selectFrom('destinations')
      .select('id')
      .$if(given !== undefined, (query) => query.where('id', 'in', given?.length ? given : [0]))
      .limit(MOST_MERGED + 1)
      .execute();
    return own.length > MOST_MERGED ? undefined : own.map(({ id }) => id);
  }

  function keysOf(
    search: DeliverySearch,
    ids: number[] | undefined,
    after: DeliveryCursor | null,
    limit: number,
  ): Keys {
    const { cause, state: wanted } = search;
    if (isOpenState(wanted))
      return isNarrowed(search)
        ? narrowed(byDue(ids, after, LOOKED_AT).limit(LOOKED_AT), search)
        : byDue(ids, after, limit).limit(limit);
    if (cause !== undefined)
      return db
        .selectFrom(failed(ids, cause, after, search).limit(ATTEMPTS_LOOKED_AT).as('failed'))
        .innerJoin('deliveries', (join) =>
          join
            .onRef('deliveries.destination_id', '=', 'failed.destination_id')
            .onRef('deliveries.event_id', '=', 'failed.event_id')
            .onRef('deliveries.attempts', '=', 'failed.number'),
        )
        .select(KEYS.map((key) => `deliveries.${key}` as const))
        .$if(wanted !== undefined, (query) =>
          query.where('deliveries.state', '=', wanted as DeliveryState),
        ) as unknown as Keys;
    if (wanted === 'dead') return byEvent(ids, after, search, limit, 'dead').limit(limit);
    if (wanted === undefined) return byEvent(ids, after, search, limit).limit(limit);
    return db
      .selectFrom(byEvent(ids, after, search, LOOKED_AT).limit(LOOKED_AT).as('looked'))
      .selectAll()
      .where('state', '=', wanted) as unknown as Keys;
  }

  /** Filters a list by time to these events, or to this result of the last attempt. */
  function narrowed(keys: Keys, { cause, from, to }: DeliverySearch): Keys {
    return db
      .selectFrom(keys.as('open'))
      .selectAll('open')
      .$if(from !== undefined, (query) => query.where('open.event_id', '>=', from ?? ''))
      .$if(to !== undefined, (query) => query.where('open.event_id', '<', to ?? ''))
      .$if(cause !== undefined, (query) =>
        query.where((row) =>
          row.exists(
            row
              .selectFrom('attempts as last')
              .select('last.number')
              .whereRef('last.destination_id', '=', 'open.destination_id')
              .whereRef('last.event_id', '=', 'open.event_id')
              .whereRef('last.number', '=', 'open.attempts')
              .where('last.outcome', '=', cause ?? ''),
          ),
        ),
      ) as unknown as Keys;
  }

  /** The last row that was read without filling the page; null if no rows follow. */
  async function endOfLook(
    search: DeliverySearch,
    ids: number[] | undefined,
    after: DeliveryCursor | null,
  ): Promise<DeliveryCursor | null> {
    const { state: wanted, cause } = search;
    if (cause !== undefined && (wanted === undefined || wanted === 'dead' || wanted === 'canceled')) {
      const end = await failed(ids, cause, after, search)
        .offset(ATTEMPTS_LOOKED_AT - 1)
        .limit(1)
        .executeTakeFirst();
      return end ? { dueAt: '', eventId: end.event_id, destinationId: end.destination_id } : null;
    }
    const isOver = wanted === 'delivered' || wanted === 'canceled';
    const isOpen = isOpenState(wanted);
    if (!isOver && !(isOpen && isNarrowed(search))) return null;
    const walk = isOver ? byEvent(ids, after, search, LOOKED_AT) : byDue(ids, after, LOOKED_AT);
    const end = await walk
      .offset(LOOKED_AT - 1)
      .limit(1)
      .executeTakeFirst();
    return end
      ? { dueAt: isOver ? '' : end.due_at, eventId: end.event_id, destinationId: end.destination_id }
      : null;
  }
};
