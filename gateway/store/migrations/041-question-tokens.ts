import { type Kysely } from 'kysely';
import { type Migration } from 'kysely/migration';

/** The token that asked a question. */
export const questionTokens: Migration = {
  async up(db: Kysely<unknown>) {
    await db.schema.alterTable('questions').addColumn('token_id', 'integer').execute();
  },
};
