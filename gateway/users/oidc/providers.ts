import { type Store } from '../../store/store';
import { type OidcProviderRow } from '../../store/tables/identities';
import { type Vault } from '../../store/vault';
import { type Provider } from './provider-input';

export interface ProviderDeps {
  store: Pick<Store, 'oidcProviders'>;
  vault: Vault;
  /** The providers in the settings (`GATEWAY_OIDC_PROVIDERS`). */
  providersOfSettings: readonly Provider[];
}

/** A provider, and whether the panel can change it. */
export type KnownProvider = Provider & { isOfSettings: boolean };

/** The part of a provider that is stored as JSON. */
export type StoredSettings = Omit<Provider, 'key' | 'issuer' | 'clientSecret'>;

const stored = (
  vault: Vault,
  { key, issuer, settings, secret_sealed: secret }: OidcProviderRow,
): KnownProvider => ({
  ...(JSON.parse(settings) as StoredSettings),
  key,
  issuer,
  clientSecret: vault.open('oidc_providers.secret', secret),
  isOfSettings: false,
});

/** All providers: those in the settings first, which also replace stored ones with the same key or issuer. */
export async function allProviders({
  store,
  vault,
  providersOfSettings,
}: ProviderDeps): Promise<KnownProvider[]> {
  const own = providersOfSettings.map((one) => ({ ...one, isOfSettings: true }));
  const rows = await store.oidcProviders.all();
  const others = rows.filter(
    (row) => !own.some(({ key, issuer }) => key === row.key || issuer === row.issuer),
  );
  return [...own, ...others.map((row) => stored(vault, row))];
}

export const providerByKey = async (deps: ProviderDeps, key: string): Promise<KnownProvider | null> =>
  (await allProviders(deps)).find((one) => one.key === key) ?? null;

export const providerByIssuer = async (
  deps: ProviderDeps,
  issuer: string | null,
): Promise<KnownProvider | null> =>
  issuer === null ? null : ((await allProviders(deps)).find((one) => one.issuer === issuer) ?? null);
