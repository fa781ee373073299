import { createLink } from '../../users/links';
import {
  addUser,
  changeRole,
  managesUser,
  removeUser,
  replaceLink,
  resetPassword,
  seesUser,
  usersSeenBy,
} from '../../users/manage-users';
import { mayGive } from '../../rights/grants';
import { ROLES, type Role } from '../../rights/roles';
import { type UserRow } from '../../store/tables/users';
import { FormState } from '../form-state';
import { ChoiceField, Confirm, Form, SubmitOrCancel, TextField } from '../ui/form';
import { Badge, Card, PageHead, ShownOnce, Table, Time } from '../ui/parts';
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
  pageRoute('people.manage', '/users/new', (context) => ask(context, new FormState({ role: 'viewer' }))),
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
  developer: () => t('API tokens, destinations, alerts and messages, but no lines and no users.'),
  agent: () => t('Conversations: reads and answers messages, and resends events.'),
  viewer: () => t('Sees lines, events and messages, and changes nothing.'),
};

/** The roles that this user may give. */
const roleChoices = ({ session }: UserContext) =>
  ROLES.filter((role) => mayGive(session.grants, { customerId: null, role })).map((role) => ({
    value: role,
    label: roleWord(role),
    hint: HINTS[role](),
  }));

async function showUsers(context: UserContext): Promise<PanelResponse> {
  const users = await usersSeenBy(context.deps.store, context.session);
  const { user: self } = context;
  return page(
    <PageHead
      title={t('Users')}
      actions={
        <a class="button primary" href="/panel/users/new">
          {t('Add user')}
        </a>
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
            cell: ({ id, name }) => (
              <span class="cluster">
                {name} {id === self.id && <Badge tone="info">{t('you')}</Badge>}
              </span>
            ),
          },
          { label: t('Role'), cell: (user) => rolesWord(user) },
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
              hash === null ? (
                <span class="quiet">{t('link not opened yet')}</span>
              ) : (
                <Time at={at} to="minute" />
              ),
          },
          { label: t('Changes'), actions: true, cell: (user) => <Changes user={user} /> },
        ]}
      />
      <ul class="quiet small card-foot">
        {ROLES.map((role) => (
          <li key={role}>
            <strong>{roleWord(role)}</strong>: {HINTS[role]()}
          </li>
        ))}
      </ul>
    </Card>,
  );
}

function Changes({ user }: { user: UserRow }) {
  const context = useRequest();
  if (user.id === context.user.id)
    return (
      <a class="button quiet" href="/panel/profile">
        {t('Your profile')}
      </a>
    );
  if (!managesUser(context.user, user)) return null;
  // No password is set yet, so there is nothing to reset.
  const hasNone = user.password_hash === null;
  return (
    <>
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
        <div class="field">
          <label for={`role-of-${user.id}`}>{t('Role')}</label>
          <select id={`role-of-${user.id}`} name="role" form={`role-form-${user.id}`}>
            {roleChoices(context).map(({ value, label }) => (
              <option key={value} value={value} selected={value === user.role}>
                {label}
              </option>
            ))}
          </select>
        </div>
      </Confirm>
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
            {t(
              '{name} is logged out everywhere. The current password and authenticator app no longer work.',
              {
                name: user.name,
              },
            )}
          </p>
        )}
      </Confirm>
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
          {t('All sessions end immediately. The audit log keeps the entries of {name}.', { name: user.name })}
        </p>
      </Confirm>
    </>
  );
}

function ask(context: UserContext, state: FormState): PanelResponse {
  return page(
    <PageHead title={t('Add user')} back={{ href: '/panel/users', label: t('Users') }}>
      {t('You get a link to send to the new user, who chooses a password with it.')}
    </PageHead>,
    <Card>
      <Form action="/panel/users" state={state}>
        <TextField name="name" label={t('Name')} hint={t('The name for logging in.')} maxLength={64} />
        <ChoiceField name="role" label={t('Role')} choices={roleChoices(context)} />
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
    customerIds: null,
    password: null,
  };
  const added = await state.given(() => addUser(deps, context.actor, context.user, given));
  if (!added) return ask(context, state);
  return showLink(context, added, t('{name} is added', { name: added.name }));
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
  const given = new FormState(context.form).text('role');
  const changed = await changeRole(context.deps, context.actor, context.user, user, null, given);
  return seeOther(
    '/panel/users',
    t('The role of {name} is now: {role}.', { name: user.name, role: rolesWord(changed) }),
  );
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

/**
 * Finds another user. Users cannot change their own role or remove themselves, so an owner always remains.
 */
async function otherUser({ deps, params, user: self, session }: UserContext): Promise<UserRow> {
  const id = /^\d{1,9}$/.test(params.id ?? '') ? Number(params.id) : 0;
  const user = id === self.id ? null : await deps.store.users.find(id);
  if (!user || !seesUser(session.grants, user)) throw pageNotFound();
  return user;
}
