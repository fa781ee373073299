import { sql, type Kysely } from 'kysely';
import { type Schema } from '../schema';
import { firstOf } from '../rows';
import { identitiesOf } from '../tables/windows';

/** A contact of a line, and when something last came of him there. */
export interface FoundContact {
  contact: string;
  line_id: number;
  received_at: string;
}

/** What is looked for by a part of it. Each look is in an index, or among what is few. */
export const searchTables = (db: Kysely<Schema>) => {
  /** The first contact after this one and before that one, of those who wrote, were written to, or go by another name. */
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

  /** Contacts whose number begins so. */
  async function beginningWith(digits: string, limit: number): Promise<string[]> {
    const found: string[] = [];
    for (let next: string | null = digits; next !== null && found.length < limit;) {
      next = await nextContact(next, afterAllWith(digits), !found.length);
      if (next !== null) found.push(next);
    }
    return found;
  }

  /** The lines on which a contact is known lately, each once. */
  async function linesOf(contact: string): Promise<FoundContact[]> {
    const [events, messages] = await Promise.all([
      db
        .selectFrom('events')
        .select(['line_id', 'received_at as at'])
        .where('contact', '=', contact)
        .orderBy('id', 'desc')
        .limit(LATEST)
        .execute(),
      db
        .selectFrom('messages')
        .select(['line_id', 'accepted_at as at'])
        .where('contact', '=', contact)
        .where('accepted_at', 'is not', null)
        .orderBy('accepted_at', 'desc')
        .limit(LATEST)
        .execute(),
    ]);
    const known = [...events, ...messages].flatMap(({ line_id, at }) =>
      line_id === null || at === null ? [] : [{ contact, line_id, received_at: at }],
    );
    const ofLine = Map.groupBy(known, ({ line_id: id }) => id);
    return [...ofLine.values()].map((some) =>
      some.reduce((latest, one) => (one.received_at > latest.received_at ? one : latest)),
    );
  }

  return {
    beginningWith,
    identitiesOf: (spellings: string[]): Promise<string[]> => identitiesOf(db, spellings),

    async contacts(names: string[], limit: number): Promise<FoundContact[]> {
      const known = await Promise.all(names.map(linesOf));
      return known.flat().slice(0, limit);
    },

    /** Templates of all lines in whose name this stands. */
    templates: (
      part: string,
      limit: number,
    ): Promise<{ line_id: number; name: string; language: string }[]> =>
      db
        .selectFrom('templates')
        .select(['line_id', 'name', 'language'])
        .where(
          sql<boolean>`lower(name) like ${`%${part.toLowerCase().replace(/[%_\\]/g, '\\$&')}%`} escape '\\'`,
        )
        .orderBy('name')
        .orderBy('line_id')
        .orderBy('language')
        .limit(limit)
        .execute(),
  };
};

/** Events and messages of a contact among which his lines are looked for. */
const LATEST = 50;

/** Sorts after all that begins with these digits, and before all other numbers. */
function afterAllWith(digits: string): string {
  const kept = digits.replace(/9+$/, '');
  return kept ? kept.slice(0, -1) + String(Number(kept.at(-1)) + 1) : 'a';
}
