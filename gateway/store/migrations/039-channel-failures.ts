import { type Kysely } from 'kysely';
import { type Migration } from 'kysely/migration';

/** Why a channel fails, as a fact beside the English sentence. */
export const channelFailures: Migration = {
  async up(db: Kysely<unknown>) {
    await db.schema.alterTable('alert_channels').addColumn('failure', 'text').execute();
  },
};
