import { createLink } from '../../users/links';
import { addUser, changeRole, faultOfName, removeUser, resetPassword } from '../../users/manage-users';
import { ROLES, type Role } from '../../store/schema';
import { type Tables } from '../../store/store';
import { type UserRow } from '../../store/tables/users';
import { FormState } from '../form-state';
import { ChoiceField, Confirm, Form, SubmitOrCancel, TextField } from '../ui/form';
import { Badge, Card, PageHead, ShownOnce, Table, Time } from '../ui/parts';
import { notForViewers, pageNotFound } from '../ui/error-page';
import {
  operatorAction,
  viewerPage,
  page,
  operatorPage,
  seeOther,
  type Outcome,
  type PanelRoute,
  type UserContext,
} from '../request-context';

/** Who may use the panel. */
export const userPages: PanelRoute[] = [
  viewerPage('/users', showUsers),
  operatorPage('/users/new', (context) => ask(context, new FormState({ role: 'viewer' }))),
  operatorAction('/users', add, { confirmed: true }),
  operatorAction('/users/:id/role', setRole, { confirmed: true }),
  operatorAction('/users/:id/link', makeLink, { confirmed: true }),
  operatorAction('/users/:id/remove', remove, { confirmed: true }),
];

const ROLE_CHOICES = [
  {
    value: 'operator',
    label: 'Operator',
    hint: 'May change everything: lines, tokens, destinations, users.',
  },
  { value: 'viewer', label: 'Viewer', hint: 'May look at everything but secrets, and change nothing.' },
];

async function showUsers(context: UserContext): Promise<Outcome> {
  const users = await context.deps.store.users.all();
  const { mayChange, user: self } = context;
  return page(
    'Users',
    <>
      <PageHead
        title="Users"
        actions={
          mayChange && (
            <a class="button primary" href="/panel/users/new">
              Add user
            </a>
          )
        }
      >
        Who may use this panel. Everyone should have a name of their own: the audit tells who did what.
      </PageHead>
      <Card flush>
        <Table
          caption="Users"
          rows={users}
          rowKey={({ id }) => id}
          columns={[
            {
              label: 'Name',
              heading: true,
              cell: ({ id, name }) => (
                <span class="cluster">
                  {name} {id === self.id && <Badge tone="info">you</Badge>}
                </span>
              ),
            },
            { label: 'Role', cell: ({ role }) => role },
            {
              label: 'Authenticator app',
              cell: ({ totp_sealed: sealed }) =>
                sealed === null ? <Badge tone="idle">off</Badge> : <Badge tone="good">on</Badge>,
            },
            {
              label: 'Last log-in',
              cell: ({ last_log_in_at: at, password_hash: hash }) => (
                <Time at={at} never={hash === null ? 'has not opened the link yet' : 'never'} />
              ),
            },
            ...(mayChange
              ? [
                  {
                    label: 'Changes',
                    actions: true,
                    cell: (user: UserRow) => <Changes context={context} user={user} />,
                  },
                ]
              : []),
          ]}
        />
      </Card>
    </>,
  );
}

function Changes({ context, user }: { context: UserContext; user: UserRow }) {
  if (user.id === context.user.id)
    return (
      <a class="button plain small" href="/panel/profile">
        Your profile
      </a>
    );
  const other = user.role === 'operator' ? 'viewer' : 'operator';
  return (
    <>
      <Form context={context} action={`/panel/users/${user.id}/role`} class="inline">
        <input type="hidden" name="role" value={other} />
        <button class="button plain small">
          Make {other}
          <span class="sr-only">: {user.name}</span>
        </button>
      </Form>
      <Confirm
        context={context}
        id={`reset-${user.id}`}
        action={`/panel/users/${user.id}/link`}
        button={
          <>
            Reset password<span class="sr-only">: {user.name}</span>
          </>
        }
        title={`Reset the password of ${user.name}?`}
        confirm="Reset it"
      >
        <p>You get a link, good once and for a day, with which {user.name} chooses a password.</p>
        <p>All sessions end, and the password and the authenticator app of now are void.</p>
      </Confirm>
      <Confirm
        context={context}
        id={`remove-${user.id}`}
        action={`/panel/users/${user.id}/remove`}
        button={
          <>
            Remove<span class="sr-only"> {user.name}</span>
          </>
        }
        tone="danger"
        title={`Remove ${user.name}?`}
        confirm="Remove"
      >
        <p>All sessions end at once. What {user.name} did stays in the audit.</p>
      </Confirm>
    </>
  );
}

