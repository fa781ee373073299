import { hash } from 'node:crypto';
import { type Kysely, type Selectable } from 'kysely';
import { byColumn, firstOf } from '../rows';
import { type IdempotencyKeyTable, type Schema } from '../schema';

/** In place of the answer that never came. */
export const UNKNOWN_OUTCOME = 'unknown';

export type IdempotencyKeyRow = Selectable<IdempotencyKeyTable>;

/** Stored in place of a key that names a forgotten contact, such as `reminder-5511987654321`. */
export const forgottenKey = (key: string): string => `forgotten:${hash('sha256', key)}`;
export const IS_FORGOTTEN = /^forgotten:[\da-f]{64}$/;

/** Whether a key may contain a phone number or a user id. A hash or a UUID contains digits by chance only. */
const mayNameSomebody = (key: string): boolean =>
  /\d{7}|[A-Z]{2}\.\w/.test(key) && !/^(n8n-)?[\da-f-]{32,}$/i.test(key);

/**
 * The idempotency keys of sends, so that one send is made however often it is requested. The hot writes
 * (`commit/writes.ts`) claim a key and store its answer.
 */
export const idempotencyKeyTable = (db: Kysely<Schema>) => ({
  /** Null for a key that is not known, or was first used at or before `since`. */
  find: (lineId: number, key: string, since: string): Promise<IdempotencyKeyRow | null> =>
    firstOf(
      db
        .selectFrom('idempotency_keys')
        .selectAll()
        .where('line_id', '=', lineId)
        .where('key', 'in', [key, forgottenKey(key)])
        .where('started_at', '>', since),
    ),

  /** As `find`, for a key that named a contact who was forgotten since. Asks the database only if the key may name somebody. */
  findForgotten(lineId: number, key: string, since: string): Promise<IdempotencyKeyRow | null> {
    return mayNameSomebody(key) ? this.find(lineId, forgottenKey(key), since) : Promise.resolve(null);
  },

  /** Keeps, in place of an answer, that the outcome of the send is not known. */
  async keepUnknown(lineId: number, key: string): Promise<void> {
    await db
      .updateTable('idempotency_keys')
      .set({ answer: UNKNOWN_OUTCOME })
      .where('line_id', '=', lineId)
      .where('key', '=', key)
      .execute();
  },

  /** Frees a key whose send was certainly not made. */
  async release(lineId: number, key: string): Promise<void> {
    await db.deleteFrom('idempotency_keys').where('line_id', '=', lineId).where('key', '=', key).execute();
  },

  /**
   * Removes some keys that were last used at that time or before.
   * @returns how many
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
        // It may have been claimed again since.
        .where('started_at', '<=', since)
        .execute();
    return old.length;
  },
});
