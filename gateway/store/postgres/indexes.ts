import { sql, type Kysely } from 'kysely';
import { QUEUE_INDEXES } from '../migrations/017-sequence';
import { TOLD_INDEX } from '../migrations/020-kept';
import { LINE_INDEX } from '../migrations/024-events-of-line';
import { ALIAS_INDEXES } from '../migrations/026-alias-names';
import { GIVEN_UP_INDEX } from '../migrations/028-alert-facts';
import { LISTS_OF_LINES_INDEXES } from '../migrations/043-lists-of-lines';
import { LONGER_INDEXES, TIMES_OF_LINES_INDEXES } from '../migrations/045-times-of-lines';

/** Indexes that later ones replaced. */
const DROPPED = LONGER_INDEXES;

const nameOf = (index: string): string => index.slice(0, index.indexOf(' '));

/** Indexes of potentially large tables. Add new ones here, not in a migration. */
const INDEXES = [
  ...QUEUE_INDEXES,
  TOLD_INDEX,
  LINE_INDEX,
  ...ALIAS_INDEXES,
  GIVEN_UP_INDEX,
  ...LISTS_OF_LINES_INDEXES,
  ...TIMES_OF_LINES_INDEXES,
].filter((index) => !DROPPED.includes(nameOf(index)));

/**
 * Builds missing indexes, then drops those that they replace, while processes of the previous version keep writing.
 * This cannot run in a transaction, so it is not part of the migration. An interrupted build starts again.
 */
export async function buildIndexes<Tables>(db: Kysely<Tables>): Promise<void> {
  const names = INDEXES.map(nameOf);
  const { rows } = await sql<{ name: string; valid: boolean }>`
    select c.relname as name, i.indisvalid as valid from pg_index i join pg_class c on c.oid = i.indexrelid
    where pg_table_is_visible(c.oid) and c.relname in (${sql.join([...names, ...DROPPED])})`.execute(db);
  for (const [position, index] of INDEXES.entries()) {
    const found = rows.find(({ name }) => name === names[position]);
    if (found?.valid) continue;
    if (found) await sql`drop index concurrently ${sql.ref(found.name)}`.execute(db);
    await sql.raw(`create index concurrently ${index}`).execute(db);
  }
  for (const { name } of rows)
    if (DROPPED.includes(name)) await sql`drop index concurrently ${sql.ref(name)}`.execute(db);
}
