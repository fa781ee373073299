import { lastWayToLogIn, userLinkedAlready } from '../../errors';
import { type RoleGrant } from '../../rights/grants';
import { type Actor } from '../../store/tables/audit';
import { type UserRow } from '../../store/tables/users';
import { audited, type AuditedDeps } from '../../store/with-audit';
import { mayUsePassword, type LogInDeps } from '../log-in';
import { addIdentity, type Person } from './identify';
import { applyRoles } from './group-roles';
import { type Provider } from './provider-input';

/** Links a person at a provider to a user, who logs in there from now on. @throws Refusal if either is linked already */
export const linkIdentity = (
  deps: AuditedDeps,
  actor: Actor,
  user: UserRow,
  { issuer, label }: Provider,
  person: Person,
): Promise<void> =>
  audited(
    deps,
    actor,
    { action: 'identity.linked', details: { user: user.name, issuer } },
    async ({ store }) => {
      await store.users.lock([user.id]);
      const identities = await store.identities.ofUser(user.id);
      if (identities.some((one) => one.issuer === issuer)) throw userLinkedAlready(label);
      await addIdentity({ ...deps, store }, person, user.id, label);
    },
  );

/**
 * Removes the link between a user and a provider, with the sessions and the roles that it gave.
 * @throws Refusal if the user could not log in any more
 */
export const unlinkIdentity = (
  deps: AuditedDeps & Pick<LogInDeps, 'passwordLogIn'>,
  actor: Actor,
  user: UserRow,
  { issuer }: Provider,
): Promise<void> =>
  audited(
    deps,
    actor,
    { action: 'identity.unlinked', details: { user: user.name, issuer } },
    async ({ store }) => {
      const [current] = await store.users.lock([user.id]);
      const identities = await store.identities.ofUser(user.id);
      const identity = identities.find((one) => one.issuer === issuer);
      if (!current || !identity) return;
      await applyRoles(store.users, current, JSON.parse(identity.roles) as RoleGrant[], []);
      const after = (await store.users.find(user.id)) ?? current;
      const hasPassword = after.password_hash !== null && mayUsePassword(deps, after);
      if (!hasPassword && identities.length === 1) throw lastWayToLogIn();
      await store.identities.remove(user.id, issuer);
      await store.sessions.removeOfProvider(user.id, issuer);
    },
  );
