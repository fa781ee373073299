import { sql, type Kysely } from 'kysely';
import { type Migration } from 'kysely/migration';

/**
 * Tables that processes on one database share: the owner of each destination, and rate limits. Rates may be lost in a
 * database crash, so their table is unlogged.
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
