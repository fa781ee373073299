import { accessSuspended, personLinkedElsewhere, personUnknown } from '../../errors';
import { validGrants, type RoleGrant } from '../../rights/grants';
import { type Tables } from '../../store/store';
import { type Actor, type AuditEntry } from '../../store/tables/audit';
import { type CustomerRow } from '../../store/tables/customers';
import { type UserRow } from '../../store/tables/users';
import { audited, type AuditedDeps } from '../../store/with-audit';
import { isoTime } from '../../time';
import { hasHiddenCharacters } from '../../primitives/visible-text';
import { accountName } from '../account-name';
import { acceptInvitation } from '../invitations/accept-invitation';
import { NOT_LOGGED_IN } from '../log-in-watch';
import { insertUser } from '../manage-users';
import { randomLetters } from '../secret-text';
import { type Claims } from './client';
import { applyRoles, rolesOfGroups, type ChangedRole } from './group-roles';
import { type Provider } from './provider-input';

/** A person who has logged in at a provider: the claims that the gateway uses. */
export interface Person {
  issuer: string;
  /** The person's id, unique at the provider. */
  subject: string;
  groups: readonly string[];
  /** How the person logged in, such as `mfa`. */
  methods: readonly string[];
  /** Lowercase; null if there is none, or if the provider has not verified it. */
  verifiedEmail: string | null;
  /** For display only. */
  email: string | null;
  /** What the person is called, for the name of a new user. */
  called: readonly string[];
  /** When the person last entered a password or the like, in milliseconds; null if unknown. */
  authenticatedAt: number | null;
  /** The provider's session; null if unknown. */
  session: string | null;
}

const LONGEST_TEXT = 255;
const textIn = (value: unknown): string | null =>
  typeof value === 'string' && value.length > 0 && value.length <= LONGEST_TEXT && !hasHiddenCharacters(value)
    ? value
    : null;
const textsIn = (value: unknown): string[] =>
  (Array.isArray(value) ? value : [value]).filter((one) => textIn(one) !== null) as string[];

/** @param claims of a verified ID token @returns null if the subject is not valid */
export function personOf({ issuer, groupsClaim }: Provider, claims: Claims): Person | null {
  const subject = textIn(claims.sub);
  if (subject === null) return null;
  const email = textIn(claims.email)?.toLowerCase() ?? null;
  const { auth_time: seconds } = claims;
  return {
    issuer,
    subject,
    groups: textsIn(claims[groupsClaim]),
    methods: textsIn(claims.amr),
    email,
    verifiedEmail: claims.email_verified === true ? email : null,
    called: [claims.preferred_username, email, claims.name].flatMap((one) => textIn(one) ?? []),
    authenticatedAt: typeof seconds === 'number' ? seconds * 1000 : null,
    session: textIn(claims.sid),
  };
}

/** Whether the provider confirmed a second factor that replaces the code of the authenticator app. */
export const hasTrustedMethod = ({ trustedAmr }: Provider, { methods }: Person): boolean =>
  methods.some((one) => trustedAmr.includes(one));

interface Found {
  user: UserRow;
  /** How the person was linked now; null if linked before. */
  linked: 'email' | 'new user' | null;
  changed: ChangedRole[];
  customers: CustomerRow[];
  isRefused: boolean;
}

/**
 * Finds the user of a person, or links or creates one as the provider's settings allow, and applies the roles of the
 * person's groups. A person without such a group loses these roles, and all sessions of this provider.
 * @throws Refusal if the person has no access
 */
export async function userOfPerson(
  deps: AuditedDeps,
  provider: Provider,
  person: Person,
  address: string,
): Promise<UserRow> {
  const before = await linkedUser(deps.store, person);
  const actor: Actor = { who: before?.name ?? nameFor(person), through: 'panel', address };
  const { user, isRefused } = await audited<Found>(
    deps,
    actor,
    (found) => entryOf(person, found),
    ({ store }) => find({ ...deps, store }, provider, person, actor.who),
  );
  if (isRefused) throw personUnknown(provider.label);
  if (!validGrants(user).length) throw accessSuspended();
  return user;
}

const linkedUser = async (
  { identities, users }: Pick<Tables, 'identities' | 'users'>,
  { issuer, subject }: Person,
): Promise<UserRow | null> => {
  const identity = await identities.find(issuer, subject);
  return identity && users.find(identity.user_id);
};

/**
 * Accepts an invitation for a person: for the person's user, or for a new user who logs in at the provider.
 * @param key of the invitation's link
 * @throws Refusal if the person's groups give no access, or as `acceptInvitation`
 */
