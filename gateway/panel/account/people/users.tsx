import { type VNode } from 'preact';
import { createLink } from '../../../users/links';
import {
  addUser,
  managesUser,
  removeUser,
  replaceLink,
  resetPassword,
  usersSeenBy,
} from '../../../users/manage-users';
import { ROLES } from '../../../rights/roles';
import { invitationsSeenBy } from '../../../users/invitations/invite';
import { type UserRow } from '../../../store/tables/users';
import { FormState } from '../../form-state';
import { Confirm, Form, SubmitOrCancel, TextField } from '../../ui/form';
import { Badge, Card, PageHead, ShownOnce, Table, Time, type Column } from '../../ui/parts';
import { page, seeOther, type PanelResponse } from '../../outcome';
import { actionRoute, pageRoute, type PanelRoute } from '../../panel-route';
import { type UserContext } from '../../request-context';
import { roleWord } from '../../ui/frame/role';
import { Invitations } from './invitations';
import { chosenCustomers, otherUser, RoleFields, ROLE_HINTS, RolesOf } from './role-fields';
import { t } from '../../languages/t';
import { useRequest } from '../../ui/page-request';

/** The users of the panel. */
export const userPages: PanelRoute[] = [
  pageRoute('people.manage', '/users', showUsers),
  pageRoute('people.manage', '/users/new', (context) =>
    ask(context, new FormState({ role: 'viewer', access: 'some' })),
  ),
  actionRoute('people.manage', '/users', add, { confirmed: () => t('To add a user') }),
  actionRoute('people.manage', '/users/:id/link', makeLink, {
    confirmed: () => t('To make a link for a new password'),
  }),
  actionRoute('people.manage', '/users/:id/remove', remove, { confirmed: () => t('To remove a user') }),
];

async function showUsers(context: UserContext): Promise<PanelResponse> {
  const { deps, session } = context;
  const [users, customers, invitations] = await Promise.all([
    usersSeenBy(deps.store, session),
    deps.store.customers.all(),
    invitationsSeenBy(deps.store, session.grants),
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
          <a class="button plain" href="/panel/users/new">
            {t('Add user')}
          </a>
          <a class="button primary" href="/panel/invitations/new">
            {t('Invite')}
          </a>
        </>
      }
    >
      {t('Who can use this panel. Give each person their own user, so the audit shows who did what.')}
    </PageHead>,
    <>
      <Card flush>
        <Table
          caption={t('Users')}
          rows={users}
          rowKey={({ id }) => id}
          columns={[
            {
              label: t('Name'),
              heading: true,
              cell: ({ id, name, password_hash: hash, last_log_in_at: at }) => (
                <span class="cluster">
                  {id === self.id ? (
                    name
                  ) : (
                    <a class="row-link" href={`/panel/users/${id}`}>
                      {name}
                    </a>
                  )}{' '}
                  {id === self.id && <Badge tone="info">{t('you')}</Badge>}
                  {!isOfAll && hash === null && at === null && (
                    <span class="quiet small">{t('link not opened yet')}</span>
                  )}
                </span>
              ),
            },
            { label: t('Role'), cell: (user) => <RolesOf user={user} isNamed={customers.length > 0} /> },
            ...(isOfAll ? logInColumns() : []),
            {
              label: t('Changes'),
              actions: true,
              cell: (user) => <Changes user={user} />,
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
              <strong>{roleWord(role)}</strong>: {ROLE_HINTS[role]()}
            </li>
          ))}
        </ul>
      </Card>
      {invitations.length > 0 && <Invitations rows={invitations} customers={customers} />}
    </>,
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
      hash === null && at === null ? (
        <span class="quiet">{t('link not opened yet')}</span>
      ) : (
        <Time at={at} to="minute" />
      ),
  },
];

function Changes({ user }: { user: UserRow }) {
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
        <RoleFields customers={customers} />
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
    customerIds: await chosenCustomers(context, state),
    password: null,
  };
  const added = await state.given(() => addUser(deps, context.actor, context.user, given), {
    customers: 'customer',
  });
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
