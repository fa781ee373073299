import { sql, type Kysely } from 'kysely';
import { type Migration } from 'kysely/migration';

/** An index of a line's events, forwarded or not, for lists of lines with few events. */
export const eventsOfLine = (dialect: 'sqlite' | 'postgres'): Migration => ({
  async up(db: Kysely<unknown>) {
    // On PostgreSQL, `buildIndexes` builds it.
    if (dialect === 'sqlite') await sql.raw(`create index ${LINE_INDEX}`).execute(db);
  },
});

export const LINE_INDEX = 'events_line on events (line_id, id) where line_id is not null';
