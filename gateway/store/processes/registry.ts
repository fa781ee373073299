import { sql, type Kysely } from 'kysely';
import { isPostgres } from '../is-postgres';
import { inTransaction } from '../commit/retry-on-conflict';
import { type RegistryChangeTable, type Schema } from '../schema';

/** Changes: the ids of rows that were added, changed or removed. */
export type RegistryChanges = Record<Registered, number[]>;

type Registered = RegistryChangeTable['changed'];

/** Who has missed more reads everything, which is then hardly more. */
const MOST_CHANGES = 1_000;

/** The revision of lines, tokens and destinations, which every process keeps in memory. */
export const registryTable = (db: Kysely<Schema>) => ({
  async revision(): Promise<number> {
    const { revision } = await db.selectFrom('registry').select('revision').executeTakeFirstOrThrow();
    return revision;
  },

  /**
   * The changes after one revision, up to another. Null if they are not all known: they are too many, or one
   * was made by a version of the gateway that does not record them. Then everything has to be read.
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
    return { lines: idsOf('lines'), tokens: idsOf('tokens'), destinations: idsOf('destinations') };
  },

  /** How often people were forgotten. */
  async forgotten(): Promise<number> {
    const { forgotten } = await db.selectFrom('registry').select('forgotten').executeTakeFirstOrThrow();
    return forgotten;
  },

  /** People were forgotten: every process is to do so as well. */
  forgot: (): Promise<void> =>
    changeRegistry(db, null, async (trx) => {
      await trx
        .updateTable('registry')
        .set((row) => ({ forgotten: row('forgotten', '+', 1) }))
        .execute();
    }),

  /** Increases the revision without a change, to test that processes notice. */
  async touch(): Promise<void> {
    await db
      .updateTable('registry')
      .set((row) => ({ revision: row('revision', '+', 1) }))
      .execute();
  },
});

/**
 * Changes one row of the registry, so that every process reads it again. The revision increases in the same
 * transaction: a process that sees the new number sees the change. The number is not visible before the
 * commit, so revisions become visible in their order.
 * @param which the row, or only the table of the row that the change returns. With null, every process reads
 * everything
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
