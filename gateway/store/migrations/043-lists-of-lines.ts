import { sql, type Kysely } from 'kysely';
import { type Migration } from 'kysely/migration';

/** Indexes for lists of some lines only, and for failed attempts of one destination. */
export const listsOfLines = (dialect: 'sqlite' | 'postgres'): Migration => ({
  async up(db: Kysely<unknown>) {
    // On PostgreSQL, `buildIndexes` builds them.
    if (dialect === 'sqlite')
      for (const index of LISTS_OF_LINES_INDEXES) await sql.raw(`create index ${index}`).execute(db);
  },
});

export const LISTS_OF_LINES_INDEXES = [
  'messages_accepted_of_line on messages (line_id, accepted_at, wamid) where accepted_at is not null',
  'messages_failed_of_line on messages (line_id, failed_at, wamid) where failed_at is not null',
  'sent_bodies_of_line on sent_bodies (line_id, accepted_at, wamid)',
  'events_of_account on events (waba_id, id) where line_id is null',
  "attempts_failed_of on attempts (destination_id, outcome, event_id, number) where outcome <> 'delivered'",
];
