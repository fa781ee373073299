import { type Kysely, type Selectable } from 'kysely';
import { type IdempotencyKeyTable, type Schema } from '../schema';

export type IdempotencyKeyRow = Selectable<IdempotencyKeyTable>;

/** The keys under which customers send, so that one send is made once however often it is asked for. */
export const idempotencyKeyTable = (db: Kysely<Schema>) => ({
  /** Null for a key that is not known, or was first used at or before `since`. */
  async find(lineId: number, key: string, since: string): Promise<IdempotencyKeyRow | null> {
    const row = await db
      .selectFrom('idempotency_keys')
      .selectAll()
      .where('line_id', '=', lineId)
      .where('key', '=', key)
      .where('started_at', '>', since)
      .executeTakeFirst();
    return row ?? null;
  },

  /** Takes a key that is free or was last used at or before `since`: of all that ask at once, one is told true. */
  async claim(lineId: number, key: string, bodyHash: string, at: string, since: string): Promise<boolean> {
    const fresh = { body_hash: bodyHash, started_at: at, answer: null };
    const { numInsertedOrUpdatedRows } = await db
      .insertInto('idempotency_keys')
      .values({ line_id: lineId, key, ...fresh })
      .onConflict((conflict) =>
        conflict
          .columns(['line_id', 'key'])
          .doUpdateSet(fresh)
          .where('idempotency_keys.started_at', '<=', since),
      )
      .executeTakeFirst();
    return (numInsertedOrUpdatedRows ?? 0n) > 0n;
  },

  /** Keeps what the send was answered. */
  async complete(lineId: number, key: string, answer: string): Promise<void> {
    await db
      .updateTable('idempotency_keys')
      .set({ answer })
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
    for (const [lineId, ofLine] of Map.groupBy(old, ({ line_id: id }) => id))
      await db
        .deleteFrom('idempotency_keys')
        .where('line_id', '=', lineId)
        .where(
          'key',
          'in',
          ofLine.map(({ key }) => key),
        )
        // It may have been taken anew since.
        .where('started_at', '<=', since)
        .execute();
    return old.length;
  },
});
