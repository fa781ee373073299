import { sql, type Kysely } from 'kysely';
import { type Migration } from 'kysely/migration';

/**
 * The rows changed by each revision of the registry, so that processes reload only these. Indexes of a line's
 * destinations, and of destinations that are not removed.
 */
export const changes: Migration = {
  async up(db: Kysely<unknown>) {
    await db.schema
      .createTable('registry_changes')
      .addColumn('revision', 'integer', (column) => column.primaryKey())
      .addColumn('changed', 'text', (column) => column.notNull())
      .addColumn('row_id', 'integer', (column) => column.notNull())
      .execute();
    await db.schema
      .createIndex('destinations_of_line')
      .on('destinations')
      .columns(['line_id', 'id'])
      .execute();
    await db.schema
      .createIndex('destinations_kept')
      .on('destinations')
      .column('id')
      .where(sql.ref('removed_at'), 'is', null)
      .execute();
  },
};
