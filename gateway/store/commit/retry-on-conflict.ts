import { type Kysely } from 'kysely';
import { type Schema } from '../schema';

/** What fell victim to a deadlock is made again this often. */
const MAX_RETRIES = 5;

/** SQLSTATE class 40: nothing was changed, because another transaction was in the way. */
export const wasRolledBack = (error: unknown): boolean => {
  const { code } = error as { code?: unknown };
  return typeof code === 'string' && code.startsWith('40');
};

/** Does work of one statement or of one transaction, again where another transaction was in its way. */
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
 * In the transaction that `db` is already, or in one of its own.
 * @param work may be done more than once
 */
export const inTransaction = <T>(
  db: Kysely<Schema>,
  work: (trx: Kysely<Schema>) => Promise<T>,
): Promise<T> => (db.isTransaction ? work(db) : retryOnConflict(() => db.transaction().execute(work)));

/**
 * The same, as if no other of these transactions ran beside it: for what reads one row to write another, and would be
 * wrong where another such transaction did the reverse meanwhile. Part of a transaction, it has no more than that has.
 */
export const inSerializableTransaction = <T>(
  db: Kysely<Schema>,
  work: (trx: Kysely<Schema>) => Promise<T>,
): Promise<T> =>
  db.isTransaction
    ? work(db)
    : retryOnConflict(() => db.transaction().setIsolationLevel('serializable').execute(work));
