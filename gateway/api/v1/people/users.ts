import * as Type from 'typebox';
import {
  customerUnknown,
  invalidField,
  lastOwner,
  lastRole,
  notPermitted,
  userNotFound,
} from '../../../errors';
import { mayGive, type Grant } from '../../../rights/grants';
import { ROLES, type Role } from '../../../rights/roles';
import { type Tables } from '../../../store/store';
import { type SessionRow } from '../../../store/tables/sessions';
import { type UserRow } from '../../../store/tables/users';
import { endSessions, mayEndSessions, sessionId, sessionsOf } from '../../../users/end-sessions';
import { createLink } from '../../../users/links';
import { addUser, changeRole, removeUser, resetPassword, userSeenBy } from '../../../users/manage-users';
import { fact } from '../../../wording/facts';
import { TextOrNull } from '../../http/answer-parts';
import { bodyOf, typesOf } from '../../http/parse-body';
import { act, create, get, list, put, remove } from '../described';
import { pageInMemory } from '../list-page';
import { done, found, made, type AdminContext } from '../operation';

const RoleOrNull = Type.Unsafe<Role | null>({ type: 'string', enum: [...ROLES], nullable: true });
const BooleanOrNull = Type.Unsafe<boolean | null>({ type: 'boolean', nullable: true });

export const User = Type.Object({
  id: Type.Integer(),
  name: Type.String({ description: 'The name for logging in.' }),
  role: RoleOrNull,
  memberships: Type.Array(
    Type.Object({ customer_id: Type.Integer(), customer: TextOrNull, role: Type.String() }),
    { description: 'The roles in single customers.' },
  ),
  has_password: Type.Boolean(),
  authenticator_app: BooleanOrNull,
  last_log_in_at: TextOrNull,
});

export const UserSessions = Type.Object({
  sessions: Type.Array(
    Type.Object({
      id: Type.String(),
      browser: Type.String({ description: 'The `User-Agent` of the browser.' }),
      address: Type.String(),
      created_at: Type.String({ format: 'date-time' }),
      seen_at: Type.String({ format: 'date-time' }),
    }),
  ),
});

/** Log-ins are shown to those who manage the users of all customers: they tell of roles elsewhere. */
function shown(grants: readonly Grant[], user: UserRow): Type.Static<typeof User> {
  const isOfAll = mayGive(grants, { customerId: null, role: 'viewer' });
  return {
    ...{ id: user.id, name: user.name, role: user.role },
    memberships: user.memberships.map(({ customerId, customerName, role }) => ({
      ...{ customer_id: customerId, customer: customerName, role },
    })),
    has_password: user.password_hash !== null,
    authenticator_app: isOfAll ? user.totp_sealed !== null : null,
    last_log_in_at: isOfAll ? user.last_log_in_at : null,
  };
}

const session = (row: SessionRow): Type.Static<typeof UserSessions>['sessions'][number] => ({
  id: sessionId(row),
  browser: row.browser,
  address: row.address,
  created_at: row.created_at,
  seen_at: row.seen_at,
});

const ROLE = Type.Enum([...ROLES]);
/** Of users and invitations. */
export const OF_CUSTOMERS = { customer: 'customer_ids', customers: 'customer_ids' };
export const CUSTOMER_IDS = Type.Optional(
  Type.Array(Type.Integer(), {
    description:
      'The customers in which the role is given. Without it: in all, and for lines of no customer.',
  }),
);

const NewUser = Type.Object(
  { name: Type.String({ minLength: 1, maxLength: 64 }), role: ROLE, customer_ids: CUSTOMER_IDS },
  { additionalProperties: false },
);
const GivenRole = Type.Object({ role: ROLE }, { additionalProperties: false });
const LINK = {
  link: Type.String({ description: 'Where the user chooses a password, once and within a day.' }),
};

const readNew = bodyOf(typesOf(NewUser));
const readRole = bodyOf(typesOf(GivenRole));

const TAG = 'Users';

async function userIn({ params, by }: AdminContext, { users }: Pick<Tables, 'users'>): Promise<UserRow> {
  const user = await users.find(Number(params.user_id));
  const seen = user && userSeenBy(by, user);
  if (!seen) throw userNotFound();
  return seen;
}

const object = async (context: AdminContext, store: Tables) =>
  shown(context.by, await userIn(context, store));

/** Makes a one-time link. */
const linkFor = async ({ deps, address }: AdminContext, user: UserRow): Promise<string> =>
  `${address}/panel/set-up?key=${await createLink(deps, user.id)}`;

const NAME_TAKEN = invalidField('name', 'name', fact('user_name.taken', {}));

export const listUsers = list('/users', {
  tag: TAG,
  id: 'listUsers',
  permission: 'people.manage',
  summary: 'List users',
  description: 'The users of the panel, with their roles in the customers that the token reaches.',
  schema: 'User',
  refusals: () => [],
  handler: async (context) => {
    const users = (await context.deps.store.users.all()).flatMap(
      (user) => userSeenBy(context.by, user) ?? [],
    );
    return pageInMemory(context, users, (user) => shown(context.by, user));
  },
});

export const getUser = get('/users/{user_id}', {
  tag: TAG,
  id: 'getUser',
  permission: 'people.manage',
  summary: 'Get a user',
  description: 'One user.',
  schema: 'User',
  refusals: () => [userNotFound()],
  object,
});

