import { type Kysely } from 'kysely';
import { type Migration } from 'kysely/migration';

/** Whether responses to a token have only the platform's fields. */
export const tokenAnswers: Migration = {
  async up(db: Kysely<unknown>) {
    await db.schema.alterTable('tokens').addColumn('answers', 'text').execute();
  },
};
