import { type Kysely, type Selectable } from 'kysely';
import { byColumn, firstOf } from '../rows';
import { type IdempotencyKeyTable, type Schema } from '../schema';

/** In place of the answer that never came. */
export const UNKNOWN_OUTCOME = 'unknown';

export type IdempotencyKeyRow = Selectable<IdempotencyKeyTable>;

/**
 * The keys under which customers send, so that one send is made once however often it is asked for. A key is taken, and
 * its answer kept, by the hot writes (`commit/writes.ts`).
 */
export const idempotencyKeyTable = (db: Kysely<Schema>) => ({
  /** Null for a key that is not known, or was first used at or before `since`. */
  find: (lineId: number, key: string, since: string): Promise<IdempotencyKeyRow | null> =>
    firstOf(
      db
        .selectFrom('idempotency_keys')
        .selectAll()
        .where('line_id', '=', lineId)
        .where('key', '=', key)
        .where('started_at', '>', since),
    ),

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

  /** Removes some of those that were last used then or before. @returns how many there were */
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
        // It may have been taken anew since.
        .where('started_at', '<=', since)
        .execute();
    return old.length;
  },
});
