import { sql, type Kysely, type RawBuilder, type SqlBool } from 'kysely';
import { type EventRow } from '../tables/events';
import { type MessageRow } from '../tables/messages';
import { type Schema } from '../schema';
import { LOOKED_AT } from './delivery-list';
import { mayHold, type TextSearch } from './text-search';

/** Filters of messages; all given ones apply. */
export interface MessageSearch {
  lineId?: number;
  /** All spellings of the contact. */
  contacts?: string[];
  state?: 'accepted' | 'sent' | 'delivered' | 'read' | 'played' | 'failed';
  /** The platform's error code; only with `failed`. */
  code?: number;
  /** ISO times of acceptance, or with `failed` of failure; `from` is inclusive, `to` exclusive. */
  from?: string;
  to?: string;
  /** Searches the stored text of sent messages, by time of acceptance. */
  text?: TextSearch;
}

/** Bodies of sent messages that are searched at a time, and their largest size in bytes. */
const BODIES_AT_ONCE = 500;
const LONGEST_BODY = 32_768;

/** The last row of a page, where the next page begins. */
export interface MessageCursor {
  acceptedAt: string;
  wamid: string;
}

/** The state filters, as `messages/message-record.ts` defines the states. */
export const STATES: Record<NonNullable<MessageSearch['state']>, RawBuilder<SqlBool>> = {
  accepted: sql`sent_at is null and delivered_at is null and read_at is null and played_at is null and failed_at is null`,
  sent: sql`sent_at is not null and delivered_at is null and read_at is null and played_at is null and failed_at is null`,
  delivered: sql`delivered_at is not null and read_at is null and played_at is null`,
  read: sql`read_at is not null and played_at is null`,
  played: sql`played_at is not null`,
  failed: sql`failed_at is not null and delivered_at is null and read_at is null and played_at is null`,
};

export type SentMessage = MessageRow & { body?: string | null };

/** The body of a sent message; null if it is not stored. @param message the table alias of the message */
export const sentBody = (message: string) =>
  sql<string | null>`(
    select body from ${sql.table('sent_bodies')}
    where line_id = ${sql.ref(`${message}.line_id`)} and wamid = ${sql.ref(`${message}.wamid`)}
  )`.as('body');

/** Errors are stored as the platform sent them: a code is a number, or rarely a string. */
const hasCode = (code: number): RawBuilder<SqlBool> => {
  const fits = [`${code},`, `${code}}`, `"${code}"`].map((text) => sql`failure like ${`%"code":${text}%`}`);
  return sql`(${sql.join(fits, sql` or `)})`;
};

type Order = 'accepted_at' | 'failed_at';

/** The condition for messages after a cursor, newest first. */
const isAfter = (order: Order, after: MessageCursor | null): RawBuilder<SqlBool> => {
  const { acceptedAt = '', wamid = '' } = after ?? {};
  const at = sql.ref(order);
  return sql`${at} <= ${acceptedAt} and (${at} < ${acceptedAt} or wamid < ${wamid})`;
};

const cursorOf = (row: MessageRow | undefined, order: Order): MessageCursor | null =>
  row ? { acceptedAt: row[order] ?? '', wamid: row.wamid } : null;

