import { sql, type Kysely } from 'kysely';
import { type Migration } from 'kysely/migration';

/**
 * Indexes of messages by line and time without the message id, which made each send write twice as much to them as
 * to the index of times. Rows of the same time are few enough to sort.
 */
export const timesOfLines = (dialect: 'sqlite' | 'postgres'): Migration => ({
  async up(db: Kysely<unknown>) {
    // On PostgreSQL, `buildIndexes` builds and drops them.
    if (dialect !== 'sqlite') return;
    for (const index of LONGER_INDEXES) await db.schema.dropIndex(index).execute();
    for (const index of TIMES_OF_LINES_INDEXES) await sql.raw(`create index ${index}`).execute(db);
  },
});

export const TIMES_OF_LINES_INDEXES = [
  'messages_line on messages (line_id, accepted_at) where accepted_at is not null',
  'sent_bodies_line on sent_bodies (line_id, accepted_at)',
];

/** Of `043-lists-of-lines`. */
export const LONGER_INDEXES = ['messages_accepted_of_line', 'sent_bodies_of_line'];