export async function acceptAsPerson(
  deps: AuditedDeps,
  provider: Provider,
  person: Person,
  key: string,
  address: string,
): Promise<void> {
  const groups = rolesOfGroups(provider, person.groups, await deps.store.customers.all());
  if (provider.roles.length && !groups.length) throw personUnknown(provider.label);
  const user = await linkedUser(deps.store, person);
  const actor = { who: user?.name ?? NOT_LOGGED_IN, through: 'panel', address } as const;
  const newcomer = {
    name: nameFor(person),
    password: null,
    identify: (store: Tables, { id }: UserRow) => addIdentity({ ...deps, store }, person, id, provider.label),
  };
  await acceptInvitation(deps, actor, key, user ? { user } : newcomer);
}

type FindDeps = Pick<AuditedDeps, 'clock'> & { store: Tables };

async function find(deps: FindDeps, provider: Provider, person: Person, newName: string): Promise<Found> {
  const { store, clock } = deps;
  const { issuer, subject } = person;
  const customers = await store.customers.all();
  const wanted = rolesOfGroups(provider, person.groups, customers);
  const needsGroup = provider.roles.length > 0;
  const isOut = needsGroup && !wanted.length;
  const known = await linkedUser(store, person);
  const found = known ?? (isOut ? null : await userToLink(deps, provider, person, newName, wanted));
  if (!found) throw personUnknown(provider.label);
  const user = 'user' in found ? found.user : found;
  const [locked = user] = await store.users.lock([user.id]);
  const linked = 'user' in found ? found.linked : null;
  if (linked) await addIdentity(deps, person, user.id, provider.label);
  const identity = await store.identities.find(issuer, subject);
  const before = JSON.parse(identity?.roles ?? '[]') as RoleGrant[];
  const { given, changed } =
    needsGroup || before.length
      ? await applyRoles(store.users, locked, before, wanted)
      : { given: [], changed: [] };
  await store.identities.update(issuer, subject, {
    roles: JSON.stringify(given),
    email: person.email,
    ...(!isOut && { last_log_in_at: isoTime(clock()) }),
  });
  if (isOut) await store.sessions.removeOfIdentity(issuer, subject, null);
  return { user: (await store.users.find(user.id)) ?? user, linked, changed, customers, isRefused: isOut };
}

/** @throws Refusal if another process linked the person meanwhile */
export async function addIdentity(
  { store, clock }: FindDeps,
  { issuer, subject, email }: Person,
  userId: number,
  label: string,
): Promise<void> {
  const isAdded = await store.identities.add({
    issuer,
    subject,
    user_id: userId,
    email,
    roles: '[]',
    created_at: isoTime(clock()),
    last_log_in_at: null,
  });
  if (!isAdded) throw personLinkedElsewhere(label);
}

/** @param wanted the roles of the person's groups */
async function userToLink(
  deps: FindDeps,
  { emailDomains, createsUsers }: Provider,
  { issuer, verifiedEmail }: Person,
  newName: string,
  wanted: readonly RoleGrant[],
): Promise<Pick<Found, 'user' | 'linked'> | null> {
  const { users, identities } = deps.store;
  const isOfDomain = verifiedEmail !== null && emailDomains.includes(verifiedEmail.split('@').at(-1) ?? '');
  const user = isOfDomain ? await users.byEmail(verifiedEmail) : null;
  const isLinked = user !== null && (await identities.ofUser(user.id)).some((one) => one.issuer === issuer);
  if (user && !isLinked) return { user, linked: 'email' };
  if (!createsUsers || !wanted.length) return null;
  const added =
    (await insertUser(deps, newName, null, null)) ??
    (await insertUser(deps, `${newName}-${randomLetters(6)}`, null, null));
  return added && { user: added, linked: 'new user' };
}

/** Shorter than names may be, because letters may be added. */
const LONGEST_NAME = 57;

/** The name of a new user: the first name at the provider that is allowed here. */
function nameFor({ called }: Person): string {
  const names = called.map((one) =>
    accountName(one)
      .normalize('NFC')
      .replace(/[^\p{L}\p{N}._@+-]+/gu, '-')
      .replace(/^[^\p{L}\p{N}]+/u, '')
      .slice(0, LONGEST_NAME),
  );
  return names.find(Boolean) ?? `user-${randomLetters(6)}`;
}

function entryOf({ issuer }: Person, { user, linked, changed, customers }: Found): AuditEntry | null {
  if (!linked && !changed.length) return null;
  const named = (id: number | null) => customers.find((one) => one.id === id)?.name;
  const roleIn = ({ customerId, role }: ChangedRole) =>
    customerId === null ? { role: role ?? 'none' } : { customer: named(customerId), role: role ?? 'none' };
  return {
    action: linked ? 'identity.linked' : 'user.roles_of_groups',
    details: {
      user: user.name,
      issuer,
      ...(linked && { with: linked }),
      ...(changed.length && {
        roles: changed
          .map(roleIn)
          .map(({ role, ...of }) => ('customer' in of ? `${role} (${of.customer})` : role)),
      }),
    },
    customers: changed.flatMap((one) =>
      one.customerId === null
        ? []
        : [{ id: one.customerId, details: { user: user.name, issuer, roles: [one.role ?? 'none'] } }],
    ),
  };
}
