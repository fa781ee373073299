import { type VNode } from 'preact';
import { createLink } from '../../users/links';
import {
  addUser,
  changeRole,
  managesUser,
  removeUser,
  replaceLink,
  resetPassword,
  usersSeenBy,
  userSeenBy,
} from '../../users/manage-users';
import { mayGive } from '../../rights/grants';
import { ROLES, type Role } from '../../rights/roles';
import { type CustomerRow } from '../../store/tables/customers';
import { type UserRow } from '../../store/tables/users';
import { FormState } from '../form-state';
import { ChoiceField, Confirm, Form, SubmitOrCancel, TextField } from '../ui/form';
import { Badge, Card, PageHead, ShownOnce, Table, Time, type Column } from '../ui/parts';
import { pageNotFound } from '../ui/frame/error-page';
import { page, seeOther, type PanelResponse } from '../outcome';
import { actionRoute, pageRoute, type PanelRoute } from '../panel-route';
import { type UserContext } from '../request-context';
import { rolesWord, roleWord } from '../ui/frame/role';
import { t } from '../languages/t';
import { useRequest } from '../ui/page-request';

/** The users of the panel. */
export const userPages: PanelRoute[] = [
  pageRoute('people.manage', '/users', showUsers),
  pageRoute('people.manage', '/users/new', (context) =>
    ask(context, new FormState({ role: 'viewer', access: 'some' })),
  ),
  actionRoute('people.manage', '/users', add, { confirmed: () => t('To add a user') }),
  actionRoute('people.manage', '/users/:id/role', setRole, { confirmed: () => t('To change a role') }),
  actionRoute('people.manage', '/users/:id/link', makeLink, {
    confirmed: () => t('To make a link for a new password'),
  }),
  actionRoute('people.manage', '/users/:id/remove', remove, { confirmed: () => t('To remove a user') }),
];

const HINTS: Record<Role, () => string> = {
  owner: () => t('Everything, the settings of the gateway included.'),
  admin: () =>
    t('Lines, users, API tokens, destinations, messages and templates, but no settings of the gateway.'),
  developer: () => t('API tokens, destinations, alerts, messages and templates, but no lines and no users.'),
  editor: () => t('Templates. Sees lines and events, but not contacts and messages.'),
  agent: () => t('Conversations: reads and answers messages, and resends events.'),
  viewer: () => t('Sees lines, events and messages, and changes nothing.'),
};

/** The roles that this user may give, in all customers or in one of some. */
const roleChoices = ({ session }: UserContext, customers: CustomerRow[]) =>
  ROLES.filter((role) =>
    [null, ...customers.map(({ id }) => id)].some((customerId) =>
      mayGive(session.grants, { customerId, role }),
    ),
  ).map((role) => ({ value: role, label: roleWord(role), hint: HINTS[role]() }));

async function showUsers(context: UserContext): Promise<PanelResponse> {
  const [users, customers] = await Promise.all([
    usersSeenBy(context.deps.store, context.session),
    context.deps.store.customers.all(),
  ]);
  const { user: self } = context;
  const isOfAll = context.may('people.manage', null);
  return page(
    <PageHead
      title={t('Users')}
      actions={
        <>
          {context.may('gateway') && (
            <>
              <a class="button plain" href="/panel/customers">
                {t('Customers')}
              </a>
              <a class="button plain" href="/panel/providers">
                {t('Log-in providers')}
              </a>
            </>
          )}
          <a class="button primary" href="/panel/users/new">
            {t('Add user')}
          </a>
        </>
      }
    >
      {t('Who can use this panel. Give each person their own user, so the audit shows who did what.')}
    </PageHead>,
    <Card flush>
      <Table
        caption={t('Users')}
        rows={users}
        rowKey={({ id }) => id}
        columns={[
          {
            label: t('Name'),
            heading: true,
            cell: ({ id, name, password_hash: hash }) => (
              <span class="cluster">
                {name} {id === self.id && <Badge tone="info">{t('you')}</Badge>}
                {!isOfAll && hash === null && <span class="quiet small">{t('link not opened yet')}</span>}
              </span>
            ),
          },
          { label: t('Role'), cell: (user) => <RolesOf user={user} isNamed={customers.length > 0} /> },
          ...(isOfAll ? logInColumns() : []),
          {
            label: t('Changes'),
            actions: true,
            cell: (user) => <Changes user={user} customers={customers} />,
          },
        ]}
      />
      <ul class="quiet small card-foot">
        {!isOfAll && (
          <li>
            {t(
              'If someone loses a password or authenticator app, remove the user and add them again, or ask the operator of the gateway.',
            )}
          </li>
        )}
        {ROLES.map((role) => (
          <li key={role}>
            <strong>{roleWord(role)}</strong>: {HINTS[role]()}
          </li>
        ))}
      </ul>
    </Card>,
  );
}

/**
 * How users log in. Not for managers of some customers: a log-in from before a user got a role there tells that the user
 * has roles elsewhere.
 */
