import { type Kysely } from 'kysely';
import { type LookTable, type Schema } from '../schema';
import { firstOf } from '../rows';

/** Who looked at what, for an hour: each is one entry of the audit. */
export const lookTable = (db: Kysely<Schema>) => ({
  has: async ({ user_id: userId, subject, hour }: LookTable): Promise<boolean> =>
    (await firstOf(
      db
        .selectFrom('looks')
        .select('hour')
        .where('user_id', '=', userId)
        .where('subject', '=', subject)
        .where('hour', '=', hour),
    )) !== null,

  /** Removes those of earlier hours. @returns whether this one is new */
  async add(look: LookTable): Promise<boolean> {
    await db.deleteFrom('looks').where('hour', '<', look.hour).execute();
    const added = await firstOf(
      db
        .insertInto('looks')
        .values(look)
        .onConflict((conflict) => conflict.doNothing())
        .returning('hour'),
    );
    return added !== null;
  },
});
