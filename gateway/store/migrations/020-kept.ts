import { sql, type Kysely } from 'kysely';
import { type Migration } from 'kysely/migration';

/**
 * Columns and indexes for retention: where the audit starts after old entries are removed, old messages that were not
 * accepted here, when a line was removed, and how often contacts were erased, so that processes drop what they
 * remember of them.
 */
export const kept = (dialect: 'sqlite' | 'postgres'): Migration => ({
  async up(db: Kysely<unknown>) {
    await db.schema.alterTable('audit_head').addColumn('start_sealed', 'text').execute();
    // On PostgreSQL, `buildIndexes` builds it.
    if (dialect === 'sqlite') await sql.raw(`create index ${TOLD_INDEX}`).execute(db);
    await db.schema.alterTable('lines').addColumn('removed_at', 'text').execute();
    await db.schema
      .alterTable('registry')
      .addColumn('forgotten', 'integer', (column) => column.notNull().defaultTo(0))
      .execute();
  },
});

export const TOLD_INDEX = `messages_told on messages (coalesce(sent_at, delivered_at, read_at, played_at, failed_at))
      where accepted_at is null`;
