import {
  sql,
  type Kysely,
  type NotNull,
  type RawBuilder,
  type SelectQueryBuilder,
  type SqlBool,
} from 'kysely';
import { type AliasTable, type Schema } from '../schema';
import { LOOKED_AT, shortBody } from './delivery-list';
import { sentBody, STATES, type MessageCursor } from './message-list';

/** Filters of conversations; all given ones apply. */
export interface ConversationSearch {
  lineId?: number;
  /** All names of one contact. */
  contacts?: string[];
  /** Only conversations whose contact is waiting for a reply. */
  waits?: boolean;
}

/** Message types that need no reply. `system` is the platform's own message about a contact. */
const ASKS_NOTHING = ['reaction', 'revoke', 'system'];

export const asksForAnswer = (kind: string): boolean => !ASKS_NOTHING.includes(kind);

/** Whether a message needs a reply. @param event the table alias of its event */
const asks = (event: string): RawBuilder<SqlBool> =>
  sql`${sql.ref(`${event}.kind`)} not in (${sql.join(ASKS_NOTHING.map((kind) => sql.lit(kind)))})`;

/** One name of a contact of a line. */
export interface ContactOfLine {
  line_id: number;
  contact: string;
}

/** The last received and the last sent message under one name. */
export interface LatestOfName extends ContactOfLine {
  written_at: string | null;
  /** Time of the last received message that needs a reply. */
  asked_at: string | null;
  /** The last received message, if it is stored. */
  body: string | null;
  sent_at: string | null;
}

/**
 * The last message from a contact to a line, by name; null for contacts that never wrote. The plus makes SQLite use
 * the index of contacts, because the index of lines would read every event of the line.
 */
const lastWritten = (name: string, column: 'id' | 'received_at', isAsking = false) => sql<string | null>`
  case when exists (
    select 1 from windows where line_id = ${sql.ref(`${name}.line_id`)} and contact = ${sql.ref(`${name}.contact`)}
  ) then (
    select ${sql.ref(column)} from events
    where contact = ${sql.ref(`${name}.contact`)} and +line_id = ${sql.ref(`${name}.line_id`)}
      and subject = 'message' and ${isAsking ? asks('events') : sql`1 = 1`}
    order by id desc limit 1
  ) end`;

/** The names as a table for joins, without those of other lines. */
const asked = (db: Kysely<Schema>, names: ContactOfLine[]) =>
  sql`select column1 as line_id, column2 as contact from (values ${sql.join(
    names.map(({ line_id: line, contact }) => sql`(cast(${line} as integer), cast(${contact} as text))`),
  )}) as given where column1 in ${db.selectFrom('lines').select('id')}`;

/** The most events of a contact with a line that are searched for its last message. */
const EVENTS_OF_CONTACT = 100;

/** The last row that one page reads; undefined at the end. */
const endOf = <Row>(walk: SelectQueryBuilder<Schema, never, Row>) =>
  walk
    .offset(LOOKED_AT - 1)
    .limit(1)
    .executeTakeFirst();

/**
 * Conversations, ordered by their last message. Each name has one row, in the list of received or of sent messages.
 * @param hasContent whether the reader may see the content of a line
 */
