import { type Kysely } from 'kysely';
import { type Migration } from 'kysely/migration';

/** A template's quality score as the platform sent it, with its date and other fields. */
export const qualityNode: Migration = {
  async up(db: Kysely<unknown>) {
    await db.schema.alterTable('templates').addColumn('quality_node', 'text').execute();
  },
};
