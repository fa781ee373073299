import { type Kysely } from 'kysely';
import { type Migration } from 'kysely/migration';

/** When the platform last verified a line's callback. */
export const handshake: Migration = {
  async up(db: Kysely<unknown>) {
    await db.schema.alterTable('lines').addColumn('handshake_at', 'text').execute();
  },
};
