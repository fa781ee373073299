import { type Insertable, type Kysely, type Selectable, type Updateable } from 'kysely';
import { anyDeleted, anyUpdated, firstOf } from '../rows';
import { type Role } from '../../rights/roles';
import { type Schema, type UserTable } from '../schema';

/** A user, whose role is read as it is called today. */
export interface UserRow extends Omit<Selectable<UserTable>, 'role'> {
  role: Role;
}

type Stored = Selectable<UserTable>['role'];

const stored = (role: Role): Stored => (role === 'owner' ? 'operator' : role);
export const roleOf = (word: Stored): Role => (word === 'operator' ? 'owner' : word);
const read = (row: Selectable<UserTable>): UserRow => ({ ...row, role: roleOf(row.role) });
const readOne = async (found: Promise<Selectable<UserTable> | null>): Promise<UserRow | null> => {
  const row = await found;
  return row && read(row);
};

/** Users of the control panel, with their recovery codes. */
export const userTable = (db: Kysely<Schema>) => ({
  async all(): Promise<UserRow[]> {
    const rows = await db.selectFrom('users').selectAll().orderBy('name').execute();
    return rows.map(read);
  },

  async any(): Promise<boolean> {
    return (await db.selectFrom('users').select('id').limit(1).executeTakeFirst()) !== undefined;
  },

  find: (id: number): Promise<UserRow | null> =>
    readOne(firstOf(db.selectFrom('users').selectAll().where('id', '=', id))),

  byName: (name: string): Promise<UserRow | null> =>
    readOne(firstOf(db.selectFrom('users').selectAll().where('name', '=', name))),

  /**
   * Locks the users with some roles until the transaction ends. If two users remove each other's role at once, the
   * second finds its own role gone.
   */
  async held(roles: Role[]): Promise<UserRow[]> {
    const rows = await db
      .updateTable('users')
      .set((row) => ({ role: row.ref('role') }))
      .where('role', 'in', roles.map(stored))
      .returningAll()
      .execute();
    return rows.map(read);
  },

  /** Null if the name is in use. */
  insert: ({
    role,
    ...user
  }: Omit<Insertable<UserTable>, 'role'> & { role: Role }): Promise<UserRow | null> =>
    readOne(
      firstOf(
        db
          .insertInto('users')
          .values({ ...user, role: stored(role) })
          .onConflict((conflict) => conflict.column('name').doNothing())
          .returningAll(),
      ),
    ),

  async update(
    id: number,
    { role, ...change }: Omit<Updateable<UserTable>, 'role'> & { role?: Role },
  ): Promise<void> {
    await db
      .updateTable('users')
      .set({ ...change, ...(role && { role: stored(role) }) })
      .where('id', '=', id)
      .execute();
  },

  async remove(id: number): Promise<void> {
    await db.deleteFrom('recovery_codes').where('user_id', '=', id).execute();
    await db.deleteFrom('users').where('id', '=', id).execute();
  },

  /**
   * Stores the step if it is later than the last accepted one.
   * @returns whether it was stored: of two concurrent requests, one gets true
   */
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

  /** Uses up a recovery code. @returns whether the code existed */
  takeRecoveryCode: (id: number, hash: string): Promise<boolean> =>
    anyDeleted(db.deleteFrom('recovery_codes').where('user_id', '=', id).where('hash', '=', hash)),

  async recoveryCodesLeft(id: number): Promise<number> {
    const rows = await db.selectFrom('recovery_codes').select('hash').where('user_id', '=', id).execute();
    return rows.length;
  },
});
