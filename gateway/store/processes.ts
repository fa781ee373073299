import { type Kysely } from 'kysely';
import { type Schema } from './schema';

/** The running processes. What one that has ended had claimed is given back (`deliveries.releaseOfEnded`). */
export const processTable = (db: Kysely<Schema>) => ({
  /**
   * @param until, now ISO times; entries of processes that ended before `now` are cleared away
   * @returns whether there were such
   */
  async keepAlive(id: string, until: string, now: string): Promise<boolean> {
    await db
      .insertInto('processes')
      .values({ id, alive_until: until })
      .onConflict((conflict) => conflict.column('id').doUpdateSet({ alive_until: until }))
      .execute();
    const { numDeletedRows } = await db
      .deleteFrom('processes')
      .where('alive_until', '<', now)
      .executeTakeFirst();
    return numDeletedRows > 0n;
  },

  async remove(id: string): Promise<void> {
    await db.deleteFrom('processes').where('id', '=', id).execute();
  },

  async removeAll(): Promise<void> {
    await db.deleteFrom('processes').execute();
  },
});
