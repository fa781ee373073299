import { sql, type Kysely } from 'kysely';
import { isPostgres } from '../is-postgres';
import { inTransaction } from '../commit/retry-on-conflict';
import { type RegistryChangeTable, type Schema } from '../schema';

/** Changes: the ids of added, changed or removed rows, by table. */
export type RegistryChanges = Record<Registered, number[]>;

type Registered = RegistryChangeTable['changed'];

/** A process that missed more changes reads everything, which costs hardly more. */
const MOST_CHANGES = 1_000;

/** The revision of lines, tokens and destinations, of which every process keeps a copy in memory. */
export const registryTable = (db: Kysely<Schema>) => ({
  async revision(): Promise<number> {
    const { revision } = await db.selectFrom('registry').select('revision').executeTakeFirstOrThrow();
    return revision;
  },

  /**
   * The changes between two revisions. Null if some are unknown, because they are too many or come from a version
   * that does not record them: then everything must be read.
   */
  async changes(after: number, upTo: number): Promise<RegistryChanges | null> {
    const count = upTo - after;
    if (count < 0 || count > MOST_CHANGES) return null;
    const rows = await db
      .selectFrom('registry_changes')
      .selectAll()
      .where('revision', '>', after)
      .where('revision', '<=', upTo)
      .execute();
    if (rows.length < count) return null;
    const idsOf = (table: Registered) => [
      ...new Set(rows.filter(({ changed }) => changed === table).map(({ row_id: id }) => id)),
    ];
    return {
      lines: idsOf('lines'),
      tokens: idsOf('tokens'),
      admin_tokens: idsOf('admin_tokens'),
      destinations: idsOf('destinations'),
    };
  },

  /** How often data of contacts was erased. */
  async forgotten(): Promise<number> {
    const { forgotten } = await db.selectFrom('registry').select('forgotten').executeTakeFirstOrThrow();
    return forgotten;
  },

  /** Makes every process drop what it remembers of contacts, after an erasure. */
  forgot: (): Promise<void> =>
    changeRegistry(db, null, async (trx) => {
      await trx
        .updateTable('registry')
        .set((row) => ({ forgotten: row('forgotten', '+', 1) }))
        .execute();
    }),

  /** Increases the revision without a change, to test that processes notice it. */
  async touch(): Promise<void> {
    await db
      .updateTable('registry')
      .set((row) => ({ revision: row('revision', '+', 1) }))
      .execute();
  },
});

/**
 * Changes one row of the registry and increases the revision in the same transaction, so that every process reads the
 * row again. The revision is visible only after the commit, so revisions become visible in order.
 * @param which the row, or only its table if the change returns the row; null makes every process read everything
 */
export function changeRegistry<Row extends { id: number } | null>(
  db: Kysely<Schema>,
  which: Registered,
  change: (trx: Kysely<Schema>) => Promise<Row>,
): Promise<Row>;
export function changeRegistry<T>(
  db: Kysely<Schema>,
  which: [table: Registered, id: number] | null,
  change: (trx: Kysely<Schema>) => Promise<T>,
): Promise<T>;
export function changeRegistry<T>(
  db: Kysely<Schema>,
  which: Registered | [table: Registered, id: number] | null,
  change: (trx: Kysely<Schema>) => Promise<T>,
): Promise<T> {
  return inTransaction(db, async (trx) => {
    const changed = await change(trx);
    const { revision } = await trx
      .updateTable('registry')
      .set((row) => ({ revision: row('revision', '+', 1) }))
      .returning('revision')
      .executeTakeFirstOrThrow();
    const [table, id] = Array.isArray(which) ? which : [which, (changed as { id: number } | null)?.id];
    if (table !== null && id !== undefined) {
      await trx.insertInto('registry_changes').values({ revision, changed: table, row_id: id }).execute();
      await trx
        .deleteFrom('registry_changes')
        .where('revision', '<=', revision - MOST_CHANGES)
        .execute();
    }
    if (isPostgres(trx)) await sql`notify registry`.execute(trx);
    return changed;
  });
}
