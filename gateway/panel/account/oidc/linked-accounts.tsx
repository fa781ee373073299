import { type VNode } from 'preact';
import { type IdentityRow } from '../../../store/tables/identities';
import { allProviders, type KnownProvider } from '../../../users/oidc/providers';
import { ActionButton } from '../../ui/form';
import { Badge, Card, Table, Time } from '../../ui/parts';
import { type UserContext } from '../../request-context';
import { t } from '../../languages/t';

/** A provider, and the own account there; null if none is linked. */
interface Account {
  provider: KnownProvider;
  identity: IdentityRow | null;
}

export async function linkedAccounts({ deps, user }: UserContext): Promise<Account[]> {
  const [providers, identities] = await Promise.all([
    allProviders(deps),
    deps.store.identities.ofUser(user.id),
  ]);
  return providers.map((provider) => ({
    provider,
    identity: identities.find(({ issuer }) => issuer === provider.issuer) ?? null,
  }));
}

/** The accounts with which the user logs in, if there are providers. */
export const LinkedAccounts = ({ accounts }: { accounts: Account[] }): VNode | null =>
  accounts.length ? (
    <Card title={t('Linked accounts')} flush>
      <Table
        caption={t('Linked accounts')}
        rows={accounts}
        rowKey={({ provider }) => provider.key}
        columns={[
          { label: t('Provider'), heading: true, cell: ({ provider }) => provider.label },
          {
            label: t('Account'),
            cell: ({ identity }) =>
              identity ? (identity.email ?? t('linked')) : <Badge tone="idle">{t('not linked')}</Badge>,
          },
          {
            label: t('Last log-in'),
            cell: ({ identity }) => <Time at={identity?.last_log_in_at ?? null} />,
          },
          {
            label: t('Changes'),
            actions: true,
            cell: ({ provider: { key }, identity }) => (
              <ActionButton action={`/panel/profile/${identity ? 'unlink' : 'link'}/${key}`} tone="quiet">
                {identity ? t('Remove link') : t('Link account')}
              </ActionButton>
            ),
          },
        ]}
      />
    </Card>
  ) : null;
