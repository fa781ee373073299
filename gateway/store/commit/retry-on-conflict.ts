import { type Kysely } from 'kysely';
import { type Schema } from '../schema';

/** How often a deadlock victim is retried. */
const MAX_RETRIES = 5;

/** SQLSTATE class 40: rolled back because of a concurrent transaction. */
export const wasRolledBack = (error: unknown): boolean => {
  const { code } = error as { code?: unknown };
  return typeof code === 'string' && code.startsWith('40');
};

/** Runs one statement or transaction, and repeats it after a conflict with another transaction. */
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
 * Runs work in the transaction of `db` if there is one, otherwise in a new one.
 * @param work may run more than once
 */
export const inTransaction = <T>(
  db: Kysely<Schema>,
  work: (trx: Kysely<Schema>) => Promise<T>,
): Promise<T> => (db.isTransaction ? work(db) : retryOnConflict(() => db.transaction().execute(work)));

/**
 * Like `inTransaction`, with serializable isolation: for work that reads one row to write another, which a concurrent
 * transaction could do in reverse. An existing transaction keeps its own isolation.
 */
export const inSerializableTransaction = <T>(
  db: Kysely<Schema>,
  work: (trx: Kysely<Schema>) => Promise<T>,
): Promise<T> =>
  db.isTransaction
    ? work(db)
    : retryOnConflict(() => db.transaction().setIsolationLevel('serializable').execute(work));
