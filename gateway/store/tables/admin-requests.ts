import { type Kysely, type Selectable } from 'kysely';
import { firstOf } from '../rows';
import { type AdminRequestTable, type Schema } from '../schema';

export type AdminRequestRow = Selectable<AdminRequestTable>;

/** The Idempotency-Keys of admin tokens, so that a repeated request makes its change only once. */
export const adminRequestTable = (db: Kysely<Schema>) => {
  const ofKey = (tokenId: number, key: string) =>
    db.selectFrom('admin_requests').selectAll().where('token_id', '=', tokenId).where('key', '=', key);

  return {
    /**
     * Claims a key.
     * @param since ISO time; an earlier request under the key no longer counts
     * @returns the earlier request under the key; null if it was free
     */
    async claim(
      request: Omit<AdminRequestRow, 'id' | 'answer_sealed'>,
      since: string,
    ): Promise<AdminRequestRow | null> {
      const { token_id: tokenId, key } = request;
      const claimed = await firstOf(
        db
          .insertInto('admin_requests')
          .values({ ...request, answer_sealed: null })
          .onConflict((conflict) =>
            conflict
              .columns(['token_id', 'key'])
              .doUpdateSet({
                request_hash: request.request_hash,
                started_at: request.started_at,
                answer_sealed: null,
              })
              .where('admin_requests.started_at', '<=', since),
          )
          .returning('key'),
      );
      return claimed ? null : await ofKey(tokenId, key).executeTakeFirstOrThrow();
    },

    async answered(tokenId: number, key: string, sealed: string): Promise<void> {
      await db
        .updateTable('admin_requests')
        .set({ answer_sealed: sealed })
        .where('token_id', '=', tokenId)
        .where('key', '=', key)
        .execute();
    },

    /** Frees a key whose request changed nothing. */
    async release(tokenId: number, key: string): Promise<void> {
      await db.deleteFrom('admin_requests').where('token_id', '=', tokenId).where('key', '=', key).execute();
    },

    async removeBefore(since: string): Promise<void> {
      await db.deleteFrom('admin_requests').where('started_at', '<=', since).execute();
    },
  };
};
