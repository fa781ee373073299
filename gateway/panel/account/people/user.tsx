import { type VNode } from 'preact';
import { rolesOf, type RoleGrant } from '../../../rights/grants';
import { type CustomerRow } from '../../../store/tables/customers';
import { type SessionRow } from '../../../store/tables/sessions';
import { type UserRow } from '../../../store/tables/users';
import { endSessions, mayEndSessions, sessionsOf } from '../../../users/end-sessions';
import { changeRole, managesUser } from '../../../users/manage-users';
import { FormState } from '../../form-state';
import { t } from '../../languages/t';
import { page, seeOther, type PanelResponse } from '../../outcome';
import { actionRoute, pageRoute, type PanelRoute } from '../../panel-route';
import { type UserContext } from '../../request-context';
import { ActionButton, Confirm, Form, Submit } from '../../ui/form';
import { pageNotFound } from '../../ui/frame/error-page';
import { roleWord } from '../../ui/frame/role';
import { useRequest } from '../../ui/page-request';
import { Card, PageHead, Table } from '../../ui/parts';
import { otherUser, ROLE_HINTS, roleChoices, rolesText } from './role-fields';
import { Sessions } from '../sessions';

/** The page of a user: the roles, one by one, and the sessions. */
export const userPage: PanelRoute[] = [
  pageRoute('people.manage', '/users/:id', showUser),
  actionRoute('people.manage', '/users/:id/role', setRole, { confirmed: () => t('To change a role') }),
  actionRoute('people.manage', '/users/:id/sessions/:session/end', async (context) =>
    end(context, { id: context.params.session ?? '' }),
  ),
  actionRoute('people.manage', '/users/:id/sessions/end', (context) => end(context, { except: null })),
];

async function showUser(context: UserContext): Promise<PanelResponse> {
  const { deps, user: self, session } = context;
  const user = await otherUser(context);
  const isChangeable = managesUser(self, user);
  const [customers, sessions] = await Promise.all([
    deps.store.customers.all(),
    isChangeable && mayEndSessions(session.grants, user) ? sessionsOf(deps, user) : null,
  ]);
  return page(
    <PageHead title={user.name} back={{ href: '/panel/users', label: t('Users') }}>
      {rolesText(user)}
    </PageHead>,
    <>
      <Card title={t('Roles')} flush>
        <Roles user={user} customers={customers} isChangeable={isChangeable} />
      </Card>
      {isChangeable && <AddRole user={user} customers={customers} />}
      {sessions && <SessionsOf user={user} sessions={sessions} />}
    </>,
  );
}

interface OfUser {
  user: UserRow;
  customers: CustomerRow[];
}

const nameIn = (customers: CustomerRow[], id: number | null): string =>
  id === null ? t('All customers') : (customers.find((one) => one.id === id)?.name ?? String(id));

function Roles({ user, customers, isChangeable }: OfUser & { isChangeable: boolean }): VNode {
  const roles = rolesOf(user);
  return (
    <Table
      caption={t('Roles')}
      rows={roles}
      rowKey={({ customerId }) => String(customerId)}
      columns={[
        ...(customers.length
          ? [
              {
                label: t('Customer'),
                heading: true as const,
                cell: ({ customerId }: RoleGrant) => nameIn(customers, customerId),
              },
            ]
          : []),
        {
          label: t('Role'),
          cell: ({ role }) => (
            <>
              {roleWord(role)} <span class="quiet small">{ROLE_HINTS[role]()}</span>
            </>
          ),
        },
        ...(isChangeable
          ? [
              {
                label: t('Changes'),
                actions: true as const,
                cell: (one: RoleGrant) => (
                  <>
                    <Change user={user} customers={customers} given={one} />
                    {roles.length > 1 && <Remove user={user} customers={customers} given={one} />}
                  </>
                ),
              },
            ]
          : []),
      ]}
    />
  );
}

interface OfRole extends OfUser {
  given: RoleGrant;
}

function Change({ user, customers, given: { customerId, role } }: OfRole): VNode {
  const id = `change-${customerId ?? 'all'}`;
  return (
    <Confirm
      id={id}
      action={`/panel/users/${user.id}/role`}
      formId={`${id}-form`}
      isQuiet
      fields={{ customer: String(customerId ?? '') }}
      button={
        <>
          {t('Change role')}
          <span class="sr-only">: {nameIn(customers, customerId)}</span>
        </>
      }
      title={t('Change the role of {name}?', { name: user.name })}
      confirm={t('Change role')}
    >
      <RoleSelect
        id={`${id}-role`}
        form={`${id}-form`}
        customers={customers}
        only={customerId}
        chosen={role}
      />
    </Confirm>
  );
}

