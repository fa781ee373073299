import { existingCustomers } from '../../customers/manage-customers';
import { invitationNotFound } from '../../errors';
import { mayGive, type Grant, type RoleGrant } from '../../rights/grants';
import { type Tables } from '../../store/store';
import { type Actor, type AuditEntry } from '../../store/tables/audit';
import { type InvitationRow } from '../../store/tables/invitations';
import { audited, type AuditedDeps } from '../../store/with-audit';
import { DAY, HOUR, isoTime } from '../../time';
import { fact, type Said } from '../../wording/facts';
import { type Language } from '../../wording/language';
import { checkGiven, isUser, type Manager } from '../manage-users';
import { hashOfText, randomText } from '../secret-text';
import { invitationInput, LONGEST_NAME, type InvitationInput } from './invitation-input';

const LIFE = 72 * HOUR;
/** How long an expired invitation is listed, so that it can be renewed. */
const KEPT = 30 * DAY;

export interface MadeInvitation {
  row: InvitationRow;
  /** The key of the link. Never stored; the caller sends or shows it once. */
  key: string;
}

/** The customers of an invitation; null: all. */
export const customersOfInvitation = ({ customer_ids: ids }: Pick<InvitationRow, 'customer_ids'>) =>
  ids === null ? null : (JSON.parse(ids) as number[]);

/** The roles that an invitation gives. */
export const rolesOfInvitation = (row: Pick<InvitationRow, 'customer_ids' | 'role'>): RoleGrant[] =>
  (customersOfInvitation(row) ?? [null]).map((customerId) => ({ customerId, role: row.role }));

/** Whether a manager sees an invitation: all of it is about customers whose users they manage. */
const isSeenBy = (grants: readonly Grant[], row: InvitationRow): boolean =>
  rolesOfInvitation(row).every(({ customerId }) => mayGive(grants, { customerId, role: 'viewer' }));

/** The invitations that a manager sees, latest first. */
export const invitationsSeenBy = async (
  { invitations }: Pick<Tables, 'invitations'>,
  grants: readonly Grant[] | null,
): Promise<InvitationRow[]> =>
  (await invitations.all()).filter((row) => grants === null || isSeenBy(grants, row));

/**
 * Invites a person to a role in some or all customers. Nothing is checked of existing users, so that the answer tells
 * nothing of them.
 * @param adminTokenId the token that invites; null for a user or a command
 * @throws Refusal with all issues, by field, or if `by` may not give the role
 */
export async function invite(
  deps: AuditedDeps,
  actor: Actor,
  by: Manager,
  given: InvitationInput,
  adminTokenId: number | null = null,
): Promise<MadeInvitation> {
  const { name, email, role, customerIds } = invitationInput(given);
  const now = deps.clock();
  return audited<MadeInvitation & { customers: Named[] }>(
    deps,
    actor,
    ({ row, customers }) => entryOf('created', row, customers),
    async ({ store }) => {
      const roles = (customerIds ?? [null]).map((customerId) => ({ customerId, role }));
      await checkGiven(store.users, by, roles);
      const customers = await existingCustomers(store, customerIds ?? []);
      await store.invitations.removeExpired(isoTime(now - KEPT));
      const key = randomText();
      const row = await store.invitations.insert({
        ...{ hash: hashOfText(key), email, name, role, ...inviter(actor, by, adminTokenId) },
        customer_ids: customerIds && JSON.stringify(customerIds),
        created_at: isoTime(now),
        expires_at: isoTime(now + LIFE),
      });
      return { row, key, customers };
    },
  );
}

const inviter = ({ who }: Actor, by: Manager, adminTokenId: number | null) => ({
  invited_by: who,
  user_id: isUser(by) ? by.id : null,
  admin_token_id: adminTokenId,
});

/**
 * Makes a new link, which voids the previous one, for another 72 hours. Who renews an invitation is its inviter from now
 * on, because the previous one may no longer be allowed to invite.
 * @throws Refusal as `invite`
 */
export function renewInvitation(
  deps: AuditedDeps,
  actor: Actor,
  by: Manager,
  invitation: InvitationRow,
  adminTokenId: number | null = null,
): Promise<MadeInvitation> {
  return audited<MadeInvitation & { customers: Named[] }>(
    deps,
    actor,
    ({ row, customers }) => entryOf('renewed', row, customers),
    async ({ store }) => {
      const customers = await changeable(store, by, invitation);
      const key = randomText();
      const change = {
        ...{ hash: hashOfText(key), expires_at: isoTime(deps.clock() + LIFE) },
        ...inviter(actor, by, adminTokenId),
      };
      if (!(await store.invitations.renew(invitation.id, change))) throw invitationNotFound();
      return { row: { ...invitation, ...change }, key, customers };
    },
  );
}

interface MailDeps {
  store: Pick<Tables, 'invitations'>;
  /** Null: links can't be sent, because they would have no host. */
  publicUrl: string | null;
  invitationMail: { send(to: string, link: string, language: Language): Promise<Said | null> };
}

/**
 * Sends the link of an invitation by e-mail. If that fails, the inviter gets the link instead, so the invitation forgets
 * the address: a person who accepts would seem to have it, and could be linked to somebody else at a provider.
 * @param path of the page where the invitation is accepted, with its key
 * @returns null if the link was sent; else why not
 */
export async function sendInvitation(
  { store, publicUrl, invitationMail }: MailDeps,
  { row: { id, name } }: MadeInvitation,
  email: string,
  path: string,
  language: Language,
): Promise<Said | null> {
  const failure =
    publicUrl === null
      ? fact('public_url.missing', {})
      : await invitationMail.send(email, publicUrl + path, language);
  if (failure !== null) await store.invitations.forgetAddress(id, name ?? email.slice(0, LONGEST_NAME));
  return failure;
}

/** @throws Refusal if the invitation no longer exists, or if `by` may not give its role */
export async function revokeInvitation(
  deps: AuditedDeps,
  actor: Actor,
  by: Manager,
  invitation: InvitationRow,
): Promise<void> {
  await audited<Named[]>(
    deps,
    actor,
    (customers) => entryOf('revoked', invitation, customers),
    async ({ store }) => {
      const customers = await changeable(store, by, invitation);
      if (!(await store.invitations.remove(invitation.id))) throw invitationNotFound();
      return customers;
    },
  );
}

interface Named {
  id: number;
  name: string;
}

async function changeable(store: Tables, by: Manager, invitation: InvitationRow): Promise<Named[]> {
  await checkGiven(store.users, by, rolesOfInvitation(invitation));
  return store.customers.lock(customersOfInvitation(invitation) ?? []);
}

/** The audit names no address: it is kept longer than the invitation. */
const entryOf = (
  verb: 'created' | 'renewed' | 'revoked',
  { id, role }: InvitationRow,
  customers: readonly Named[],
): AuditEntry => ({
  action: `invitation.${verb}`,
  details: {
    invitation: id,
    role,
    ...(customers.length && { customers: customers.map(({ name }) => name) }),
  },
  customers: customers.map(({ id: customer, name }) => ({
    id: customer,
    details: { role, customers: [name] },
  })),
});
