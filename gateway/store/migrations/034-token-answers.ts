import { type Kysely } from 'kysely';
import { type Migration } from 'kysely/migration';

/** Whose shape the answers to a token have. */
export const tokenAnswers: Migration = {
  async up(db: Kysely<unknown>) {
    await db.schema.alterTable('tokens').addColumn('answers', 'text').execute();
  },
};
