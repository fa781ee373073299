import { type VNode } from 'preact';
import { mayGive } from '../../../rights/grants';
import { ROLES, type Role } from '../../../rights/roles';
import { type CustomerRow } from '../../../store/tables/customers';
import { type UserRow } from '../../../store/tables/users';
import { userSeenBy } from '../../../users/manage-users';
import { type FormState } from '../../form-state';
import { t } from '../../languages/t';
import { type UserContext } from '../../request-context';
import { ChoiceField } from '../../ui/form';
import { pageNotFound } from '../../ui/frame/error-page';
import { rolesWord, roleWord } from '../../ui/frame/role';
import { useRequest } from '../../ui/page-request';

export const ROLE_HINTS: Record<Role, () => string> = {
  owner: () => t('Everything, the settings of the gateway included.'),
  admin: () =>
    t('Lines, users, API tokens, destinations, messages and templates, but no settings of the gateway.'),
  developer: () => t('API tokens, destinations, alerts, messages and templates, but no lines and no users.'),
  editor: () => t('Templates. Sees lines and events, but not contacts and messages.'),
  agent: () => t('Conversations: reads and answers messages, and resends events.'),
  viewer: () => t('Sees lines, events and messages, and changes nothing.'),
};

/** The roles that this user may give, in all customers or in one of some. */
export const roleChoices = ({ session }: UserContext, customers: CustomerRow[]) =>
  ROLES.filter((role) =>
    [null, ...customers.map(({ id }) => id)].some((customerId) =>
      mayGive(session.grants, { customerId, role }),
    ),
  ).map((role) => ({ value: role, label: roleWord(role), hint: ROLE_HINTS[role]() }));

/** The roles of a user. @param isNamed whether to name the customers */
export function RolesOf({ user, isNamed }: { user: UserRow; isNamed: boolean }): VNode {
  if (!isNamed) return <>{rolesWord(user)}</>;
  return (
    <ul class="plain">
      {rolesIn(user).map((role) => (
        <li key={role}>{role}</li>
      ))}
    </ul>
  );
}

export const rolesIn = ({ role, memberships }: UserRow): string[] => [
  ...(role ? [t('{role}, all customers', { role: roleWord(role) })] : []),
  ...memberships.map(({ role: own, customerName, customerId }) =>
    t('{role}, {customer}', { role: roleWord(own), customer: customerName ?? String(customerId) }),
  ),
];

/** Asks for a role and, if there are customers, in which of them. */
export function RoleFields({ customers }: { customers: CustomerRow[] }): VNode {
  const context = useRequest() as UserContext;
  return (
    <>
      {customers.length > 0 && context.may('people.manage', null) && (
        <ChoiceField
          name="access"
          label={t('Access')}
          choices={[
            { value: 'all', label: t('All customers, and lines without a customer') },
            { value: 'some', label: t('Only the customers chosen below') },
          ]}
        />
      )}
      {customers.length > (context.may('people.manage', null) ? 0 : 1) && (
        <ChoiceField
          name="customer"
          label={t('Customers')}
          many
          choices={customers.map(({ id, name }) => ({ value: String(id), label: name }))}
        />
      )}
      <ChoiceField name="role" label={t('Role')} choices={roleChoices(context, customers)} />
    </>
  );
}

/** The customers chosen in `RoleFields`; null: all. Without a choice, the form doesn't ask. */
export async function chosenCustomers(
  { deps, may }: UserContext,
  state: FormState,
): Promise<number[] | null> {
  const customers = await deps.store.customers.all();
  const isOfAll = may('people.manage', null);
  if (isOfAll && (!customers.length || state.text('access') === 'all')) return null;
  if (!isOfAll && customers.length === 1) return customers.map(({ id }) => id);
  return customers.map(({ id }) => id).filter((id) => state.all('customer').includes(String(id)));
}

/** All roles in one text. */
export const rolesText = (user: UserRow): string =>
  user.memberships.length ? rolesIn(user).join('; ') : rolesWord(user);

/**
 * Finds another user. Users cannot change their own role or remove themselves, so an owner always remains.
 */
export async function otherUser({ deps, params, user: self, session }: UserContext): Promise<UserRow> {
  const id = /^\d{1,9}$/.test(params.id ?? '') ? Number(params.id) : 0;
  const user = id === self.id ? null : await deps.store.users.find(id);
  const seen = user && userSeenBy(session.grants, user);
  if (!seen) throw pageNotFound();
  return seen;
}
