import { SettingError } from '../errors';
import { type UserRow } from '../store/tables/users';
import { sealKnownLink } from '../users/known-browser';
import { createLink } from '../users/links';
import { accountName } from '../users/account-name';
import { addUser, changeRole, removeUser, resetPassword, unlockUser } from '../users/manage-users';
import { customerId } from './customer';
import { linkTo, withoutAddress } from './link';
import { commandActor, offline, type Offline } from './offline';
import { byOptions, optionsOf, wordsAndOptions } from './options';
import { print } from './print';
import { secretsIn } from './secrets';

const SECRETS = ['password'] as const;

/**
 * Adds a user of the control panel. Never prompts: the user sets the password through a link, or it is read
 * from a file.
 */
export async function userAdd(args: string[], env: NodeJS.ProcessEnv): Promise<void> {
  const { values, words } = wordsAndOptions(args, {
    text: ['role'],
    lists: ['customer'],
    flags: ['json'],
    secrets: SECRETS,
  });
  const name = nameIn(words);
  const { password = null } = await secretsIn(values, SECRETS);
  // Earlier versions called an owner "operator".
  const role = values.role === 'operator' ? 'owner' : (values.role ?? 'owner');
  const customerIds = values.customer?.map(customerId) ?? null;
  await offline(
    env,
    async (deps) => {
      const adding = addUser(deps, commandActor(), null, { name, role, customerIds, password });
      const user = await adding.catch(byOptions({ name: '' }));
      const done = `The ${role} ${name} is added.`;
      await told(deps, env, user, password !== null, values.json === true, done);
    },
    'first command',
  );
}

/** Gives another role in one customer or in all, or takes one away. */
export async function userEdit(args: string[], env: NodeJS.ProcessEnv): Promise<void> {
  const { values, words } = wordsAndOptions(args, {
    text: ['role', 'customer'],
    flags: ['remove-role', 'json'],
  });
  const name = nameIn(words);
  const { role, customer = 'all' } = values;
  if ((role === undefined) !== (values['remove-role'] === true))
    throw new SettingError(
      'Give either --role ROLE or --remove-role, and --customer ID for the role in one customer.',
    );
  const customerOf = customer === 'all' ? null : customerId(customer);
  await offline(env, async (deps) => {
    const user = await userByName(deps, name);
    const changed = await changeRole(deps, commandActor(), null, user, customerOf, role ?? null);
    if (values.json) return print(JSON.stringify({ user: name, ...roles(changed.user) }));
    print(`${name} is now: ${rolesText(changed.user)}.`);
    if (changed.needsLink)
      print(`The previous link for a password no longer works. Make another with "user reset ${name}".`);
  });
}

export async function userList(args: string[], env: NodeJS.ProcessEnv): Promise<void> {
  const values = optionsOf(args, { flags: ['json'] });
  await offline(env, async ({ store }) => {
    const rows = await store.users.all();
    const users = rows.map((user) => ({
      name: user.name,
      ...roles(user),
      password: user.password_hash !== null,
      authenticator_app: user.totp_sealed !== null,
      created_at: user.created_at,
      last_log_in_at: user.last_log_in_at,
    }));
    if (values.json) return print(JSON.stringify({ users }));
    if (!users.length) return print('There is no user yet. Add one with "messaging-gateway user add NAME".');
    rows.forEach((user) =>
      print(
        user.name,
        rolesText(user),
        user.password_hash !== null ? 'password set' : 'no password yet',
        user.totp_sealed !== null ? 'authenticator app' : 'password alone',
        `last log-in ${user.last_log_in_at ?? 'never'}`,
      ),
    );
  });
}

export async function userReset(args: string[], env: NodeJS.ProcessEnv): Promise<void> {
  const { values, words } = wordsAndOptions(args, { flags: ['json'], secrets: SECRETS });
  const name = nameIn(words);
  const { password = null } = await secretsIn(values, SECRETS);
  await offline(env, async (deps) => {
    const user = await userByName(deps, name);
    await resetPassword(deps, commandActor(), null, user, password);
    await told(deps, env, user, password !== null, values.json === true, `The password of ${name} is reset.`);
  });
}

/**
 * Resets the failed log-ins, and creates a link that lets one browser log in even while others keep guessing.
 */
export async function userUnlock(args: string[], env: NodeJS.ProcessEnv): Promise<void> {
  const { values, words } = wordsAndOptions(args, { flags: ['json'] });
  const name = nameIn(words);
  await offline(env, async (deps) => {
    const user = await userByName(deps, name);
    await unlockUser(deps, commandActor(), user);
    const link = linkTo(env, `/panel/log-in?known=${sealKnownLink(deps.vault, name, deps.clock)}`);
    if (values.json) return print(JSON.stringify({ user: name, link }));
    print(`${name} may log in again: earlier wrong passwords and codes no longer count.`);
    print(
      `If somebody keeps guessing, or too many attempts failed from your address, open this link within a day: wrong passwords from elsewhere do not count for that browser${withoutAddress(env)}: ${link}`,
    );
  });
}

export async function userRemove(args: string[], env: NodeJS.ProcessEnv): Promise<void> {
  const name = nameIn(wordsAndOptions(args).words);
  await offline(env, async (deps) => {
    await removeUser(deps, commandActor(), null, await userByName(deps, name));
    print(`${name} is removed.`);
  });
}

/** @param hasPassword if false, creates a link, which is printed only here */
async function told(
  deps: Offline,
  env: NodeJS.ProcessEnv,
  user: UserRow,
  hasPassword: boolean,
  asJson: boolean,
  sentence: string,
): Promise<void> {
  const link = hasPassword ? null : linkTo(env, `/panel/set-up?key=${await createLink(deps, user.id)}`);
  if (asJson) return print(JSON.stringify({ user: user.name, ...roles(user), ...(link && { link }) }));
  print(sentence);
  if (link) print(`Choose the password here, once and within a day${withoutAddress(env)}: ${link}`);
}

/** The role in all customers, and those in single ones, if there are any. */
const roles = ({ role, memberships }: UserRow) => ({
  role,
  ...(memberships.length && {
    memberships: memberships.map(({ customerId, customerName, role: inCustomer }) => ({
      customer: customerId,
      name: customerName,
      role: inCustomer,
    })),
  }),
});

const rolesText = ({ role, memberships }: UserRow): string =>
  [
    ...(role ? [role] : []),
    ...memberships.map((one) => `${one.role} of ${one.customerName ?? one.customerId}`),
  ].join(', ');

function nameIn([name, ...more]: string[]): string {
  if (name === undefined || more.length) throw new SettingError('Which user? Give one name.');
  return accountName(name);
}

async function userByName({ store }: Offline, name: string): Promise<UserRow> {
  const user = await store.users.byName(name);
  if (!user) throw new SettingError(`There is no user ${name}. "user list" shows them.`);
  return user;
}