const logInColumns = (): Column<UserRow>[] => [
  {
    label: t('Authenticator app'),
    cell: ({ totp_sealed: sealed }) =>
      sealed === null ? (
        <Badge tone="idle">{t.of('authenticator app', 'off')}</Badge>
      ) : (
        <Badge tone="good">{t.of('authenticator app', 'on')}</Badge>
      ),
  },
  {
    label: t('Last log-in'),
    cell: ({ last_log_in_at: at, password_hash: hash }) =>
      hash === null ? <span class="quiet">{t('link not opened yet')}</span> : <Time at={at} to="minute" />,
  },
];

/** The roles of a user. @param isNamed whether to name the customers */
function RolesOf({ user, isNamed }: { user: UserRow; isNamed: boolean }): VNode {
  if (!isNamed) return <>{rolesWord(user)}</>;
  return (
    <ul class="plain">
      {rolesIn(user).map((role) => (
        <li key={role}>{role}</li>
      ))}
    </ul>
  );
}

const rolesIn = ({ role, memberships }: UserRow): string[] => [
  ...(role ? [t('{role}, all customers', { role: roleWord(role) })] : []),
  ...memberships.map(({ role: own, customerName, customerId }) =>
    t('{role}, {customer}', { role: roleWord(own), customer: customerName ?? String(customerId) }),
  ),
];

interface ChangesProps {
  user: UserRow;
  customers: CustomerRow[];
}

/** Asks for another role and, if there are customers, in which of them. */
function ChangeRole({ user, customers }: ChangesProps): VNode {
  const context = useRequest();
  const [membership] = user.memberships;
  const current = user.role ?? membership?.role;
  const choice = (name: string, label: string, choices: { value: string; label: string }[], chosen = '') => (
    <div class="field">
      <label for={`${name}-of-${user.id}`}>{label}</label>
      <select id={`${name}-of-${user.id}`} name={name} form={`role-form-${user.id}`}>
        {choices.map((one) => (
          <option key={one.value} value={one.value} selected={one.value === chosen}>
            {one.label}
          </option>
        ))}
      </select>
    </div>
  );
  return (
    <Confirm
      id={`role-${user.id}`}
      action={`/panel/users/${user.id}/role`}
      formId={`role-form-${user.id}`}
      isQuiet
      button={
        <>
          {t('Change role')}
          <span class="sr-only">: {user.name}</span>
        </>
      }
      title={t('Change the role of {name}?', { name: user.name })}
      confirm={t('Change role')}
    >
      {customers.length > 0 &&
        choice(
          'customer',
          t('Customer'),
          [
            ...(context.may('people.manage', null) ? [{ value: '', label: t('All customers') }] : []),
            ...customers.map(({ id, name }) => ({ value: String(id), label: name })),
          ],
          user.role ? '' : String(membership?.customerId ?? ''),
        )}
      {choice(
        'role',
        t('Role'),
        [
          ...roleChoices(context, customers),
          ...(customers.length > 0 ? [{ value: NO_ROLE, label: t('No role') }] : []),
        ],
        current,
      )}
    </Confirm>
  );
}

/** The choice that takes a role away. */
const NO_ROLE = 'none';

function Changes({ user, customers }: ChangesProps) {
  const context = useRequest();
  if (user.id === context.user.id)
    return (
      <a class="button quiet" href="/panel/profile">
        {t('Your profile')}
      </a>
    );
  if (!managesUser(context.user, user)) return null;
  const isOfAll = context.may('people.manage', null);
  return (
    <>
      <ChangeRole user={user} customers={customers} />
      {isOfAll && <NewLink user={user} />}
      <Confirm
        id={`remove-${user.id}`}
        action={`/panel/users/${user.id}/remove`}
        button={
          <>
            {t('Remove')}
            <span class="sr-only"> {user.name}</span>
          </>
        }
        tone="danger"
        isQuiet
        title={t('Remove {name}?', { name: user.name })}
        confirm={t('Remove')}
      >
        <p>
          {isOfAll
            ? t('All sessions end immediately. The audit log keeps the entries of {name}.', {
                name: user.name,
              })
            : t('{name} loses access immediately. The audit log keeps the entries of {name}.', {
                name: user.name,
              })}
        </p>
      </Confirm>
    </>
  );
}

/** Asks for a new link to choose a password. */
function NewLink({ user }: { user: UserRow }): VNode {
  // No password is set yet, so there is nothing to reset.
  const hasNone = user.password_hash === null;
  return (
    <Confirm
      id={`reset-${user.id}`}
      action={`/panel/users/${user.id}/link`}
      isQuiet
      button={
        <>
          {hasNone ? t('New link') : t('Reset password')}
          <span class="sr-only">: {user.name}</span>
        </>
      }
      title={
        hasNone
          ? t('Make a new link for {name}?', { name: user.name })
          : t('Reset the password of {name}?', { name: user.name })
      }
      confirm={hasNone ? t('Make link') : t('Reset password')}
    >
      <p>
        {t('You get a link for {name} to choose a password. It works once, for one day.', {
          name: user.name,
        })}
      </p>
      {hasNone ? (
        <p>{t('The previous link stops working.')}</p>
      ) : (
        <p>
          {t('{name} is logged out everywhere. The current password and authenticator app no longer work.', {
            name: user.name,
          })}
        </p>
      )}
    </Confirm>
  );
}

