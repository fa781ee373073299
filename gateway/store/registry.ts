import { sql, type Kysely } from 'kysely';
import { isPostgres } from './is-postgres';
import { inTransaction } from './repeat';
import { type Schema } from './schema';

/** The revision of lines, tokens and destinations, which every process keeps in memory. */
export const registryTable = (db: Kysely<Schema>) => ({
  async revision(): Promise<number> {
    const { revision } = await db.selectFrom('registry').select('revision').executeTakeFirstOrThrow();
    return revision;
  },

  /** Changes nothing but the number, as if something else had been changed: for whoever has to know that it can. */
  async touch(): Promise<void> {
    await db
      .updateTable('registry')
      .set((row) => ({ revision: row('revision', '+', 1) }))
      .execute();
  },
});

/**
 * Changes something of the registry, so that every process reads it again. The revision grows in the same transaction:
 * whoever sees the new number sees the change.
 */
export const changeRegistry = <T>(
  db: Kysely<Schema>,
  change: (trx: Kysely<Schema>) => Promise<T>,
): Promise<T> =>
  inTransaction(db, async (trx) => {
    const changed = await change(trx);
    await trx
      .updateTable('registry')
      .set((row) => ({ revision: row('revision', '+', 1) }))
      .execute();
    if (isPostgres(trx)) await sql`notify registry`.execute(trx);
    return changed;
  });