export const conversationList = (db: Kysely<Schema>, hasContent: (lineId: number) => boolean) => ({
  /**
   * A page of conversations whose last message is from the contact, newest first. Waiting conversations are ordered
   * by the last message that needs a reply.
   * @param after the event at which the previous page ended
   * @returns `next` is null at the end; before that, a page may be short or empty
   */
  async written(
    { lineId, contacts, waits = false }: ConversationSearch,
    after: string | null,
    limit: number,
  ) {
    const walk = db
      .selectFrom('events')
      .select(['id as place', 'line_id', 'contact', 'subject', 'kind', 'received_at as at'])
      .$if(contacts !== undefined, (query) => query.where('contact', 'in', contacts ?? []))
      .where('line_id', lineId === undefined ? 'is not' : '=', lineId ?? null)
      .$if(after !== null, (query) => query.where('id', '<', after ?? ''))
      .orderBy('id', 'desc')
      .limit(LOOKED_AT);
    const found = await db
      .selectFrom(walk.as('looked'))
      .innerJoin('events', 'events.id', 'looked.place')
      .select(['looked.place', 'looked.line_id', 'looked.contact', 'looked.at'])
      .select(['looked.kind', shortBody.as('body')])
      .where('looked.subject', '=', 'message')
      .where('looked.contact', 'is not', null)
      .$if(waits, (query) => query.where(asks('looked')))
      .where(
        sql<boolean>`(
          select 1 from events as later where later.contact = looked.contact and +later.line_id = looked.line_id
            and later.id > looked.place and later.subject = 'message'
            and ${waits ? asks('later') : sql`1 = 1`} limit 1
        ) is null and (
          select 1 from messages as later where later.contact = looked.contact and later.line_id = looked.line_id
            and later.accepted_at > looked.at limit 1
        ) is null`,
      )
      .orderBy('looked.place', 'desc')
      .limit(limit + 1)
      .$narrowType<{ line_id: NotNull; contact: NotNull }>()
      .execute();
    const last = found.length > limit ? found[limit - 1] : await endOf(walk);
    return { rows: found.slice(0, limit), next: last?.place ?? null };
  },

  /** A page of conversations whose last message was sent to the contact; pages as in `written`. */
  async sent({ lineId, contacts }: ConversationSearch, after: MessageCursor | null, limit: number) {
    const { acceptedAt = '', wamid = '' } = after ?? {};
    const walk = db
      .selectFrom('messages')
      .selectAll()
      .select('accepted_at as at')
      .where('accepted_at', 'is not', null)
      .$if(contacts !== undefined, (query) => query.where('contact', 'in', contacts ?? []))
      .$if(after !== null, (query) =>
        query
          .where('accepted_at', '<=', acceptedAt)
          .where((row) => row.or([row('accepted_at', '<', acceptedAt), row('wamid', '<', wamid)])),
      )
      .orderBy('accepted_at', 'desc')
      .orderBy('wamid', 'desc')
      .limit(LOOKED_AT)
      .$narrowType<{ at: NotNull }>();
    const found = await db
      .selectFrom(walk.as('looked'))
      .select(['line_id', 'contact', 'wamid', 'type as kind', 'at'])
      .select(['template_name', 'template_language'])
      .select([sentBody('looked'), sql<boolean | number>`${STATES.failed}`.as('has_failed')])
      .where('contact', 'is not', null)
      .$if(lineId !== undefined, (query) => query.where('line_id', '=', lineId ?? 0))
      .where(
        sql<boolean>`(
          select 1 from messages as later where later.contact = looked.contact and later.line_id = looked.line_id
            and later.accepted_at >= looked.accepted_at
            and (later.accepted_at > looked.accepted_at or later.wamid > looked.wamid)
          limit 1
        ) is null and coalesce(${lastWritten('looked', 'received_at')}, '') < looked.accepted_at`,
      )
      .orderBy('accepted_at', 'desc')
      .orderBy('wamid', 'desc')
      .limit(limit + 1)
      .$narrowType<{ contact: NotNull }>()
      .execute();
    const placeOf = ({ at, wamid: id }: { at: string; wamid: string }): MessageCursor => ({
      acceptedAt: at,
      wamid: id,
    });
    const last = found.length > limit ? found[limit - 1] : await endOf(walk);
    return {
      rows: found.slice(0, limit).map((row) => ({ ...row, place: placeOf(row) })),
      next: last ? placeOf(last) : null,
    };
  },

  /** Aliases that contain one of these names. */
  async aliasesOf(lineIds: number[], names: string[]): Promise<AliasTable[]> {
    if (!names.length) return [];
    return db
      .selectFrom('aliases')
      .selectAll()
      .where('line_id', 'in', lineIds)
      .where((row) => row.or([row('contact', 'in', names), row('identity', 'in', names)]))
      .execute();
  },

  async latestOf(all: ContactOfLine[]): Promise<LatestOfName[]> {
    const names = all.filter(({ line_id: line }) => hasContent(line));
    if (!names.length) return [];
    const { rows } = await sql<LatestOfName>`
      with asked as (${asked(db, names)}),
      latest as materialized (
        select line_id, contact, ${lastWritten('asked', 'id')} as id,
          ${lastWritten('asked', 'received_at', true)} as asked_at, (
          select max(accepted_at) from messages
          where messages.contact = asked.contact and messages.line_id = asked.line_id and accepted_at is not null
        ) as sent_at from asked
      )
      select latest.line_id, latest.contact, events.received_at as written_at, asked_at, ${shortBody} as body,
        sent_at
      from latest left join ${sql.table('events')} on events.id = latest.id`.execute(db);
    return rows;
  },

  /** The last message from each of these names, among its latest events. Names that never wrote are left out. */
  async lastWrittenOf(
    all: ContactOfLine[],
  ): Promise<(ContactOfLine & { id: string; body: string | null })[]> {
    const names = all.filter(({ line_id: line }) => hasContent(line));
    if (!names.length) return [];
    const { rows } = await sql<ContactOfLine & { id: string; body: string | null }>`
      with asked as (${asked(db, names)}),
      latest as materialized (
        select line_id, contact, (
          select id from (
            select id, subject from events where contact = asked.contact and +line_id = asked.line_id
            order by id desc limit ${EVENTS_OF_CONTACT}
          ) as looked
          where subject = 'message' order by id desc limit 1
        ) as id from asked
        where exists (
          select 1 from windows where windows.line_id = asked.line_id and windows.contact = asked.contact
        )
      )
      select latest.line_id, latest.contact, events.id, ${shortBody} as body
      from latest join ${sql.table('events')} on events.id = latest.id`.execute(db);
    return rows;
  },
});
