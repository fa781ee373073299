import { sql, type Kysely } from 'kysely';
import { type Migration } from 'kysely/migration';

/**
 * Data that several processes on one database share: which process sends to which destination, and the rates
 * of lines and callers. Rates may be lost in a crash of the database, so they are not in its log.
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
