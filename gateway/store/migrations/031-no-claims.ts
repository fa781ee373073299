import { type Kysely } from 'kysely';
import { type Migration } from 'kysely/migration';

/** Nothing asks who claimed a delivery (`017-sequence`): neither the column nor its indexes have to be written any more. */
export const noClaims: Migration = {
  async up(db: Kysely<unknown>) {
    for (const index of ['deliveries_waiting', 'deliveries_claimed'])
      await db.schema.dropIndex(index).ifExists().execute();
    await db.schema.alterTable('deliveries').dropColumn('claimed_by').execute();
  },
};
