import { type Kysely } from 'kysely';
import { type Migration } from 'kysely/migration';

/** On SQLite: which revision of the registry the gateway has read, for commands that wait until it follows. */
export const followed: Migration = {
  async up(db: Kysely<unknown>) {
    await db.schema.alterTable('registry').addColumn('followed', 'integer').execute();
  },
};