function Remove({ user, customers, given: { customerId } }: OfRole): VNode {
  return (
    <Confirm
      id={`remove-${customerId ?? 'all'}`}
      action={`/panel/users/${user.id}/role`}
      isQuiet
      tone="danger"
      fields={{ customer: String(customerId ?? ''), role: NO_ROLE }}
      button={
        <>
          {t('Remove')}
          <span class="sr-only">: {nameIn(customers, customerId)}</span>
        </>
      }
      title={t('Remove this role of {name}?', { name: user.name })}
      confirm={t('Remove')}
    >
      <p>{nameIn(customers, customerId)}</p>
    </Confirm>
  );
}

interface RoleSelectProps {
  id: string;
  form?: string;
  customers: CustomerRow[];
  /** The customer in which the role is given; undefined: one is chosen beside it. */
  only?: number | null;
  chosen?: string;
}

function RoleSelect({ id, form, customers, only, chosen }: RoleSelectProps): VNode {
  const context = useRequest() as UserContext;
  const givenIn = only === undefined ? customers : customers.filter((one) => one.id === only);
  const choices = roleChoices(context, givenIn).filter(({ value }) => value !== 'owner' || !only);
  return (
    <div class="field">
      <label for={id}>{t('Role')}</label>
      <select id={id} name="role" form={form}>
        {choices.map(({ value, label }) => (
          <option key={value} value={value} selected={value === chosen}>
            {label}
          </option>
        ))}
      </select>
    </div>
  );
}

/** A role in a further customer, or in all. Null if the user has one in each that the reader manages. */
function AddRole({ user, customers }: OfUser): VNode | null {
  const context = useRequest();
  const had = new Set(rolesOf(user).map(({ customerId }) => customerId));
  const isOfAll = context.may('people.manage', null) && !had.has(null);
  const others = customers.filter(({ id }) => !had.has(id));
  if (!others.length && !isOfAll) return null;
  return (
    <Card title={t('Add a role')}>
      <Form action={`/panel/users/${user.id}/role`}>
        <div class="field">
          <label for="customer">{t('Customer')}</label>
          <select id="customer" name="customer">
            {others.map(({ id, name }) => (
              <option key={id} value={id}>
                {name}
              </option>
            ))}
            {isOfAll && <option value="">{t('All customers')}</option>}
          </select>
        </div>
        <RoleSelect id="role" customers={others} chosen="viewer" />
        <div>
          <Submit tone="plain">{t('Add role')}</Submit>
        </div>
      </Form>
    </Card>
  );
}

/** The value that takes a role away. */
const NO_ROLE = 'none';

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
  const back = `/panel/users/${user.id}`;
  const said = t('The role of {name} is now: {role}.', { name: user.name, role: rolesText(changed) });
  if (!needsLink) return seeOther(back, said);
  const ended = t('The previous link for a password no longer works. {name} needs a new link.', {
    name: user.name,
  });
  return seeOther(back, `${said} ${ended}`, 'warn');
}

function SessionsOf({ user, sessions }: { user: UserRow; sessions: SessionRow[] }): VNode {
  const path = `/panel/users/${user.id}/sessions`;
  if (!sessions.length)
    return (
      <Card title={t('Sessions')}>
        <p class="quiet">{t('{name} is not logged in.', { name: user.name })}</p>
      </Card>
    );
  return (
    <Card
      title={t('Sessions')}
      flush
      actions={
        <ActionButton action={`${path}/end`} tone="plain">
          {t('End all')}
        </ActionButton>
      }
    >
      <Sessions sessions={sessions} path={path} own="" />
    </Card>
  );
}

async function end(context: UserContext, ending: Parameters<typeof endSessions>[4]): Promise<PanelResponse> {
  const { deps, actor, user: self } = context;
  const user = await otherUser(context);
  const ended = await endSessions(deps, actor, self, user, ending);
  return seeOther(
    `/panel/users/${user.id}`,
    ended
      ? t('{count, plural, one {# session has ended.} other {# sessions have ended.}}', { count: ended })
      : null,
  );
}
