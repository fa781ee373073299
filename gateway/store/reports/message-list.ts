import { sql, type Kysely, type RawBuilder, type SqlBool } from 'kysely';
import { type EventRow } from '../tables/events';
import { type MessageRow } from '../tables/messages';
import { type Schema } from '../schema';
import { LOOKED_AT } from './delivery-list';

/** Which messages a list shows: all that fulfil everything that is given. */
export interface MessageSearch {
  lineId?: number;
  /** In any of its spellings. */
  contacts?: string[];
  state?: 'accepted' | 'sent' | 'delivered' | 'read' | 'played' | 'failed';
  /** ISO times: accepted, or with `failed` failed, from then on and before then. */
  from?: string;
  to?: string;
}

/** Where a page begins: after this one. */
export interface MessageCursor {
  acceptedAt: string;
  wamid: string;
}

/** As `messages/message-record.ts` tells the state of one. */
export const STATES: Record<NonNullable<MessageSearch['state']>, RawBuilder<SqlBool>> = {
  accepted: sql`sent_at is null and delivered_at is null and read_at is null and played_at is null and failed_at is null`,
  sent: sql`sent_at is not null and delivered_at is null and read_at is null and played_at is null and failed_at is null`,
  delivered: sql`delivered_at is not null and read_at is null and played_at is null`,
  read: sql`read_at is not null and played_at is null`,
  played: sql`played_at is not null`,
  failed: sql`failed_at is not null and delivered_at is null and read_at is null and played_at is null`,
};

export type SentMessage = MessageRow & { body?: string | null };

/** The body of what was sent, of a message that goes by this name; null where it is not kept. */
export const sentBody = (message: string) =>
  sql<string | null>`(
    select body from sent_bodies
    where line_id = ${sql.ref(`${message}.line_id`)} and wamid = ${sql.ref(`${message}.wamid`)}
  )`.as('body');

/** Messages as people look through them, and what was said around them. */
export const messageList = (db: Kysely<Schema>) => ({
  /** A page of what was sent through the gateway, with the body where it is kept; newest first. @param next where the next page begins, or null */
  async page(
    search: MessageSearch,
    after: MessageCursor | null,
    limit: number,
  ): Promise<{ rows: SentMessage[]; next: MessageCursor | null }> {
    // By whichever index knows most of what is looked for.
    const order = search.state === 'failed' && !search.contacts ? 'failed_at' : 'accepted_at';
    const isNarrowed = search.state !== undefined || search.lineId !== undefined;
    const walk = db
      .selectFrom('messages')
      .selectAll()
      .where(order, 'is not', null)
      .$if(search.contacts !== undefined, (query) => query.where('contact', 'in', search.contacts ?? []))
      .$if(search.from !== undefined, (query) => query.where(order, '>=', search.from ?? ''))
      .$if(search.to !== undefined, (query) => query.where(order, '<', search.to ?? ''))
      .$if(after !== null, (query) =>
        query
          .where(order, '<=', after?.acceptedAt ?? '')
          .where((row) =>
            row.or([row(order, '<', after?.acceptedAt ?? ''), row('wamid', '<', after?.wamid ?? '')]),
          ),
      )
      .orderBy(order, 'desc')
      .orderBy('wamid', 'desc');
    const rows = await db
      .selectFrom(walk.limit(isNarrowed ? LOOKED_AT : limit + 1).as('looked'))
      .selectAll()
      .select(sentBody('looked'))
      .$if(search.lineId !== undefined, (query) => query.where('line_id', '=', search.lineId ?? 0))
      .$if(search.state !== undefined, (query) => query.where(STATES[search.state ?? 'accepted']))
      .orderBy(order, 'desc')
      .orderBy('wamid', 'desc')
      .limit(limit + 1)
      .execute();
    const shown = rows.slice(0, limit);
    const placeOf = (row: MessageRow | undefined): MessageCursor | null =>
      row ? { acceptedAt: row[order] ?? '', wamid: row.wamid } : null;
    if (rows.length > limit) return { rows: shown, next: placeOf(shown.at(-1)) };
    if (!isNarrowed) return { rows: shown, next: null };
    return {
      rows: shown,
      next: placeOf(
        await walk
          .offset(LOOKED_AT - 1)
          .limit(1)
          .executeTakeFirst(),
      ),
    };
  },

  /** By the platform's id: one, unless several lines know it. */
  byId: (lineIds: number[], id: string): Promise<MessageRow[]> =>
    db
      .selectFrom('messages')
      .selectAll()
      .where('line_id', 'in', lineIds)
      .where('wamid', '=', id)
      .limit(50)
      .execute(),

  /** What a contact wrote to a line, from before this event id on back; newest first. */
  written: (lineId: number, contacts: string[], before: string, limit: number): Promise<EventRow[]> =>
    db
      .selectFrom('events')
      .selectAll()
      .where('contact', 'in', contacts)
      .where('line_id', '=', lineId)
      .where('subject', '=', 'message')
      .where('id', '<', before)
      .orderBy('id', 'desc')
      .limit(limit)
      .execute(),

  /** What was sent to a contact before this time, with the body where it is kept; newest first. */
  sent: (lineId: number, contacts: string[], before: string, limit: number): Promise<SentMessage[]> =>
    db
      .selectFrom('messages')
      .selectAll()
      .select(sentBody('messages'))
      .where('contact', 'in', contacts)
      .where('accepted_at', 'is not', null)
      .where('accepted_at', '<', before)
      .where('line_id', '=', lineId)
      .orderBy('accepted_at', 'desc')
      .orderBy('wamid', 'desc')
      .limit(limit)
      .execute(),
});
