import { existingCustomers } from '../../customers/manage-customers';
import { invitationGone, invitationVoid, Refusal } from '../../errors';
import { PERMISSIONS_OF, type MemberRole, type Role } from '../../rights/roles';
import { validGrants } from '../../rights/grants';
import { type Tables } from '../../store/store';
import { type Actor } from '../../store/tables/audit';
import { type InvitationRow } from '../../store/tables/invitations';
import { type UserRow } from '../../store/tables/users';
import { audited, type AuditedDeps } from '../../store/with-audit';
import { isoTime } from '../../time';
import { ADDED_LETTERS, insertWithRoles, mayGiveAll, namesFor, userEntry } from '../manage-users';
import { hashOfText } from '../secret-text';
import { hashedOrNull } from '../set-password';
import { userInput } from '../user-input';
import { customersOfInvitation, rolesOfInvitation } from './invite';

/** A person without a user. */
export interface NewcomerInput {
  /** The wished log-in name. */
  name: string;
  /** Null: the person logs in another way, which `identify` records. */
  password: string | null;
  /** Records another way to log in, within the transaction. */
  identify?(store: Tables, user: UserRow): Promise<void>;
}

/** How the person who accepts identifies: as the logged-in user, or as somebody new. */
export type Accepting = { user: UserRow } | NewcomerInput;

/** An open invitation and the names of its customers. */
export interface OpenInvitation {
  row: InvitationRow;
  customers: string[];
  /** Whether the log-in name is kept as chosen. If not, letters are added, so that it tells nothing of other users. */
  isNamed: boolean;
}

/** The length that remains for the name that a person chooses. */
const reserved = (row: InvitationRow): number => (row.customer_ids === null ? 0 : ADDED_LETTERS + 1);

/** @throws Refusal if the link is not valid, or if the inviter may no longer give the role */
export async function openInvitation(
  { store, clock }: Pick<AuditedDeps, 'store' | 'clock'>,
  key: string,
): Promise<OpenInvitation> {
  const row = await store.invitations.byHash(hashOfText(key), isoTime(clock()));
  if (!row) throw invitationGone();
  const ids = customersOfInvitation(row) ?? [];
  const customers = await store.customers.invitedTo(ids);
  const inviter = row.user_id === null ? null : await store.users.find(row.user_id);
  if (customers.length < ids.length || !(await mayStillGive(store, row, inviter, clock())))
    throw invitationVoid();
  return { row, customers, isNamed: reserved(row) === 0 };
}

/**
 * Accepts an invitation: makes a user with its roles, or gives them to the logged-in user. A role that the user has and
 * that allows more stays.
 * @param actor the logged-in user; for somebody new `NOT_LOGGED_IN`, because the chosen name may be another user's
 * @returns the user, whose name may differ from the chosen one
 * @throws Refusal if the link is not valid, if the inviter may no longer give the role, or with all issues, by field
 */
export async function acceptInvitation(
  deps: AuditedDeps,
  actor: Actor,
  key: string,
  as: Accepting,
): Promise<UserRow> {
  const { row: open, isNamed } = await openInvitation(deps, key);
  const chosen = 'user' in as ? null : userInput({ name: as.name, password: as.password }, reserved(open));
  const passwordHash = await hashedOrNull(chosen?.password ?? null);
  const { user } = await audited<{ user: UserRow; row: InvitationRow; customers: string[] }>(
    deps,
    actor,
    ({ user: joined, row, customers }) =>
      userEntry(
        { ...joined, memberships: joined.memberships.filter(({ customerId }) => isOf(row, customerId)) },
        'joined',
        { role: row.role, ...(customers.length && { customers }), 'invited by': row.invited_by },
      ),
    async ({ store }) => {
      const row = await store.invitations.take(hashOfText(key), isoTime(deps.clock()));
      if (!row) throw invitationGone();
      const inviter = row.user_id === null ? null : ((await store.users.lock([row.user_id]))[0] ?? null);
      if (!(await mayStillGive(store, row, inviter, deps.clock()))) throw invitationVoid();
      const customers = await existingCustomers(store, customersOfInvitation(row) ?? []).catch(
        (error: unknown) => {
          throw error instanceof Refusal ? invitationVoid() : error;
        },
      );
      const joined =
        'user' in as
          ? await giveRoles(store, as.user, row)
          : await insertWithRoles(
              { ...deps, store },
              namesOf(as, chosen?.name ?? '', isNamed),
              rolesOfInvitation(row),
              passwordHash,
            );
      if (!('user' in as)) await as.identify?.(store, joined);
      // The link was sent to this address, so that the person has it.
      if (row.email !== null) await store.users.claimEmail(joined.id, row.email.toLowerCase());
      return { user: joined, row, customers: customers.map(({ name }) => name) };
    },
  );
  return user;
}

/** A person who logs in at a provider didn't choose the name, and can't choose another if it is taken. */
const namesOf = ({ identify }: NewcomerInput, name: string, isNamed: boolean): string[] => [
  ...namesFor(name, isNamed),
  ...(identify && isNamed ? namesFor(name, false) : []),
];

const isOf = (row: InvitationRow, customerId: number): boolean =>
  customersOfInvitation(row)?.includes(customerId) ?? false;

/** @param inviter the user who invited; null if it was a token or a command, or if the user no longer exists */
async function mayStillGive(
  { adminTokens }: Pick<Tables, 'adminTokens'>,
  row: InvitationRow,
  inviter: UserRow | null,
  now: number,
): Promise<boolean> {
  if (row.user_id !== null)
    return inviter !== null && mayGiveAll(validGrants(inviter), rolesOfInvitation(row));
  if (row.admin_token_id === null) return true;
  // Permissions of a token never change.
  const token = await adminTokens.find(row.admin_token_id);
  return token !== null && token.revoked_at === null && Date.parse(token.expires_at) > now;
}

async function giveRoles({ users }: Tables, { id }: UserRow, row: InvitationRow): Promise<UserRow> {
  const [user] = await users.lock([id]);
  if (!user) throw invitationGone();
  for (const { customerId, role } of rolesOfInvitation(row)) {
    const current =
      customerId === null ? user.role : user.memberships.find((one) => one.customerId === customerId)?.role;
    if (current && isWithin(role, current)) continue;
    if (customerId === null) await users.update(id, { role });
    else await users.setMembership(id, customerId, role as MemberRole);
  }
  return (await users.find(id)) ?? user;
}

const isWithin = (role: Role, other: Role): boolean =>
  [...PERMISSIONS_OF[role]].every((one) => PERMISSIONS_OF[other].has(one));
