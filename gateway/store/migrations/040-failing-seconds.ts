import { type Kysely } from 'kysely';
import { type Migration } from 'kysely/migration';

/** The part of a destination's failing time that counts toward its automatic pause. */
export const failingSeconds: Migration = {
  async up(db: Kysely<unknown>) {
    await db.schema
      .alterTable('destinations')
      .addColumn('failing_seconds', 'integer', (column) => column.notNull().defaultTo(0))
      .execute();
  },
};
