import { sql, type Kysely } from 'kysely';
import { QUEUE_INDEXES } from '../migrations/017-sequence';
import { TOLD_INDEX } from '../migrations/020-kept';
import { LINE_INDEX } from '../migrations/024-events-of-line';
import { ALIAS_INDEXES } from '../migrations/026-alias-names';
import { GIVEN_UP_INDEX } from '../migrations/028-alert-facts';
import { LISTS_OF_LINES_INDEXES } from '../migrations/043-lists-of-lines';
import { LONGER_INDEXES, TIMES_OF_LINES_INDEXES } from '../migrations/045-times-of-lines';
import { type Schema } from '../schema';
import { partsOf } from './partitions';

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
export async function buildIndexes(db: Kysely<Schema>): Promise<void> {
  for (const index of INDEXES) await build(db, index);
  for (const name of DROPPED) {
    const found = await indexNamed(db, name);
    if (found) await sql`drop index ${concurrently(found)} ${sql.ref(name)}`.execute(db);
  }
}

async function build(db: Kysely<Schema>, index: string): Promise<void> {
  const name = nameOf(index);
  const found = await indexNamed(db, name);
  if (found?.valid) return;
  if (found) await sql`drop index ${concurrently(found)} ${sql.ref(name)}`.execute(db);
  const table = / on (\w+) /.exec(index)?.[1] ?? '';
  const parts = await partsOf(db, table);
  const isDivided = parts.some((part) => part.name !== table);
  // The index of a divided table cannot be built beside writes. It joins those of the partitions, which are built first.
  if (isDivided)
    for (const part of parts)
      await build(db, index.replace(table, part.name).replace(` on ${table} `, ` on ${part.name} `));
  await sql.raw(`create index ${isDivided ? '' : 'concurrently'} ${index}`).execute(db);
}

interface Found {
  valid: boolean;
  isDivided: boolean;
}

const concurrently = ({ isDivided }: Found) => (isDivided ? sql`` : sql`concurrently`);

async function indexNamed(db: Kysely<Schema>, name: string): Promise<Found | undefined> {
  const { rows } = await sql<Found>`
    select i.indisvalid as valid, c.relkind = 'I' as "isDivided"
    from pg_index i join pg_class c on c.oid = i.indexrelid
    where pg_table_is_visible(c.oid) and c.relname = ${name}`.execute(db);
  return rows[0];
}
