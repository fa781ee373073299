import { type Kysely } from 'kysely';
import { type Migration } from 'kysely/migration';

/** The fact behind the English sentence about a channel's failure. */
export const channelFailures: Migration = {
  async up(db: Kysely<unknown>) {
    await db.schema.alterTable('alert_channels').addColumn('failure', 'text').execute();
  },
};
