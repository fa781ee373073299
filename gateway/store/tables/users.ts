import { type Insertable, type Kysely, type Selectable, type Updateable } from 'kysely';
import { anyDeleted, anyUpdated, firstOf } from '../rows';
import { type Schema, type UserTable } from '../schema';

export type UserRow = Selectable<UserTable>;

/** Who may use the control panel, with their recovery codes. */
export const userTable = (db: Kysely<Schema>) => ({
  all: (): Promise<UserRow[]> => db.selectFrom('users').selectAll().orderBy('name').execute(),

  async any(): Promise<boolean> {
    return (await db.selectFrom('users').select('id').limit(1).executeTakeFirst()) !== undefined;
  },

  find: (id: number): Promise<UserRow | null> =>
    firstOf(db.selectFrom('users').selectAll().where('id', '=', id)),

  byName: (name: string): Promise<UserRow | null> =>
    firstOf(db.selectFrom('users').selectAll().where('name', '=', name)),

  /**
   * The ids of those who may change everything. They stay what they are until the transaction ends: of two who take that
   * from each other at once, the second finds that he may not any more.
   */
  async heldOperators(): Promise<number[]> {
    const held = await db
      .updateTable('users')
      .set((row) => ({ role: row.ref('role') }))
      .where('role', '=', 'operator')
      .returning('id')
      .execute();
    return held.map(({ id }) => id);
  },

  /** Null where somebody has that name already. */
  insert: (user: Insertable<UserTable>): Promise<UserRow | null> =>
    firstOf(
      db
        .insertInto('users')
        .values(user)
        .onConflict((conflict) => conflict.column('name').doNothing())
        .returningAll(),
    ),

  async update(id: number, change: Updateable<UserTable>): Promise<void> {
    await db.updateTable('users').set(change).where('id', '=', id).execute();
  },

  async remove(id: number): Promise<void> {
    await db.deleteFrom('recovery_codes').where('user_id', '=', id).execute();
    await db.deleteFrom('users').where('id', '=', id).execute();
  },

  /** Whether this step is later than the last that was taken; it is from now on. Of two at once one is told true. */
  takeTotpStep: (id: number, step: number): Promise<boolean> =>
    anyUpdated(
      db
        .updateTable('users')
        .set({ totp_step: step })
        .where('id', '=', id)
        .where((row) => row.or([row('totp_step', 'is', null), row('totp_step', '<', step)])),
    ),

  async replaceRecoveryCodes(id: number, hashes: string[]): Promise<void> {
    await db.deleteFrom('recovery_codes').where('user_id', '=', id).execute();
    if (!hashes.length) return;
    await db
      .insertInto('recovery_codes')
      .values(hashes.map((hash) => ({ user_id: id, hash })))
      .execute();
  },

  /** Whether there was such a code; it is used up. */
  takeRecoveryCode: (id: number, hash: string): Promise<boolean> =>
    anyDeleted(db.deleteFrom('recovery_codes').where('user_id', '=', id).where('hash', '=', hash)),

  async recoveryCodesLeft(id: number): Promise<number> {
    const rows = await db.selectFrom('recovery_codes').select('hash').where('user_id', '=', id).execute();
    return rows.length;
  },
});
