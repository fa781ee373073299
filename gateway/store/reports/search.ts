import { type Kysely, type NotNull, type SelectQueryBuilder } from 'kysely';
import { type Schema } from '../schema';
import { firstOf } from '../rows';
import { type DestinationRow } from '../tables/destinations';
import { isNoOthers } from '../tables/templates';
import { type TokenRow } from '../tables/tokens';
import { identitiesOf } from '../tables/windows';
import { LOOKED_AT, shortBody } from './delivery-list';
import { mayHold, type TextSearch } from './text-search';

/**
 * Searches by parts of numbers, names and texts. Each query uses an index or a small table.
 * @param isOfSome whether `db` is narrowed to some lines
 */
export const searchTables = (db: Kysely<Schema>, isOfSome: boolean) => {
  const latestMessages = db
    .selectFrom('messages')
    .select(['accepted_at', 'contact'])
    .where('accepted_at', 'is not', null)
    .orderBy('accepted_at', 'desc')
    .limit(LOOKED_AT);

  /**
   * The next contact after `after` and before `before` in the index. Contacts are those who wrote, were written to,
   * or have another name.
   */
  async function nextContact(after: string, before: string, isAlso: boolean): Promise<string | null> {
    const compared = isAlso ? '>=' : '>';
    const first = (table: 'events' | 'messages' | 'aliases') =>
      db
        .selectFrom(table)
        .select('contact')
        .where('contact', compared, after)
        .where('contact', '<', before)
        .orderBy('contact')
        .limit(1);
    const found = await Promise.all([
      firstOf(first('events')),
      firstOf(first('messages').where('accepted_at', 'is not', null)),
      firstOf(first('aliases')),
    ]);
    return found.flatMap((row) => row?.contact ?? []).sort()[0] ?? null;
  }

  /**
   * As `beginningWith`, among those who wrote to some lines, have another name there, or got one of their latest
   * messages: the indexes of contacts contain those of other lines too.
   */
  async function ofLinesBeginningWith(digits: string, limit: number): Promise<string[]> {
    const latest = latestMessages.as('latest');
    const found = await Promise.all(
      [db.selectFrom('windows'), db.selectFrom('aliases'), db.selectFrom(latest)].map((known) =>
        (known as unknown as SelectQueryBuilder<Schema, 'windows', object>)
          .select('contact')
          .distinct()
          .where('contact', '>=', digits)
          .where('contact', '<', afterAllWith(digits))
          .orderBy('contact')
          .limit(limit)
          .execute(),
      ),
    );
    return [...new Set(found.flat().map(({ contact }) => contact))].sort().slice(0, limit);
  }

  /** Contacts whose number begins with these digits. */
  async function beginningWith(digits: string, limit: number): Promise<string[]> {
    if (isOfSome) return ofLinesBeginningWith(digits, limit);
    const found: string[] = [];
    for (let next: string | null = digits; next !== null && found.length < limit;) {
      next = await nextContact(next, afterAllWith(digits), !found.length);
      if (next !== null) found.push(next);
    }
    return found;
  }

  /** Contacts of recent conversations whose number contains these digits; the first in order. */
  async function withDigits(digits: string, limit: number): Promise<string[]> {
    const among = (known: SelectQueryBuilder<Schema, never, { contact: string | null }>) =>
      db
        .selectFrom(known.as('known'))
        .select('contact')
        .distinct()
        .where('contact', 'like', `%${digits}%`)
        .orderBy('contact')
        .limit(limit)
        .$narrowType<{ contact: NotNull }>()
        .execute();
    const latestEvents = db
      .selectFrom('events')
      .select(['id', 'contact'])
      .orderBy('id', 'desc')
      .limit(LOOKED_AT);
    const found = await Promise.all([
      among(db.selectFrom('windows').select('contact').limit(WINDOWS_LOOKED_AT)),
      among(latestEvents),
      among(latestMessages),
    ]);
    return [...new Set(found.flat().map(({ contact }) => contact))].slice(0, limit);
  }

  /** Contacts with recent messages that contain this text, latest first. */
  async function whoWrote(text: TextSearch, limit: number, events = LOOKED_AT): Promise<string[]> {
    const walk = db
      .selectFrom('events')
      .select(['id', 'subject', 'contact'])
      .orderBy('id', 'desc')
      .limit(events);
    const latest = db
      .selectFrom(walk.as('looked'))
      .innerJoin('events', 'events.id', 'looked.id')
      .select((row) => row.fn.max('looked.id').as('id'))
      .where('looked.subject', '=', 'message')
      .where('looked.contact', 'is not', null)
      .where(mayHold('events.body', text))
      .groupBy('looked.contact')
      .orderBy('id', 'desc')
      .limit(WRITERS_LOOKED_AT);
    const rows = await db
      .selectFrom(latest.as('latest'))
      .innerJoin('events', 'events.id', 'latest.id')
      .select(['events.contact', shortBody.as('body')])
      .orderBy('latest.id', 'desc')
      .$narrowType<{ contact: NotNull }>()
      .execute();
    return rows
      .filter(({ body }) => text.isIn(body ?? ''))
      .slice(0, limit)
      .map(({ contact }) => contact);
  }

  return {
    beginningWith,
    withDigits,
    whoWrote,
    identitiesOf: (names: string[], spellings: (name: string) => string[]): Promise<string[]> =>
      identitiesOf(db, names, spellings),

    /** Existing destinations whose URL may contain this text, latest first. */
    destinations: (text: TextSearch): Promise<Pick<DestinationRow, 'id' | 'line_id' | 'url'>[]> =>
      db
        .selectFrom('destinations')
        .select(['id', 'line_id', 'url'])
        .where('removed_at', 'is', null)
        .where('origin', '<>', 'question')
        .where(mayHold('url', text))
        .orderBy('id', 'desc')
        .limit(FEW)
        .execute(),

    /** Tokens whose name may contain this text, latest first. */
    tokens: (text: TextSearch): Promise<Pick<TokenRow, 'id' | 'line_id' | 'name' | 'revoked_at'>[]> =>
      db
        .selectFrom('tokens')
        .select(['id', 'line_id', 'name', 'revoked_at'])
        .where(mayHold('name', text))
        .orderBy('id', 'desc')
        .limit(FEW)
        .execute(),

    /** Templates of all lines whose name may contain this text, without those of the account's other customers. */
    templates: (text: TextSearch): Promise<{ line_id: number; name: string; language: string }[]> =>
      db
        .selectFrom('templates')
        .select(['line_id', 'name', 'language'])
        .where(isNoOthers)
        .where(mayHold('name', text))
        .orderBy('name')
        .orderBy('line_id')
        .orderBy('language')
        .limit(TEMPLATES_LOOKED_AT)
        .execute(),
  };
};

/** These rows are small: one per contact of a line. */
const WINDOWS_LOOKED_AT = 20_000;
const WRITERS_LOOKED_AT = 1_000;
const TEMPLATES_LOOKED_AT = 10_000;
/** The limit for tables of a few thousand rows. */
const FEW = 1_000;

/** The upper bound of all numbers that begin with these digits. */
function afterAllWith(digits: string): string {
  const kept = digits.replace(/9+$/, '');
  return kept ? kept.slice(0, -1) + String(Number(kept.at(-1)) + 1) : 'a';
}
