import { sql, type Kysely } from 'kysely';
import { type Migration } from 'kysely/migration';

/**
 * What several processes on one database share: which of them sends to which destination, and the rates at which lines
 * and callers may ask. Rates need not outlive a crash of the database, and are not logged for one.
 */
export const processes = (dialect: 'sqlite' | 'postgres'): Migration => ({
  async up(db: Kysely<unknown>) {
    await db.schema
      .createTable('owners')
      .addColumn('destination_id', 'integer', (column) => column.primaryKey())
      .addColumn('process_id', 'text', (column) => column.notNull())
      .execute();
    if (dialect === 'sqlite') return;
    await sql`create unlogged table rates (
      key text primary key,
      full_at double precision not null,
      used_before double precision not null
    ) with (fillfactor = 50)`.execute(db);
  },
});
