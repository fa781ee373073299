import { type Kysely } from 'kysely';
import { type Migration } from 'kysely/migration';

/** An expiry for channels that a program registers, so that a crashed program leaves none behind. */
export const alertWebhooksEnd: Migration = {
  async up(db: Kysely<unknown>) {
    await db.schema.alterTable('alert_channels').addColumn('expires_at', 'text').execute();
  },
};
