import { type Kysely } from 'kysely';
import { type Migration } from 'kysely/migration';

/** What each process does, so that it is noticed if no process receives or delivers events. */
export const processRoles: Migration = {
  async up(db: Kysely<unknown>) {
    await db.schema.alterTable('processes').addColumn('roles', 'text').execute();
  },
};