/** Lists of messages, and the messages of conversations. */
export const messageList = (db: Kysely<Schema>) => ({
  /**
   * A page of messages that contain these words, newest first. Searches a bounded number of stored bodies.
   * @returns few or no rows are possible while `next` is not null
   */
  async withText(
    search: MessageSearch & { text: TextSearch },
    after: MessageCursor | null,
    limit: number,
  ): Promise<{ rows: SentMessage[]; next: MessageCursor | null }> {
    const found: SentMessage[] = [];
    let place = after;
    for (let looked = 0; looked < LOOKED_AT; looked += BODIES_AT_ONCE) {
      const walk = db
        .selectFrom('sent_bodies')
        .select(['line_id', 'wamid', 'body', 'accepted_at'])
        .$if(search.from !== undefined, (query) => query.where('accepted_at', '>=', search.from ?? ''))
        .$if(search.to !== undefined, (query) => query.where('accepted_at', '<', search.to ?? ''))
        .$if(place !== null, (query) => query.where(isAfter('accepted_at', place)))
        .orderBy('accepted_at', 'desc')
        .orderBy('wamid', 'desc')
        .limit(BODIES_AT_ONCE);
      const rows = await db
        .selectFrom(walk.as('kept'))
        .innerJoin('messages', (join) =>
          join.onRef('messages.line_id', '=', 'kept.line_id').onRef('messages.wamid', '=', 'kept.wamid'),
        )
        .selectAll('messages')
        .select('kept.body')
        .where(sql<SqlBool>`octet_length(kept.body) <= ${LONGEST_BODY}`)
        .where(mayHold('kept.body', search.text))
        .$if(search.lineId !== undefined, (query) => query.where('messages.line_id', '=', search.lineId ?? 0))
        .$if(search.state !== undefined, (query) => query.where(STATES[search.state ?? 'accepted']))
        .orderBy('kept.accepted_at', 'desc')
        .orderBy('kept.wamid', 'desc')
        .execute();
      found.push(...rows.filter(({ body }) => search.text.isIn(body)));
      if (found.length > limit) {
        const shown = found.slice(0, limit);
        return { rows: shown, next: cursorOf(shown.at(-1), 'accepted_at') };
      }
      const last = await walk
        .offset(BODIES_AT_ONCE - 1)
        .limit(1)
        .executeTakeFirst();
      if (!last) return { rows: found, next: null };
      place = { acceptedAt: last.accepted_at, wamid: last.wamid };
    }
    return { rows: found, next: place };
  },

  /**
   * A page of messages sent through the gateway, with their stored bodies, newest first.
   * @param next the cursor of the next page; null at the end
   */
  async page(
    search: MessageSearch,
    after: MessageCursor | null,
    limit: number,
  ): Promise<{ rows: SentMessage[]; next: MessageCursor | null }> {
    // The order of the index that fits the filter best.
    const order = search.state === 'failed' && !search.contacts ? 'failed_at' : 'accepted_at';
    const isNarrowed = search.state !== undefined || search.lineId !== undefined;
    const walk = db
      .selectFrom('messages')
      .selectAll()
      .where(order, 'is not', null)
      .$if(search.contacts !== undefined, (query) => query.where('contact', 'in', search.contacts ?? []))
      .$if(search.from !== undefined, (query) => query.where(order, '>=', search.from ?? ''))
      .$if(search.to !== undefined, (query) => query.where(order, '<', search.to ?? ''))
      .$if(after !== null, (query) => query.where(isAfter(order, after)))
      .orderBy(order, 'desc')
      .orderBy('wamid', 'desc');
    const rows = await db
      .selectFrom(walk.limit(isNarrowed ? LOOKED_AT : limit + 1).as('looked'))
      .selectAll()
      .select(sentBody('looked'))
      .$if(search.lineId !== undefined, (query) => query.where('line_id', '=', search.lineId ?? 0))
      .$if(search.state !== undefined, (query) => query.where(STATES[search.state ?? 'accepted']))
      .$if(search.code !== undefined, (query) => query.where(hasCode(search.code ?? 0)))
      .orderBy(order, 'desc')
      .orderBy('wamid', 'desc')
      .limit(limit + 1)
      .execute();
    const shown = rows.slice(0, limit);
    if (rows.length > limit) return { rows: shown, next: cursorOf(shown.at(-1), order) };
    if (!isNarrowed) return { rows: shown, next: null };
    const last = await walk
      .offset(LOOKED_AT - 1)
      .limit(1)
      .executeTakeFirst();
    return { rows: shown, next: cursorOf(last, order) };
  },

  /** Messages with this platform id: one, unless several lines know it. */
  byId: (lineIds: number[], id: string): Promise<SentMessage[]> =>
    db
      .selectFrom('messages')
      .selectAll()
      .select(sentBody('messages'))
      .where('line_id', 'in', lineIds)
      .where('wamid', '=', id)
      .limit(50)
      .execute(),

  /** Messages from a contact to a line: before this event id, newest first; or from it on, oldest first. */
  written: (
    lineId: number,
    contacts: string[],
    id: string,
    limit: number,
    isForwards = false,
  ): Promise<EventRow[]> =>
    db
      .selectFrom('events')
      .selectAll()
      .where('contact', 'in', contacts)
      .where('line_id', '=', lineId)
      .where('subject', '=', 'message')
      .where('id', isForwards ? '>=' : '<', id)
      .orderBy('id', isForwards ? 'asc' : 'desc')
      .limit(limit)
      .execute(),

  /** Messages to a contact, with their stored bodies: before this time, newest first; or from it on, oldest first. */
  sent: (
    lineId: number,
    contacts: string[],
    at: string,
    limit: number,
    isForwards = false,
  ): Promise<SentMessage[]> =>
    db
      .selectFrom('messages')
      .selectAll()
      .select(sentBody('messages'))
      .where('contact', 'in', contacts)
      .where('accepted_at', 'is not', null)
      .where('accepted_at', isForwards ? '>=' : '<', at)
      .where('line_id', '=', lineId)
      .orderBy('accepted_at', isForwards ? 'asc' : 'desc')
      .orderBy('wamid', isForwards ? 'asc' : 'desc')
      .limit(limit)
      .execute(),
});
