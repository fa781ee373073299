import { type Kysely } from 'kysely';
import { type Migration } from 'kysely/migration';

/** A template's quality score as the platform told it, with its date and whatever else it holds. */
export const qualityNode: Migration = {
  async up(db: Kysely<unknown>) {
    await db.schema.alterTable('templates').addColumn('quality_node', 'text').execute();
  },
};
