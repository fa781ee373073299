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

/** Whose conversations: all that fulfil everything that is given. */
export interface ConversationSearch {
  lineId?: number;
  /** Names of one contact. */
  contacts?: string[];
  /** Those whose contact asked for an answer and got none. */
  waits?: boolean;
}

/** Types of messages that ask for no answer: the platform's own word about a contact is one of them. */
const ASKS_NOTHING = ['reaction', 'revoke', 'system'];

export const asksForAnswer = (kind: string): boolean => !ASKS_NOTHING.includes(kind);

/** Whether a message asks for an answer. @param event the name by which its row goes */
const asks = (event: string): RawBuilder<SqlBool> =>
  sql`${sql.ref(`${event}.kind`)} not in (${sql.join(ASKS_NOTHING.map((kind) => sql.lit(kind)))})`;

/** A contact of a line, by one of his names. */
export interface ContactOfLine {
  line_id: number;
  contact: string;
}

/** What was last written and last sent under one name. */
export interface LatestOfName extends ContactOfLine {
  written_at: string | null;
  /** Of what was written and asks for an answer. */
  asked_at: string | null;
  /** Of what was written, where it is kept. */
  body: string | null;
  sent_at: string | null;
}

/**
 * The last of what a contact wrote to a line, by his name; who never wrote is not looked for among his events. The plus
 * keeps SQLite to the index of contacts: that of lines leads through all that a line received.
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

/** As a table to look into. */
const asked = (names: ContactOfLine[]) =>
  sql`select column1 as line_id, column2 as contact from (values ${sql.join(
    names.map(({ line_id: line, contact }) => sql`(cast(${line} as integer), cast(${contact} as text))`),
  )}) as given`;

/** Of a contact, that are looked through for what he wrote last. */
const EVENTS_OF_CONTACT = 100;

/** The last of what one page looks at; undefined where nothing follows. */
const endOf = <Row>(walk: SelectQueryBuilder<Schema, never, Row>) =>
  walk
    .offset(LOOKED_AT - 1)
    .limit(1)
    .executeTakeFirst();

/** Conversations by their last message: under each name, one stands in the list of what was written or in that of what was sent. */
export const conversationList = (db: Kysely<Schema>) => ({
  /**
   * A page of those whose last message the contact wrote, the newest first; of those that wait, by the last message that
   * asks for an answer.
   * @param after the event where the page before ended
   * @returns null as `next` where nothing follows; rows may be few, or none, where it is not
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

  /** A page of those whose last message was sent to the contact, as of what was written. */
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

  /** Aliases in which one of these names stands. */
  async aliasesOf(lineIds: number[], names: string[]): Promise<AliasTable[]> {
    if (!names.length) return [];
    return db
      .selectFrom('aliases')
      .selectAll()
      .where('line_id', 'in', lineIds)
      .where((row) => row.or([row('contact', 'in', names), row('identity', 'in', names)]))
      .execute();
  },

  async latestOf(names: ContactOfLine[]): Promise<LatestOfName[]> {
    if (!names.length) return [];
    const { rows } = await sql<LatestOfName>`
      with asked as (${asked(names)}),
      latest as materialized (
        select line_id, contact, ${lastWritten('asked', 'id')} as id,
          ${lastWritten('asked', 'received_at', true)} as asked_at, (
          select max(accepted_at) from messages
          where messages.contact = asked.contact and messages.line_id = asked.line_id and accepted_at is not null
        ) as sent_at from asked
      )
      select latest.line_id, latest.contact, events.received_at as written_at, asked_at, ${shortBody} as body,
        sent_at
      from latest left join events on events.id = latest.id`.execute(db);
    return rows;
  },

  /** What was last written under each of these names, of the latest events of each; of who never wrote, none is looked at. */
  async lastWrittenOf(
    names: ContactOfLine[],
  ): Promise<(ContactOfLine & { id: string; body: string | null })[]> {
    if (!names.length) return [];
    const { rows } = await sql<ContactOfLine & { id: string; body: string | null }>`
      with asked as (${asked(names)}),
      latest as materialized (
        select line_id, contact, (
          select id from (
            select id, line_id, subject from events where contact = asked.contact
            order by id desc limit ${EVENTS_OF_CONTACT}
          ) as looked
          where looked.line_id = asked.line_id and subject = 'message' order by id desc limit 1
        ) as id from asked
        where exists (
          select 1 from windows where windows.line_id = asked.line_id and windows.contact = asked.contact
        )
      )
      select latest.line_id, latest.contact, events.id, ${shortBody} as body
      from latest join events on events.id = latest.id`.execute(db);
    return rows;
  },
});
