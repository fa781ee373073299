import { sql, type Kysely } from 'kysely';
import { type Migration } from 'kysely/migration';

/** Indexes for finding all names of a contact by any of them, on any line. */
export const aliasNames = (dialect: 'sqlite' | 'postgres'): Migration => ({
  async up(db: Kysely<unknown>) {
    // On PostgreSQL, `buildIndexes` builds them.
    if (dialect === 'sqlite')
      for (const index of ALIAS_INDEXES) await sql.raw(`create index ${index}`).execute(db);
  },
});

export const ALIAS_INDEXES = [
  'aliases_contact on aliases (contact)',
  'aliases_identity on aliases (identity)',
];
