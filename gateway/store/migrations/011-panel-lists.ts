import { type Kysely } from 'kysely';
import { type Migration } from 'kysely/migration';

/** Replays requested in the panel, with their progress for the panels of all processes. */
export const panelLists: Migration = {
  async up(db: Kysely<unknown>) {
    await db.schema
      .createTable('replays')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('who', 'text', (column) => column.notNull())
      .addColumn('what', 'text', (column) => column.notNull())
      .addColumn('count', 'integer', (column) => column.notNull())
      .addColumn('begun_at', 'text', (column) => column.notNull())
      .addColumn('told_at', 'text', (column) => column.notNull())
      .addColumn('came_to', 'text')
      .execute();
  },
};
