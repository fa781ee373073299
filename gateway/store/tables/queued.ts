import { sql, type ExpressionBuilder, type Kysely, type RawBuilder, type SqlBool } from 'kysely';
import { isPostgres } from '../is-postgres';
import { type DeliveryState, type EventTable, type Schema } from '../schema';

/** A waiting delivery, as the destination's owner reads it. Reading changes nothing. */
export interface QueuedDelivery {
  event_id: string;
  lane: string;
  sequence: number;
  attempts: number;
  attempts_before: number;
  due_at: string;
  /** When the first attempt failed, in milliseconds; null if the delivery was not tried. */
  failed_at: number | null;
  /** Bytes of the body. */
  size: number;
  /**
   * Empty if it is large; null if the delivery waits until it is due. In both cases it is read when the delivery is
   * sent (`body`).
   */
  body: string | null;
  automation: EventTable['automation'];
  late_answer_to: string | null;
}

export interface QueuePage {
  rows: QueuedDelivery[];
  /** Whether no further rows follow. */
  isLast: boolean;
}

export interface UntriedPage extends QueuePage {
  /** The sequence at which the page starts; meaningless without rows. */
  from: number;
}

/** The first waiting delivery of each kind at a destination. */
export interface FirstQueued {
  id: number;
  /** Event ids. */
  untried: string | null;
  holding: string | null;
  later: string | null;
  replayed: string | null;
  /** The ordering key of the untried delivery. */
  lane: string | null;
}

/**
 * Deliveries that wait until they are due: `holding` ones failed once or twice and may block their contact, `later`
 * ones failed more often, `replayed` ones had ended and are resent.
 */
export const DUE_KINDS = ['holding', 'later', 'replayed'] as const;
export type DueKind = (typeof DUE_KINDS)[number];

/** Bytes. A larger body is read when it is sent, because a page may have a thousand rows. */
const MOST_READ_AHEAD = 16 * 1024;

/** Literals, so that the databases can use the partial indexes. */
const UNTRIED = sql<SqlBool>`state = 'pending' and attempts = 0`;
export const DUE: Record<DueKind, RawBuilder<SqlBool>> = {
  holding: sql`state = 'pending' and attempts in (1, 2) and attempts_before = 0`,
  later: sql`state = 'pending' and attempts > 2 and attempts_before = 0`,
  replayed: sql`state = 'pending' and attempts_before > 0`,
};

/** PostgreSQL returns large numbers as text. */
type Sizes = { size: number | string };
type From = { read_from: number | string };

/** The first attempt of a delivery. */
type First = { started_at: string | null; duration_ms: number | null };

const numbered = <Row extends { sequence: number | string | null; size?: number | string }>(row: Row) => ({
  ...row,
  sequence: Number(row.sequence ?? 0),
  size: Number(row.size ?? 0),
});

/** When a destination's first pending delivery is due: one index look-up, however many wait. */
export const leastDue = (row: ExpressionBuilder<Schema, 'destinations'>) =>
  row
    .selectFrom('deliveries')
    .select('due_at')
    .whereRef('destination_id', '=', 'destinations.id')
    .where('state', '=', sql.lit<DeliveryState>('pending'))
    .orderBy('due_at')
    .limit(1);

