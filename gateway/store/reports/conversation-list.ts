import { type Kysely } from 'kysely';
import { type Schema } from '../schema';
import { LOOKED_AT, shortBody } from './delivery-list';

/** Whose conversations: all that fulfil everything that is given. */
export interface ConversationSearch {
  lineId?: number;
  /** Names of one contact. */
  contacts?: string[];
}

export type ListedConversation = Awaited<
  ReturnType<ReturnType<typeof conversationList>['page']>
>['rows'][number];

/** Contacts with what each last wrote to a line. */
export const conversationList = (db: Kysely<Schema>) => ({
  /**
   * A page of conversations, by the last message of each, the newest first.
   * @param after the event where the page before ended
   * @returns null as `next` where nothing follows; rows may be few, or none, where it is not
   */
  async page({ lineId, contacts }: ConversationSearch, after: string | null, limit: number) {
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
});
