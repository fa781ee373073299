import { hash } from 'node:crypto';
import { type Kysely, type Selectable } from 'kysely';
import { byColumn, firstOf } from '../rows';
import { type IdempotencyKeyTable, type Schema } from '../schema';

/** Stored in place of a response that never arrived. */
export const UNKNOWN_OUTCOME = 'unknown';

export type IdempotencyKeyRow = Selectable<IdempotencyKeyTable>;

/** Stored in place of a key that names an erased contact, such as `reminder-5511987654321`. */
export const forgottenKey = (key: string): string => `forgotten:${hash('sha256', key)}`;
export const IS_FORGOTTEN = /^forgotten:[\da-f]{64}$/;

/** Whether a key may contain a phone number or a user id. Hashes and UUIDs contain digits only by chance. */
const mayNameSomebody = (key: string): boolean =>
  /\d{7}|[A-Z]{2}\.\w/.test(key) && !/^(n8n-)?[\da-f-]{32,}$/i.test(key);

/**
 * The Idempotency-Keys of sends, so that a repeated request sends only once. Group commit (`commit/writes.ts`) claims
 * keys and stores the responses.
 */
export const idempotencyKeyTable = (db: Kysely<Schema>) => ({
  /** Null for a key that is unknown, or was first used at `since` or earlier. */
  find: (lineId: number, key: string, since: string): Promise<IdempotencyKeyRow | null> =>
    firstOf(
      db
        .selectFrom('idempotency_keys')
        .selectAll()
        .where('line_id', '=', lineId)
        .where('key', 'in', [key, forgottenKey(key)])
        .where('started_at', '>', since),
    ),

  /**
   * Like `find`, for a key that named a contact who was erased since. Queries the database only if the key may name a
   * contact.
   */
  findForgotten(lineId: number, key: string, since: string): Promise<IdempotencyKeyRow | null> {
    return mayNameSomebody(key) ? this.find(lineId, forgottenKey(key), since) : Promise.resolve(null);
  },

  /** Stores that the outcome of the send is unknown. */
  async keepUnknown(lineId: number, key: string): Promise<void> {
    await db
      .updateTable('idempotency_keys')
      .set({ answer: UNKNOWN_OUTCOME })
      .where('line_id', '=', lineId)
      .where('key', '=', key)
      .execute();
  },

  /** Frees a key whose send certainly did not happen. */
  async release(lineId: number, key: string): Promise<void> {
    await db.deleteFrom('idempotency_keys').where('line_id', '=', lineId).where('key', '=', key).execute();
  },

  /**
   * Removes some keys that were last used at `since` or earlier.
   * @returns the number removed
   */
  async removeBefore(since: string, limit = 500): Promise<number> {
    const old = await db
      .selectFrom('idempotency_keys')
      .select(['line_id', 'key'])
      .where('started_at', '<=', since)
      .limit(limit)
      .execute();
    for (const [lineId, keys] of byColumn(old, 'line_id', 'key'))
      await db
        .deleteFrom('idempotency_keys')
        .where('line_id', '=', lineId)
        .where('key', 'in', keys)
        // The key may have been claimed again meanwhile.
        .where('started_at', '<=', since)
        .execute();
    return old.length;
  },
});