export const queuedTable = (db: Kysely<Schema>) => {
  async function untried(
    destinationId: number,
    which: RawBuilder<unknown>,
    limit: number,
    start = sql`start as (select 0 as sequence)`,
  ): Promise<UntriedPage> {
    const { rows } = await sql<QueuedDelivery & Sizes & From>`
      with ${start}
      select d.*, automation, late_answer_to, octet_length(body) as size, (select sequence from start) as read_from,
        case when octet_length(body) <= ${sql.lit(MOST_READ_AHEAD)} then body else '' end as body
      from (
        select event_id, lane, sequence, attempts, attempts_before, due_at
        from deliveries where destination_id = ${destinationId} and ${UNTRIED} and ${which}
        order by sequence limit ${limit}
      ) as d join events on id = event_id
      order by sequence`.execute(db);
    return {
      rows: rows.map((row) => numbered({ ...row, failed_at: null })),
      isLast: rows.length < limit,
      from: Number(rows[0]?.read_from ?? 0),
    };
  }

  return {
    /**
     * The destinations with deliveries to send, and the first delivery of each kind.
     * @param soon excludes deliveries that are due later
     * @param removedAfter includes destinations that were removed after this time, because deliveries may have been
     * recorded during the removal
     */
    async first(soon: string, removedAfter: string): Promise<FirstQueued[]> {
      const due = (kind: DueKind) =>
        sql`(select event_id from deliveries where destination_id = destinations.id and ${DUE[kind]}
          and due_at <= ${soon} order by due_at limit 1)`;
      const first = (column: 'event_id' | 'lane') =>
        sql`(select ${sql.ref(column)} from deliveries where destination_id = destinations.id and ${UNTRIED}
          order by sequence limit 1)`;
      const { rows } = await sql<FirstQueued>`
        select * from (
          select id, ${first('event_id')} as untried, ${first('lane')} as lane, ${due('holding')} as holding,
            ${due('later')} as later, ${due('replayed')} as replayed
          from destinations where removed_at is null or removed_at > ${removedAfter}
        ) as found
        where coalesce(untried, holding, later, replayed) is not null`.execute(db);
      return rows;
    },

    /**
     * Untried deliveries by sequence, from `from` or the first row in `arrivals`, which this read deletes.
     * @param from null: only from `arrivals`
     * @param owner the reading process; only the owner's read uses `arrivals`
     */
    untried(destinationId: number, from: number | null, limit: number, owner = ''): Promise<UntriedPage> {
      // The deletion need not be durable: rows that reappear after a crash are read once more.
      const start = isPostgres(db)
        ? sql`taken as (
            delete from arrivals where destination_id = ${destinationId}
              and set_config('synchronous_commit', 'off', true) = 'off' and exists (
                select from owners where owners.destination_id = ${destinationId} and process_id = ${owner}
              ) returning sequence
          ), start as (
            select least(${from}::bigint, min(sequence)) as sequence from taken
          )`
        : sql`start as (select ${from} as sequence)`;
      return untried(destinationId, sql`sequence >= (select sequence from start)`, limit, start);
    },

    /** Untried deliveries of one contact, without the known ones. */
    ofContact(destinationId: number, lane: string, known: string[], limit: number): Promise<QueuePage> {
      const isUnknown = known.length ? sql`event_id not in (${sql.join(known)})` : sql`1 = 1`;
      return untried(destinationId, sql`lane = ${lane} and ${isUnknown}`, limit);
    },

    /**
     * Deliveries that are due by a time, earliest first, without bodies. Those due at the same moment are unordered,
     * because sorting them would make PostgreSQL read the whole backlog.
     */
    async due(kind: DueKind, destinationId: number, by: string, limit: number): Promise<QueuePage> {
      const { rows } = await sql<Omit<QueuedDelivery, 'size' | 'body' | 'failed_at'> & Sizes & First>`
        select d.*, e.automation, e.late_answer_to, octet_length(e.body) as size, started_at, duration_ms from (
          select event_id, lane, sequence, attempts, attempts_before, due_at from deliveries
          where destination_id = ${destinationId} and ${DUE[kind]} and due_at <= ${by}
          order by due_at limit ${limit}
        ) as d join events e on e.id = d.event_id left join attempts a
          on a.destination_id = ${destinationId} and a.event_id = d.event_id and a.number = 1
        order by due_at, d.event_id`.execute(db);
      return {
        rows: rows.map(({ started_at: began, duration_ms: took, ...row }) =>
          numbered({
            ...row,
            body: null,
            failed_at: began === null ? null : Date.parse(began) + (took ?? 0),
          }),
        ),
        isLast: rows.length < limit,
      };
    },

    /** The body of an event; null if the event is gone. */
    async body(eventId: string): Promise<string | null> {
      const row = await db.selectFrom('events').select('body').where('id', '=', eventId).executeTakeFirst();
      return row?.body || null;
    },
  };
};
