import { type Kysely } from 'kysely';
import { type Migration } from 'kysely/migration';

/** How much of the time in which a destination fails counts toward its pause. */
export const failingSeconds: Migration = {
  async up(db: Kysely<unknown>) {
    await db.schema
      .alterTable('destinations')
      .addColumn('failing_seconds', 'integer', (column) => column.notNull().defaultTo(0))
      .execute();
  },
};
