import { type Kysely } from 'kysely';
import { type Migration } from 'kysely/migration';

/** A channel that a program registers may end by itself: one that crashes leaves nothing behind. */
export const alertWebhooksEnd: Migration = {
  async up(db: Kysely<unknown>) {
    await db.schema.alterTable('alert_channels').addColumn('expires_at', 'text').execute();
  },
};
