import { type Kysely } from 'kysely';
import { type Migration } from 'kysely/migration';

/** On SQLite: the revision of the registry that the gateway has read, for commands that wait for it. */
export const followed: Migration = {
  async up(db: Kysely<unknown>) {
    await db.schema.alterTable('registry').addColumn('followed', 'integer').execute();
  },
};
