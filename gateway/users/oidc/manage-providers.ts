import { invalidField, notPermitted } from '../../errors';
import { mayIn, type By } from '../../rights/grants';
import { type Actor } from '../../store/tables/audit';
import { audited, changesIn, type AuditedDeps } from '../../store/with-audit';
import { isoTime } from '../../time';
import { fact } from '../../wording/facts';
import { type OidcDeps } from './oidc';
import { providerInput, type Provider } from './provider-input';
import { allProviders, type KnownProvider, type ProviderDeps, type StoredSettings } from './providers';

/** Everything except the issuer and the key of a provider can be changed later: links to users depend on them. */
export type ProviderChange = StoredSettings & { clientSecret: string | null };

type ManageDeps = AuditedDeps & ProviderDeps;

function mayManageProviders(by: By): void {
  if (by && !mayIn(by, 'gateway', null)) throw notPermitted();
}

const settingsOf = ({ key: _key, issuer: _issuer, clientSecret: _secret, ...settings }: Provider): string =>
  JSON.stringify(settings satisfies StoredSettings);

/** @throws Refusal with all issues, by field */
export async function addProvider(
  deps: ManageDeps,
  actor: Actor,
  by: By,
  given: Provider,
): Promise<Provider> {
  mayManageProviders(by);
  const provider = providerInput(given);
  const { key, label, issuer, clientSecret } = provider;
  const others = await allProviders(deps);
  if (others.some((one) => one.key === key)) throw invalidField('key', 'unique', fact('oidc.key_taken', {}));
  if (others.some((one) => one.issuer === issuer)) throw issuerTaken();
  await audited(
    deps,
    actor,
    { action: 'oidc_provider.added', details: { provider: label, issuer } },
    async ({ store }) => {
      const added = await store.oidcProviders.insert({
        key,
        issuer,
        settings: settingsOf(provider),
        secret_sealed: deps.vault.seal('oidc_providers.secret', clientSecret),
        created_at: isoTime(deps.clock()),
      });
      if (!added) throw issuerTaken();
    },
  );
  return provider;
}

const issuerTaken = () => invalidField('issuer', 'unique', fact('oidc.issuer_taken', {}));

/** As in "staff: viewer, acme-leads: admin (customer 3)". */
const rolesText = ({ roles }: Provider): string =>
  roles
    .map(({ group, role, customer }) => {
      const of = customer && ('id' in customer ? customer.id : customer.externalId);
      return `${group}: ${role}${of === null ? '' : ` (customer ${of})`}`;
    })
    .join(', ');

/** @param given `clientSecret` null: it stays @throws Refusal with all issues, by field */
export async function editProvider(
  deps: ManageDeps,
  actor: Actor,
  by: By,
  before: KnownProvider,
  given: ProviderChange,
): Promise<void> {
  mayManageProviders(by);
  if (before.isOfSettings) throw notPermitted();
  const { key, issuer } = before;
  const after = providerInput({
    ...given,
    key,
    issuer,
    clientSecret: given.clientSecret ?? before.clientSecret,
  });
  const changes = changesIn({
    name: [before.label, after.label],
    'client ID': [before.clientId, after.clientId],
    scopes: [before.scopes, after.scopes],
    'groups claim': [before.groupsClaim, after.groupsClaim],
    'roles of groups': [rolesText(before), rolesText(after)],
    'creates users': [before.createsUsers, after.createsUsers],
    'e-mail domains': [before.emailDomains.join(', '), after.emailDomains.join(', ')],
    'trusted methods': [before.trustedAmr.join(', '), after.trustedAmr.join(', ')],
  });
  if (after.clientSecret !== before.clientSecret) changes.push({ field: 'client secret' });
  if (!changes.length) return;
  await audited(
    deps,
    actor,
    { action: 'oidc_provider.edited', details: { provider: after.label, issuer, changes } },
    ({ store }) =>
      store.oidcProviders.update(key, {
        settings: settingsOf(after),
        secret_sealed: deps.vault.seal('oidc_providers.secret', after.clientSecret),
      }),
  );
}

/** Also ends the sessions that began there. The links to users stay, in case the provider is added again. */
export async function removeProvider(
  deps: ManageDeps,
  actor: Actor,
  by: By,
  { key, issuer, label, isOfSettings }: KnownProvider,
): Promise<void> {
  mayManageProviders(by);
  if (isOfSettings) throw notPermitted();
  await audited(
    deps,
    actor,
    { action: 'oidc_provider.removed', details: { provider: label, issuer } },
    async ({ store }) => {
      await store.oidcProviders.remove(key);
      await store.sessions.removeOfProvider(null, issuer);
    },
  );
}

/** What a test of a provider found. `failure`: why its metadata could not be read; null if it was. */
export interface ProviderTest {
  failure: string | null;
  /** Whether it has what a log-in needs. */
  hasEndpoints: boolean;
  /** Whether it supports PKCE with SHA-256; null if it doesn't say. */
  hasPkce: boolean | null;
  hasLogOut: boolean;
  hasBackChannelLogOut: boolean;
}

/** Reads the metadata of a provider. */
export async function testProvider(deps: OidcDeps, by: By, provider: Provider): Promise<ProviderTest> {
  mayManageProviders(by);
  const { readMetadata } = await import('./client.js');
  const found = await readMetadata(deps, provider).catch((error: unknown) => {
    if ((error as Error).name !== 'ProviderUnavailable') throw error;
    return (error as Error).message;
  });
  const metadata = typeof found === 'string' ? null : found;
  return {
    failure: typeof found === 'string' ? found : null,
    hasEndpoints: Boolean(metadata?.authorization_endpoint && metadata.token_endpoint && metadata.jwks_uri),
    hasPkce: metadata?.code_challenge_methods_supported?.includes('S256') ?? null,
    hasLogOut: Boolean(metadata?.end_session_endpoint),
    hasBackChannelLogOut: metadata?.backchannel_logout_supported === true,
  };
}
