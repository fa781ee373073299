import { type Kysely } from 'kysely';
import { type Migration } from 'kysely/migration';

/** Why the platform rejected a template. */
export const rejectedReason: Migration = {
  async up(db: Kysely<unknown>) {
    await db.schema.alterTable('templates').addColumn('rejected_reason', 'text').execute();
  },
};
