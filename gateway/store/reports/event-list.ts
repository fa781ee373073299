import { sql, type Expression, type ExpressionBuilder, type Kysely, type SqlBool } from 'kysely';
import { type DeliveryState, type EventTable, type Schema } from '../schema';
import {
  deliveryList,
  isOpenState,
  LOOKED_AT,
  shortBody,
  type DeliveryCursor,
  type DeliverySearch,
} from './delivery-list';
import { mayHold, type TextSearch } from './text-search';

/** Filters of events; all given ones apply. Each event is listed once per destination. */
export interface EventSearch extends DeliverySearch {
  eventId?: string;
  lineId?: number;
  /** All names of one contact. */
  contacts?: string[];
  /** Only with `contacts`, because no index covers it. */
  wamid?: string;
  subjects?: EventTable['subject'][];
  text?: TextSearch;
}

export type ListedEvent = Awaited<ReturnType<ReturnType<typeof eventList>['page']>>['rows'][number];

/** Bodies in memory at a time during a text search. */
const BODIES_AT_ONCE = 200;

/** The most deliveries of the events on one page; each event has a few. */
const MOST_DELIVERIES = 5_000;

/** Greater than the ids of all destinations. */
const AFTER_ALL = 2 ** 31 - 1;

/** Lists of events, forwarded or not, by cursor. @param isOfSome as in `deliveryList` */
export const eventList = (db: Kysely<Schema>, isOfSome: boolean) => {
  const deliveries = deliveryList(db, isOfSome);

  /** At most `most` candidates in order, by the index that fits the filter best. */
  function walk(search: EventSearch, { after, end, oldest }: Walk, most: number) {
    const order = oldest ? 'asc' : 'desc';
    const base = db
      .selectFrom('events')
      .select(['id', 'line_id', 'subject', 'kind', 'contact', 'wamid', 'received_at'])
      .$if(search.from !== undefined, (query) => query.where('id', '>=', search.from ?? ''))
      .$if(search.to !== undefined, (query) => query.where('id', '<', search.to ?? ''))
      .$if(after !== null, (query) => query.where('id', oldest ? '>=' : '<=', after?.eventId ?? ''))
      .$if(end !== null, (query) => query.where('id', oldest ? '<=' : '>=', end ?? ''))
      .orderBy('id', order)
      .limit(most);
    const { eventId, contacts, lineId } = search;
    if (eventId !== undefined) return base.where('id', '=', eventId);
    if (contacts?.length)
      // One query per name, as the index requires.
      return contacts
        .map(
          (contact) =>
            db
              .selectFrom(base.where('contact', '=', contact).as('one'))
              .selectAll() as unknown as typeof base,
        )
        .reduce((some, more) => some.unionAll(more));
    return lineId === undefined ? base : base.where('line_id', '=', lineId);
  }

  /** The conditions on events that no index covers. */
  const isMeant =
    ({ lineId, wamid, subjects }: EventSearch) =>
    (row: ExpressionBuilder<{ found: Pick<EventTable, 'line_id' | 'wamid' | 'subject'> }, 'found'>) =>
      row.and([
        ...(lineId === undefined ? [] : [row('found.line_id', '=', lineId)]),
        ...(wamid === undefined ? [] : [row('found.wamid', '=', wamid)]),
        ...(subjects === undefined ? [] : [row('found.subject', 'in', subjects)]),
      ]);

  /** The last event that one page reads; null at the end. */
  async function endOf(search: EventSearch, at: Walk): Promise<string | null> {
    const last = await db
      .selectFrom(walk(search, at, LOOKED_AT).as('some'))
      .select('id')
      .orderBy('id', at.oldest ? 'asc' : 'desc')
      .offset(LOOKED_AT - 1)
      .limit(1)
      .executeTakeFirst();
    return last?.id ?? null;
  }

  /** Events that contain this text, in order, up to the limit. */
  async function withText(search: EventSearch, at: Walk, text: TextSearch, limit: number): Promise<string[]> {
    const found: string[] = [];
    for (let after = at.after; found.length < limit;) {
      const place: Walk = { ...at, after };
      const bodies = await db
        .selectFrom(walk(search, place, LOOKED_AT).as('found'))
        .innerJoin('events', 'events.id', 'found.id')
        .select(['events.id', 'events.body'])
        .where(isMeant(search))
        .where(mayHold('events.body', text))
        // The previous page already checked the row at which this page starts.
        .$if(after !== at.after, (query) => query.where('events.id', '<>', after?.eventId ?? ''))
        .orderBy('found.id', at.oldest ? 'asc' : 'desc')
        .limit(BODIES_AT_ONCE)
        .execute();
      found.push(...bodies.filter(({ body }) => text.isIn(body)).map(({ id }) => id));
      const last = bodies.at(-1);
      if (!last || bodies.length < BODIES_AT_ONCE) break;
      after = { dueAt: '', eventId: last.id, destinationId: 0 };
    }
    return found.slice(0, limit);
  }

  /**
   * A page of events with their deliveries and last attempts, newest first. With a filter for pending deliveries, in
   * the order of due times.
   * @param oldest reverses the order of events
   * @returns rows without a destination for events that were not forwarded; `next` is null at the end
   */
  async function page(search: EventSearch, after: DeliveryCursor | null, limit: number, oldest = false) {
    const found =
      isOfDeliveries(search) && !oldest
        ? await deliveries.page(search, after, limit)
        : await pageOfEvents(search, after, limit, oldest);
    return { rows: found.rows, next: found.next };
  }

  async function pageOfEvents(
    search: EventSearch,
    after: DeliveryCursor | null,
    limit: number,
    oldest: boolean,
  ) {
    const isNarrowed =
      [search.state, search.cause, search.destinationIds, search.subjects, search.wamid, search.text].some(
        (one) => one !== undefined,
      ) ||
      (search.lineId !== undefined && search.contacts !== undefined);
    const start: Walk = { after, end: null, oldest };
    const end = isNarrowed ? await endOf(search, start) : null;
    const at: Walk = { ...start, end };
    const ids = search.text && (await withText(search, at, search.text, limit + 1));
    const order = oldest ? 'asc' : 'desc';
    // Includes the event at which the page starts: the previous page may have shown some of its deliveries.
    const most = limit + 2;
    const looked = db
      .selectFrom(walk(search, at, isNarrowed ? LOOKED_AT : most).as('found'))
      .selectAll()
      .where(isMeant(search))
      .$if(ids !== undefined, (query) => query.where('found.id', 'in', ids?.length ? ids : ['']))
      .orderBy('found.id', order)
      .$if(!isNarrowed, (query) => query.limit(most));
    const rows = await db
      .selectFrom(looked.as('found'))
      .innerJoin('events', 'events.id', 'found.id')
      .leftJoin('deliveries', 'deliveries.event_id', 'found.id')
      .leftJoin('destinations', 'destinations.id', 'deliveries.destination_id')
      .leftJoin('attempts', (join) =>
        join
          .onRef('attempts.destination_id', '=', 'deliveries.destination_id')
          .onRef('attempts.event_id', '=', 'deliveries.event_id')
          .onRef('attempts.number', '=', 'deliveries.attempts'),
      )
      .select(['found.id as event_id', 'found.subject', 'found.kind'])
      .select(['found.contact', 'found.wamid', 'found.received_at', shortBody.as('body')])
      .select(['deliveries.destination_id', 'deliveries.state', 'deliveries.attempts'])
      .select(['deliveries.due_at', 'deliveries.finished_at'])
      .select((row) => row.fn.coalesce('destinations.line_id', 'found.line_id').as('line_id'))
      .select(['destinations.url', 'destinations.paused_at', 'destinations.failing_since'])
      .select(['destinations.origin', 'destinations.url_changed_at', 'attempts.started_at'])
      .select(['attempts.outcome', 'attempts.http_status'])
      .$if(search.destinationIds !== undefined, (query) =>
        query.where('deliveries.destination_id', 'in', search.destinationIds ?? []),
      )
      .$if(search.cause !== undefined, (query) => query.where('attempts.outcome', '=', search.cause ?? ''))
      .$if(search.state !== undefined, (query) => query.where(inState(search.state)))
      .$if(after !== null, (query) =>
        query.where(
          sql<SqlBool>`(${sql.ref('found.id')} <> ${after?.eventId ?? ''} or ${sql.ref('deliveries.destination_id')} ${
            oldest ? sql`>` : sql`<`
          } ${after?.destinationId ?? 0})`,
        ),
      )
      .orderBy('found.id', order)
      .orderBy('deliveries.destination_id', order)
      .limit(limit + 1)
      .execute();
    const shown = rows.slice(0, limit);
    const last = rows.length > limit ? shown.at(-1) : undefined;
    if (last)
      return {
        rows: shown,
        next: { dueAt: '', eventId: last.event_id, destinationId: last.destination_id ?? 0 },
      };
    return {
      rows: shown,
      next: end === null ? null : { dueAt: '', eventId: end, destinationId: oldest ? AFTER_ALL : 0 },
    };
  }

  return {
    page,

    /** Whether any event is from a contact with this name, or about a message to it. */
    knows: async (contact: string): Promise<boolean> =>
      (await db
        .selectFrom('events')
        .select('id')
        .where('contact', '=', contact)
        .limit(1)
        .executeTakeFirst()) !== undefined,

    /** The existing events with these identities, which identify repeats. */
    byIdentity: (identities: string[]): Promise<{ id: string; contact: string | null }[]> =>
      db
        .selectFrom('events')
        .select(['id', 'contact'])
        .where('identity', 'in', identities.length ? identities : [''])
        .limit(50)
        .execute(),

    /** The state of each delivery of some events. An event that was not forwarded is left out. */
    async standingOf(
      ids: string[],
    ): Promise<{ event_id: string; state: DeliveryState; paused_at: string | null }[]> {
      if (!ids.length) return [];
      return await db
        .selectFrom('deliveries')
        .innerJoin('destinations', 'destinations.id', 'deliveries.destination_id')
        .select(['deliveries.event_id', 'deliveries.state', 'destinations.paused_at'])
        .where('deliveries.event_id', 'in', ids)
        .limit(MOST_DELIVERIES)
        .execute();
    },

    /** The bodies of some events, as received. */
    async bodiesOf(ids: string[]): Promise<Map<string, string>> {
      if (!ids.length) return new Map();
      const rows = await db.selectFrom('events').select(['id', 'body']).where('id', 'in', ids).execute();
      return new Map(rows.map(({ id, body }) => [id, body]));
    },
  };
};

interface Walk {
  after: DeliveryCursor | null;
  /** The last event to read; null for no limit. */
  end: string | null;
  oldest: boolean;
}

/** Whether the filter only concerns deliveries, so that the indexes of the delivery list apply. */
const isOfDeliveries = (search: EventSearch): boolean =>
  [search.state, search.cause, search.destinationIds].some((one) => one !== undefined) &&
  [search.eventId, search.lineId, search.contacts, search.wamid, search.subjects, search.text].every(
    (one) => one === undefined,
  );

/** Whether pages of this search are in the order of due times. */
export const isInOrderOfDue = (search: EventSearch): boolean =>
  isOpenState(search.state) && isOfDeliveries(search);

/** The states of `delivery-list.ts` as a condition. */
function inState(wanted: DeliverySearch['state']): Expression<SqlBool> {
  const pending = sql<SqlBool>`deliveries.state = 'pending'`;
  if (wanted === 'open') return pending;
  if (wanted === 'parked') return sql<SqlBool>`${pending} and destinations.paused_at is not null`;
  if (wanted === 'waiting') return sql<SqlBool>`${pending} and destinations.paused_at is null`;
  return sql<SqlBool>`deliveries.state = ${wanted}`;
}