function ask(context: UserContext, state: FormState): Outcome {
  return page(
    'Add user',
    <>
      <PageHead title="Add user" back={{ href: '/panel/users', label: 'Users' }}>
        You get a link to hand on: with it the new user chooses a password.
      </PageHead>
      <Card>
        <Form context={context} action="/panel/users" state={state}>
          <TextField state={state} name="name" label="Name" hint="With which they log in." maxLength={64} />
          <ChoiceField state={state} name="role" label="Role" choices={ROLE_CHOICES} />
          <SubmitOrCancel submit="Add user" back="/panel/users" />
        </Form>
      </Card>
    </>,
    state.isValid ? 200 : 422,
  );
}

async function add(context: UserContext): Promise<Outcome> {
  const { deps } = context;
  const state = new FormState(context.form);
  const name = state.text('name').toLowerCase();
  const role = roleOf(state.text('role'));
  state.addIssue('name', faultOfName(name));
  state.addIssue('role', role ? null : 'Choose a role.');
  if (!state.isValid || !role) return ask(context, state);
  const added = await addUser(deps, context.actor, name, role, null);
  if (!added) {
    state.addIssue('name', 'Somebody has that name already. Choose another.');
    return ask(context, state);
  }
  return showLink(context, added, `${name} is added`);
}

async function showLink(context: UserContext, user: UserRow, title: string): Promise<Outcome> {
  const key = await createLink(context.deps, user.id);
  return page(
    title,
    <>
      <PageHead title={title} back={{ href: '/panel/users', label: 'Users' }}>
        With this link {user.name} chooses a password. Send it in a way that only they can read. It is good
        once, for a day.
      </PageHead>
      <ShownOnce
        id="link"
        text={`${context.gatewayUrl}/panel/set-up?key=${key}`}
        label="The link"
        for={user.name}
      />
    </>,
  );
}

async function setRole(context: UserContext): Promise<Outcome> {
  const user = await otherUser(context);
  const role = roleOf(new FormState(context.form).text('role'));
  if (!role) throw pageNotFound();
  await changeRole(context.deps, context.actor, user, role, isStillOperator(context));
  return seeOther('/panel/users', `${user.name} is ${role === 'operator' ? 'an operator' : 'a viewer'} now.`);
}

async function makeLink(context: UserContext): Promise<Outcome> {
  const user = await otherUser(context);
  await resetPassword(context.deps, context.actor, user, null, isStillOperator(context));
  return showLink(context, user, `The password of ${user.name} is reset`);
}

async function remove(context: UserContext): Promise<Outcome> {
  const user = await otherUser(context);
  await removeUser(context.deps, context.actor, user, isStillOperator(context));
  return seeOther('/panel/users', `${user.name} is removed.`);
}

/** Whoever changes another is still an operator at that very moment: so there is always one, whoever changes whom. */
const isStillOperator =
  ({ user }: UserContext) =>
  async (users: Tables['users']): Promise<void> => {
    if (!(await users.heldOperators()).includes(user.id)) throw notForViewers();
  };

/** Nobody changes their own role or removes themselves: so there is always an operator. */
async function otherUser({ deps, params, user: self }: UserContext): Promise<UserRow> {
  const id = /^\d{1,9}$/.test(params.id ?? '') ? Number(params.id) : 0;
  const user = id === self.id ? null : await deps.store.users.find(id);
  if (!user) throw pageNotFound();
  return user;
}

const roleOf = (text: string): Role | null => ROLES.find((role) => role === text) ?? null;
