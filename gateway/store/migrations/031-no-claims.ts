import { type Kysely } from 'kysely';
import { type Migration } from 'kysely/migration';

/**
 * Removes the claims of deliveries, which are unused since `017-sequence`, so that the column and its indexes need
 * not be written.
 */
export const noClaims: Migration = {
  async up(db: Kysely<unknown>) {
    for (const index of ['deliveries_waiting', 'deliveries_claimed'])
      await db.schema.dropIndex(index).ifExists().execute();
    await db.schema.alterTable('deliveries').dropColumn('claimed_by').execute();
  },
};
