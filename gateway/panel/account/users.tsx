import { createLink } from '../../users/links';
import { addUser, faultOfName, removeUser } from '../../users/manage-users';
import { type Deed } from '../../store/audit';
import { type Inside } from '../../store/audited';
import { ROLES, type Role } from '../../store/schema';
import { type UserRow } from '../../store/users';
import { FormState } from '../form-state';
import { ChoiceField, Confirm, Form, SubmitOrCancel, TextField } from '../ui/form';
import { Badge, Card, PageHead, ShownOnce, Table, Time } from '../ui/parts';
import { notForViewers, pageNotFound } from '../ui/error-page';
import {
  change,
  look,
  page,
  prepare,
  seeOther,
  type Outcome,
  type PanelRoute,
  type Visit,
} from '../request-context';

/** Who may use the panel. */
export const userPages: PanelRoute[] = [
  look('/users', showUsers),
  prepare('/users/new', (visit) => ask(visit, new FormState({ role: 'viewer' }))),
  change('/users', add, { confirmed: true }),
  change('/users/:id/role', changeRole, { confirmed: true }),
  change('/users/:id/link', makeLink, { confirmed: true }),
  change('/users/:id/remove', remove, { confirmed: true }),
];

const ROLE_CHOICES = [
  {
    value: 'operator',
    label: 'Operator',
    hint: 'May change everything: lines, tokens, destinations, users.',
  },
  { value: 'viewer', label: 'Viewer', hint: 'May look at everything but secrets, and change nothing.' },
];

async function showUsers(visit: Visit): Promise<Outcome> {
  const users = await visit.world.store.users.all();
  const { mayChange, user: self } = visit;
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
                    cell: (user: UserRow) => <Changes visit={visit} user={user} />,
                  },
                ]
              : []),
          ]}
        />
      </Card>
    </>,
  );
}

function Changes({ visit, user }: { visit: Visit; user: UserRow }) {
  if (user.id === visit.user.id)
    return (
      <a class="button plain small" href="/panel/profile">
        Your profile
      </a>
    );
  const other = user.role === 'operator' ? 'viewer' : 'operator';
  return (
    <>
      <Form visit={visit} action={`/panel/users/${user.id}/role`} class="inline">
        <input type="hidden" name="role" value={other} />
        <button class="button plain small">
          Make {other}
          <span class="sr-only">: {user.name}</span>
        </button>
      </Form>
      <Confirm
        visit={visit}
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
        visit={visit}
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

function ask(visit: Visit, state: FormState): Outcome {
  return page(
    'Add user',
    <>
      <PageHead title="Add user" back={{ href: '/panel/users', label: 'Users' }}>
        You get a link to hand on: with it the new user chooses a password.
      </PageHead>
      <Card>
        <Form visit={visit} action="/panel/users" state={state}>
          <TextField state={state} name="name" label="Name" hint="With which they log in." maxLength={64} />
          <ChoiceField state={state} name="role" label="Role" choices={ROLE_CHOICES} />
          <SubmitOrCancel submit="Add user" back="/panel/users" />
        </Form>
      </Card>
    </>,
    state.isGood ? 200 : 422,
  );
}

async function add(visit: Visit): Promise<Outcome> {
  const { world } = visit;
  const state = new FormState(visit.form);
  const name = state.text('name').toLowerCase();
  const role = roleOf(state.text('role'));
  state.fault('name', faultOfName(name));
  state.fault('role', role ? null : 'Choose a role.');
  if (!state.isGood || !role) return ask(visit, state);
  const added = await visit.change<UserRow | null>(
    (user) => (user ? { action: 'user.added', details: { user: name, role } } : null),
    ({ store }) => addUser({ ...world, store }, name, role, null),
  );
  if (!added) {
    state.fault('name', 'Somebody has that name already. Choose another.');
    return ask(visit, state);
  }
  return showLink(visit, added, `${name} is added`);
}

async function showLink(visit: Visit, user: UserRow, title: string): Promise<Outcome> {
  const key = await createLink(visit.world, user.id);
  return page(
    title,
    <>
      <PageHead title={title} back={{ href: '/panel/users', label: 'Users' }}>
        With this link {user.name} chooses a password. Send it in a way that only they can read. It is good
        once, for a day.
      </PageHead>
      <ShownOnce
        id="link"
        text={`${visit.gatewayUrl}/panel/set-up?key=${key}`}
        label="The link"
        for={user.name}
      />
    </>,
  );
}

async function changeRole(visit: Visit): Promise<Outcome> {
  const user = await otherUser(visit);
  const role = roleOf(new FormState(visit.form).text('role'));
  if (!role) throw pageNotFound();
  await changeOther(visit, { action: 'user.role_changed', details: { user: user.name, role } }, ({ store }) =>
    store.users.update(user.id, { role }),
  );
  return seeOther('/panel/users', `${user.name} is ${role === 'operator' ? 'an operator' : 'a viewer'} now.`);
}

async function makeLink(visit: Visit): Promise<Outcome> {
  const user = await otherUser(visit);
  await changeOther(
    visit,
    { action: 'user.password_reset', details: { user: user.name } },
    async ({ store }) => {
      await store.users.update(user.id, { password_hash: null, totp_sealed: null, totp_step: null });
      await store.users.replaceRecoveryCodes(user.id, []);
      await store.sessions.removeOfUser(user.id, null);
      await store.links.removeOf(user.id);
    },
  );
  return showLink(visit, user, `The password of ${user.name} is reset`);
}

async function remove(visit: Visit): Promise<Outcome> {
  const user = await otherUser(visit);
  await changeOther(visit, { action: 'user.removed', details: { user: user.name } }, ({ store }) =>
    removeUser({ ...visit.world, store }, user.id),
  );
  return seeOther('/panel/users', `${user.name} is removed.`);
}

/** Whoever changes another is still an operator at that very moment: so there is always one, whoever changes whom. */
const changeOther = (visit: Visit, deed: Deed, change: (inside: Inside) => Promise<void>): Promise<void> =>
  visit.change(deed, async (inside) => {
    const operators = await inside.store.users.heldOperators();
    if (!operators.includes(visit.user.id)) throw notForViewers();
    await change(inside);
  });

/** Nobody changes their own role or removes themselves: so there is always an operator. */
async function otherUser({ world, params, user: self }: Visit): Promise<UserRow> {
  const id = /^\d{1,9}$/.test(params.id ?? '') ? Number(params.id) : 0;
  const user = id === self.id ? null : await world.store.users.find(id);
  if (!user) throw pageNotFound();
  return user;
}

const roleOf = (text: string): Role | null => ROLES.find((role) => role === text) ?? null;