export const createUser = create('/users', {
  tag: TAG,
  id: 'createUser',
  permission: 'people.manage',
  fields: OF_CUSTOMERS,
  summary: 'Create a user',
  description:
    'The answer has the link with which the user chooses a password. A token that does not reach all customers gets a name with four random characters added. To let people choose their name, invite them.',
  body: { schema: NewUser, examples: { user: { value: { name: 'ana', role: 'agent', customer_ids: [1] } } } },
  schema: 'User',
  secrets: LINK,
  refusals: () => [NAME_TAKEN, customerUnknown(), notPermitted()],
  object,
  handler: async (context) => {
    const { deps, actor, by, request, isDryRun } = context;
    const { name, role, customer_ids: customerIds = null } = readNew(request);
    const user = await addUser(deps, actor, by, { name, role, customerIds, password: null });
    const link = isDryRun ? '' : await linkFor(context, user);
    return made(`/users/${user.id}`, shown(by, userSeenBy(by, user) ?? user), { link });
  },
});

export const removeUserOperation = remove('/users/{user_id}', {
  tag: TAG,
  id: 'removeUser',
  permission: 'people.manage',
  summary: 'Remove a user',
  description:
    'Takes away the roles that the token sees. A user without other roles is removed, and all sessions end.',
  refusals: () => [userNotFound(), notPermitted(), lastOwner()],
  object,
  handler: async (context) => {
    const { deps, actor, by } = context;
    await removeUser(deps, actor, by, await userIn(context, deps.store));
    return done;
  },
});

/** Null: all customers. */
const customerOf = ({ params }: AdminContext): number | null =>
  params.membership === 'all' ? null : Number(params.membership);

export const putMembership = put('/users/{user_id}/memberships/{membership}', {
  tag: TAG,
  id: 'putMembership',
  permission: 'people.manage',
  summary: 'Give a user a role in a customer',
  description:
    'Gives or changes the role in one customer, or in all. If the user has not set a password, a further role ends the link: reset the user for another.',
  body: { schema: GivenRole, examples: { agent: { value: { role: 'agent' } } } },
  schema: 'User',
  refusals: () => [userNotFound(), notPermitted(), customerUnknown(), lastOwner()],
  object,
  handler: async (context) => {
    const { deps, actor, by, request } = context;
    const { role } = readRole(request);
    const user = await userIn(context, deps.store);
    return found(shown(by, (await changeRole(deps, actor, by, user, customerOf(context), role)).user));
  },
});

export const removeMembership = remove('/users/{user_id}/memberships/{membership}', {
  tag: TAG,
  id: 'removeMembership',
  permission: 'people.manage',
  summary: 'Take away a role of a user',
  description: 'The last role stays: remove the user instead.',
  refusals: () => [userNotFound(), notPermitted(), customerUnknown(), lastRole(), lastOwner()],
  object,
  handler: async (context) => {
    const { deps, actor, by } = context;
    await changeRole(deps, actor, by, await userIn(context, deps.store), customerOf(context), null);
    return done;
  },
});

export const resetUser = act('/users/{user_id}/reset', {
  tag: TAG,
  id: 'resetUser',
  permission: 'people.manage',
  summary: 'Reset the password of a user',
  description:
    'Ends all sessions, removes the password and the authenticator app, and answers a link to choose a new password. Only for tokens that reach all customers.',
  schema: Type.Object(LINK),
  refusals: () => [userNotFound(), notPermitted(), lastOwner()],
  handler: async (context) => {
    const { deps, actor, by, isDryRun } = context;
    const user = await userIn(context, deps.store);
    await resetPassword(deps, actor, by, user, null);
    return found({ link: isDryRun ? '' : await linkFor(context, user) });
  },
});

export const listSessions = get('/users/{user_id}/sessions', {
  tag: TAG,
  id: 'listSessions',
  permission: 'people.manage',
  summary: 'List the sessions of a user',
  description: 'Where the user is logged in, last seen first. Only for tokens that reach all customers.',
  schema: 'UserSessions',
  refusals: () => [userNotFound(), notPermitted()],
  object: async (context, store) => {
    const user = await userIn(context, store);
    if (!mayEndSessions(context.by, user)) throw notPermitted();
    return { sessions: (await sessionsOf({ store, clock: context.deps.clock }, user)).map(session) };
  },
});

export const endSession = remove('/users/{user_id}/sessions/{session_id}', {
  tag: TAG,
  id: 'endSession',
  permission: 'people.manage',
  summary: 'End a session of a user',
  description: 'Open pages of the session end within a second. A session that has ended is no error.',
  refusals: () => [userNotFound(), notPermitted()],
  handler: async (context) => {
    const { deps, actor, by, params } = context;
    const user = await userIn(context, deps.store);
    await endSessions(deps, actor, by, user, { id: params.session_id ?? '' });
    return done;
  },
});

export const endAllSessions = remove('/users/{user_id}/sessions', {
  tag: TAG,
  id: 'endAllSessions',
  permission: 'people.manage',
  summary: 'End all sessions of a user',
  description: 'The user is logged out everywhere.',
  refusals: () => [userNotFound(), notPermitted()],
  handler: async (context) => {
    const { deps, actor, by } = context;
    await endSessions(deps, actor, by, await userIn(context, deps.store), { except: null });
    return done;
  },
});