async function ask(context: UserContext, state: FormState): Promise<PanelResponse> {
  const customers = await context.deps.store.customers.all();
  return page(
    <PageHead title={t('Add user')} back={{ href: '/panel/users', label: t('Users') }}>
      {t('You get a link to send to the new user, who chooses a password with it.')}
    </PageHead>,
    <Card>
      <Form action="/panel/users" state={state}>
        <TextField
          name="name"
          label={t('Name')}
          hint={
            context.may('people.manage', null)
              ? t('The name for logging in.')
              : t('The name for logging in. Four random characters are added to it.')
          }
          maxLength={64}
        />
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
        <SubmitOrCancel submit={t('Add user')} back="/panel/users" />
      </Form>
    </Card>,
    state,
  );
}

async function add(context: UserContext): Promise<PanelResponse> {
  const { deps } = context;
  const state = new FormState(context.form);
  const given = {
    name: state.text('name'),
    role: state.text('role'),
    customerIds: await customersIn(context, state),
    password: null,
  };
  const added = await state.given(() => addUser(deps, context.actor, context.user, given), {
    customers: 'customer',
  });
  if (!added) return ask(context, state);
  return showLink(context, added, t('{name} is added', { name: added.name }));
}

/** The chosen customers; null: all. Without a choice, the form doesn't ask. */
async function customersIn({ deps, may }: UserContext, state: FormState): Promise<number[] | null> {
  const customers = await deps.store.customers.all();
  const isOfAll = may('people.manage', null);
  if (isOfAll && (!customers.length || state.text('access') === 'all')) return null;
  if (!isOfAll && customers.length === 1) return customers.map(({ id }) => id);
  return customers.map(({ id }) => id).filter((id) => state.all('customer').includes(String(id)));
}

async function showLink(context: UserContext, user: UserRow, title: string): Promise<PanelResponse> {
  const key = await createLink(context.deps, user.id);
  return page(
    <PageHead title={title} back={{ href: '/panel/users', label: t('Users') }}>
      {t(
        '{name} chooses a password with this link. It works once, for one day. Send it so that only {name} can read it.',
        { name: user.name },
      )}
    </PageHead>,
    <ShownOnce
      id="link"
      text={`${context.gatewayUrl}/panel/set-up?key=${key}`}
      label={t('The link')}
      for={user.name}
    />,
  );
}

async function setRole(context: UserContext): Promise<PanelResponse> {
  const user = await otherUser(context);
  const state = new FormState(context.form);
  const [customer, role] = [state.text('customer'), state.text('role')];
  if (!/^\d{0,9}$/.test(customer)) throw pageNotFound();
  const { user: changed, needsLink } = await changeRole(
    context.deps,
    context.actor,
    context.user,
    user,
    customer === '' ? null : Number(customer),
    role === NO_ROLE ? null : role,
  );
  const said = t('The role of {name} is now: {role}.', { name: user.name, role: rolesOf(changed) });
  if (!needsLink) return seeOther('/panel/users', said);
  const ended = t('The previous link for a password no longer works. {name} needs a new link.', {
    name: user.name,
  });
  return seeOther('/panel/users', `${said} ${ended}`, 'warn');
}

async function makeLink(context: UserContext): Promise<PanelResponse> {
  const user = await otherUser(context);
  const { deps, actor, user: self } = context;
  if (user.password_hash === null) {
    await replaceLink(deps, actor, self, user);
    return showLink(context, user, t('New link'));
  }
  await resetPassword(deps, actor, self, user, null);
  return showLink(context, user, t('The password of {name} is reset', { name: user.name }));
}

async function remove(context: UserContext): Promise<PanelResponse> {
  const user = await otherUser(context);
  await removeUser(context.deps, context.actor, context.user, user);
  return seeOther('/panel/users', t('{name} is removed.', { name: user.name }));
}

const rolesOf = (user: UserRow): string =>
  user.memberships.length ? rolesIn(user).join('; ') : rolesWord(user);

/**
 * Finds another user. Users cannot change their own role or remove themselves, so an owner always remains.
 */
async function otherUser({ deps, params, user: self, session }: UserContext): Promise<UserRow> {
  const id = /^\d{1,9}$/.test(params.id ?? '') ? Number(params.id) : 0;
  const user = id === self.id ? null : await deps.store.users.find(id);
  const seen = user && userSeenBy(session.grants, user);
  if (!seen) throw pageNotFound();
  return seen;
}
