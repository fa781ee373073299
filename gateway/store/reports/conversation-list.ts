import { sql, type Kysely } from 'kysely';
import { type AliasTable, type Schema } from '../schema';
import { LOOKED_AT, shortBody } from './delivery-list';
import { type MessageCursor } from './message-list';

/** Whose conversations: all that fulfil everything that is given. */
export interface ConversationSearch {
  lineId?: number;
  /** Names of one contact. */
  contacts?: string[];
}

type Lists = ReturnType<typeof conversationList>;
export type WrittenConversation = Awaited<ReturnType<Lists['written']>>['rows'][number];
export type UnansweredConversation = Awaited<ReturnType<Lists['unanswered']>>['rows'][number];

/** A contact of a line, by one of his names. */
export interface ContactOfLine {
  line_id: number;
  contact: string;
}

/** A message to a contact of a line. */
export interface SentLater extends ContactOfLine {
  type: string | null;
  accepted_at: string;
  /** Null where it is not kept. */
  body: string | null;
}

/** Contacts with what each last wrote to a line, and those who were only written to. */
export const conversationList = (db: Kysely<Schema>) => ({
  /**
   * A page of conversations, by the last message of each, the newest first.
   * @param after the event where the page before ended
   * @returns null as `next` where nothing follows; rows may be few, or none, where it is not
   */
  async written({ lineId, contacts }: ConversationSearch, after: string | null, limit: number) {
    const walk = db
      .selectFrom('events')
      .select(['id', 'line_id', 'contact', 'subject'])
      .$if(contacts !== undefined, (query) => query.where('contact', 'in', contacts ?? []))
      .where('line_id', lineId === undefined ? 'is not' : '=', lineId ?? null)
      .$if(after !== null, (query) => query.where('id', '<', after ?? ''))
      .orderBy('id', 'desc')
      .limit(LOOKED_AT);
    const latest = db
      .selectFrom(walk.as('looked'))
      .select((row) => ['line_id', 'contact', row.fn.max('id').as('id')])
      .where('subject', '=', 'message')
      .where('contact', 'is not', null)
      .groupBy(['line_id', 'contact']);
    const found = await db
      .selectFrom(latest.as('latest'))
      .innerJoin('events', 'events.id', 'latest.id')
      .select(['events.id', 'events.line_id', 'events.contact', 'events.kind', 'events.received_at'])
      .select(shortBody.as('body'))
      // Who wrote later stood on a page before.
      .$if(after !== null, (query) =>
        query.where((row) =>
          row.not(
            row.exists(
              row
                .selectFrom('events as later')
                .select('later.id')
                .whereRef('later.contact', '=', 'latest.contact')
                .whereRef('later.line_id', '=', 'latest.line_id')
                .where('later.id', '>=', after ?? '')
                .where('later.subject', '=', 'message'),
            ),
          ),
        ),
      )
      .orderBy('events.id', 'desc')
      .limit(limit + 1)
      .execute();
    const rows = found
      .slice(0, limit)
      .flatMap(({ line_id, contact, ...row }) =>
        line_id === null || contact === null ? [] : [{ ...row, line_id, contact }],
      );
    if (found.length > limit) return { rows, next: rows.at(-1)?.id ?? null };
    const end = await walk
      .offset(LOOKED_AT - 1)
      .limit(1)
      .executeTakeFirst();
    return { rows, next: end?.id ?? null };
  },

  /**
   * A page of those who were written to and never wrote under that name, by the last message to each, the newest first.
   * @returns as of what was written
   */
  async unanswered({ lineId, contacts }: ConversationSearch, after: MessageCursor | null, limit: number) {
    const { acceptedAt = '', wamid = '' } = after ?? {};
    const walk = db
      .selectFrom('messages')
      .select(['line_id', 'contact', 'wamid', 'type', 'accepted_at'])
      .where('accepted_at', 'is not', null)
      .$if(contacts !== undefined, (query) => query.where('contact', 'in', contacts ?? []))
      .$if(after !== null, (query) =>
        query
          .where('accepted_at', '<=', acceptedAt)
          .where((row) => row.or([row('accepted_at', '<', acceptedAt), row('wamid', '<', wamid)])),
      )
      .orderBy('accepted_at', 'desc')
      .orderBy('wamid', 'desc')
      .limit(LOOKED_AT);
    const ranked = db
      .selectFrom(walk.as('looked'))
      .selectAll()
      .select(
        sql<number>`row_number() over (partition by line_id, contact order by accepted_at desc, wamid desc)`.as(
          'place',
        ),
      )
      .where('contact', 'is not', null)
      .$if(lineId !== undefined, (query) => query.where('line_id', '=', lineId ?? 0));
    const found = await db
      .selectFrom(ranked.as('latest'))
      .leftJoin('sent_bodies', (join) =>
        join
          .onRef('sent_bodies.line_id', '=', 'latest.line_id')
          .onRef('sent_bodies.wamid', '=', 'latest.wamid'),
      )
      .select(['latest.line_id', 'latest.contact', 'latest.wamid', 'latest.type', 'latest.accepted_at'])
      .select('sent_bodies.body')
      .where('place', '=', 1)
      .where((row) =>
        row.not(
          row.exists(
            row
              .selectFrom('windows')
              .select('windows.contact')
              .whereRef('windows.line_id', '=', 'latest.line_id')
              .whereRef('windows.contact', '=', 'latest.contact'),
          ),
        ),
      )
      // Who was written to later stood on a page before.
      .$if(after !== null, (query) =>
        query.where((row) =>
          row.not(
            row.exists(
              row
                .selectFrom('messages as later')
                .select('later.wamid')
                .whereRef('later.contact', '=', 'latest.contact')
                .whereRef('later.line_id', '=', 'latest.line_id')
                .where('later.accepted_at', '>=', acceptedAt)
                .where((one) =>
                  one.or([one('later.accepted_at', '>', acceptedAt), one('later.wamid', '>=', wamid)]),
                ),
            ),
          ),
        ),
      )
      .orderBy('latest.accepted_at', 'desc')
      .orderBy('latest.wamid', 'desc')
      .limit(limit + 1)
      .execute();
    const rows = found
      .slice(0, limit)
      .flatMap(({ contact, accepted_at, ...row }) =>
        contact === null || accepted_at === null ? [] : [{ ...row, contact, accepted_at }],
      );
    const placeOf = (row: { accepted_at: string | null; wamid: string } | undefined): MessageCursor | null =>
      row ? { acceptedAt: row.accepted_at ?? '', wamid: row.wamid } : null;
    if (found.length > limit) return { rows, next: placeOf(rows.at(-1)) };
    const end = await walk
      .offset(LOOKED_AT - 1)
      .limit(1)
      .executeTakeFirst();
    return { rows, next: placeOf(end) };
  },

  /** Those of these names under which somebody wrote to the line, or under one that is the same to the platform. */
  async whoWrote(names: ContactOfLine[]): Promise<ContactOfLine[]> {
    if (!names.length) return [];
    const asked = sql.join(
      names.map(({ line_id: line, contact }) => sql`(cast(${line} as integer), cast(${contact} as text))`),
    );
    const { rows } = await sql<ContactOfLine>`
      select asked.column1 as line_id, asked.column2 as contact from (values ${asked}) as asked
      where exists (select 1 from windows where line_id = asked.column1 and contact = asked.column2)
        or exists (
          select 1 from aliases join windows
            on windows.line_id = aliases.line_id and windows.contact = aliases.identity
          where aliases.line_id = asked.column1 and aliases.contact = asked.column2
        )`.execute(db);
    return rows;
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

  /** What was last sent to each of these names after a time, with the body where it is kept. */
  async sentLater(names: (ContactOfLine & { after: string })[]): Promise<SentLater[]> {
    if (!names.length) return [];
    const asked = sql.join(
      names.map(
        ({ line_id: line, contact, after }) =>
          sql`(cast(${line} as integer), cast(${contact} as text), cast(${after} as text))`,
      ),
    );
    const { rows } = await sql<SentLater>`
      with latest as materialized (
        select asked.column1 as line_id, asked.column2 as contact, (
          select wamid from messages
          where messages.contact = asked.column2 and messages.line_id = asked.column1
            and messages.accepted_at > asked.column3
          order by messages.accepted_at desc, messages.wamid desc limit 1
        ) as wamid
        from (values ${asked}) as asked
      )
      select latest.line_id, latest.contact, messages.type, messages.accepted_at, sent_bodies.body
      from latest
      join messages on messages.line_id = latest.line_id and messages.wamid = latest.wamid
      left join sent_bodies on sent_bodies.line_id = latest.line_id and sent_bodies.wamid = latest.wamid`.execute(
      db,
    );
    return rows;
  },
});
