import { type Kysely } from 'kysely';
import { type Schema } from '../schema';

/** How often a victim of a deadlock is tried again. */
const MAX_RETRIES = 5;

/** SQLSTATE class 40: nothing was changed, because another transaction was in the way. */
export const wasRolledBack = (error: unknown): boolean => {
  const { code } = error as { code?: unknown };
  return typeof code === 'string' && code.startsWith('40');
};

/** Does the work of one statement or transaction, again if another transaction was in the way. */
export async function retryOnConflict<T>(work: () => Promise<T>): Promise<T> {
  for (let again = MAX_RETRIES; ; again--) {
    try {
      return await work();
    } catch (error) {
      if (!again || !wasRolledBack(error)) throw error;
    }
  }
}

/**
 * Runs work in the transaction that `db` is, or in a new one.
 * @param work may run more than once
 */
export const inTransaction = <T>(
  db: Kysely<Schema>,
  work: (trx: Kysely<Schema>) => Promise<T>,
): Promise<T> => (db.isTransaction ? work(db) : retryOnConflict(() => db.transaction().execute(work)));

/**
 * The same with serializable isolation: for work that reads one row to write another, and would be wrong if a concurrent
 * transaction did the reverse. Within a transaction it has only that transaction's isolation.
 */
export const inSerializableTransaction = <T>(
  db: Kysely<Schema>,
  work: (trx: Kysely<Schema>) => Promise<T>,
): Promise<T> =>
  db.isTransaction
    ? work(db)
    : retryOnConflict(() => db.transaction().setIsolationLevel('serializable').execute(work));
