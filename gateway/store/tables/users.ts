import { sql, type Insertable, type Kysely, type Selectable, type Updateable } from 'kysely';
import { anyDeleted, anyUpdated, firstOf } from '../rows';
import { type Membership, type Roles } from '../../rights/grants';
import { type MemberRole, type Role } from '../../rights/roles';
import { type Schema, type UserTable } from '../schema';

/** A user, whose role is read as it is called today. */
export interface UserRow extends Omit<Selectable<UserTable>, 'role'>, Roles {
  /** Whether a customer in which the user has a role requires an authenticator app. */
  requiresApp: boolean;
}

type Stored = Selectable<UserTable>['role'];

const stored = (role: Role | null): Stored => (role === 'owner' ? 'operator' : (role ?? 'none'));
export function roleOf(word: Stored): Role | null {
  if (word === 'none') return null;
  return word === 'operator' ? 'owner' : word;
}

/** Users with their memberships: one row for each membership, or one for a user without any. */
const withMemberships = (db: Kysely<Schema>) =>
  db
    .selectFrom('users')
    .leftJoin('memberships', 'memberships.user_id', 'users.id')
    .leftJoin('customers', 'customers.id', 'memberships.customer_id')
    .selectAll('users')
    .select([
      'memberships.customer_id as member_of',
      'memberships.role as member_role',
      'customers.name as customer_name',
      // Raw, because it counts for every reader: a reach narrows the table only in the join above.
      sql<string | null>`(select suspended_at from customers where id = memberships.customer_id)`.as(
        'customer_suspended_at',
      ),
      // Raw for the same reason.
      sql<number | string>`(select count(*) from customers as strict where requires_app = 1 and (
        users.role <> 'none' or strict.id in (select customer_id from memberships where user_id = users.id)
      ))`.as('requiring_app'),
    ])
    .orderBy('users.name')
    .orderBy(sql`lower(customers.name)`)
    .orderBy('memberships.customer_id');

async function read(query: ReturnType<typeof withMemberships>): Promise<UserRow[]> {
  const users = new Map<number, UserRow & { memberships: Membership[] }>();
  for (const row of await query.execute()) {
    const {
      member_of: customerId,
      member_role: role,
      customer_name: customerName,
      customer_suspended_at: suspendedAt,
      requiring_app: requiring,
      ...user
    } = row;
    const known = users.get(user.id) ?? {
      ...{ ...user, role: roleOf(user.role), memberships: [] },
      requiresApp: Number(requiring) > 0,
    };
    users.set(user.id, known);
    if (customerId === null || role === null) continue;
    known.memberships.push({ customerId, role, customerName, isSuspended: suspendedAt !== null });
  }
  return [...users.values()];
}

const readOne = async (query: ReturnType<typeof withMemberships>): Promise<UserRow | null> =>
  (await read(query))[0] ?? null;

/** Users of the control panel, with their memberships and recovery codes. */
export const userTable = (db: Kysely<Schema>) => ({
  all: (): Promise<UserRow[]> => read(withMemberships(db)),

  async any(): Promise<boolean> {
    return (await db.selectFrom('users').select('id').limit(1).executeTakeFirst()) !== undefined;
  },

  find: (id: number): Promise<UserRow | null> => readOne(withMemberships(db).where('users.id', '=', id)),

  byName: (name: string): Promise<UserRow | null> =>
    readOne(withMemberships(db).where('users.name', '=', name)),

  byEmail: (email: string): Promise<UserRow | null> =>
    readOne(withMemberships(db).where('users.email', '=', email)),

  /**
   * Keeps the roles of these users, and who is an owner, until the transaction ends. If two users take each other's role
   * at once, the second finds its own role gone.
   * @returns the users that exist
   */
  async lock(ids: number[]): Promise<UserRow[]> {
    await db
      .updateTable('users')
      .set((row) => ({ role: row.ref('role') }))
      .where((row) => row.or([row('id', 'in', ids), row('role', '=', stored('owner'))]))
      .execute();
    return read(withMemberships(db).where('users.id', 'in', ids));
  },

  /** @returns null if the name is in use */
  async insert({
    role,
    ...user
  }: Omit<Insertable<UserTable>, 'role'> & { role: Role | null }): Promise<UserRow | null> {
    const added = await firstOf(
      db
        .insertInto('users')
        .values({ ...user, role: stored(role) })
        .onConflict((conflict) => conflict.column('name').doNothing())
        .returning('id'),
    );
    return added && readOne(withMemberships(db).where('users.id', '=', added.id));
  },

  async update(
    id: number,
    { role, ...change }: Omit<Updateable<UserTable>, 'role'> & { role?: Role | null },
  ): Promise<void> {
    await db
      .updateTable('users')
      .set({ ...change, ...(role !== undefined && { role: stored(role) }) })
      .where('id', '=', id)
      .execute();
  },

  /** Sets the e-mail address of a user who has none, if it is no other user's. */
  async claimEmail(id: number, email: string): Promise<void> {
    if (await readOne(withMemberships(db).where('users.email', '=', email))) return;
    await db.updateTable('users').set({ email }).where('id', '=', id).where('email', 'is', null).execute();
  },

  /** Sets the role of a user in a customer. @param role null removes the membership */
  async setMembership(userId: number, customerId: number, role: MemberRole | null): Promise<void> {
    if (role === null) {
      const own = db.deleteFrom('memberships').where('user_id', '=', userId);
      await own.where('customer_id', '=', customerId).execute();
      return;
    }
    await db
      .insertInto('memberships')
      .values({ user_id: userId, customer_id: customerId, role })
      .onConflict((conflict) => conflict.columns(['user_id', 'customer_id']).doUpdateSet({ role }))
      .execute();
  },

  async remove(id: number): Promise<void> {
    for (const table of ['recovery_codes', 'memberships', 'identities'] as const)
      await db.deleteFrom(table).where('user_id', '=', id).execute();
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
