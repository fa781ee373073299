import { type VNode } from 'preact';
import { ROLES, type Role } from '../../../rights/roles';
import { type CustomerRow } from '../../../store/tables/customers';
import {
  DEFAULT_GROUPS_CLAIM,
  DEFAULT_SCOPES,
  listIn,
  type GroupRole,
  type Provider,
} from '../../../users/oidc/provider-input';
import { type FormState } from '../../form-state';
import { CheckField, SecretField, TextField, useFormState } from '../../ui/form';
import { roleWord } from '../../ui/frame/role';
import { t } from '../../languages/t';

/** Empty rows for further groups. */
const MORE_ROWS = 3;
const MOST_ROWS = 200;
const ALL = 'all';

const customerValue = ({ customer }: GroupRole): string => {
  if (customer === null) return ALL;
  return 'id' in customer ? String(customer.id) : customer.externalId;
};

/** The fields of a form, filled with a provider. Secrets are never filled in. */
export const fieldsOf = (provider: Provider): [string, string][] => [
  ['label', provider.label],
  ['client_id', provider.clientId],
  ['scopes', provider.scopes],
  ['groups_claim', provider.groupsClaim],
  ['email_domains', provider.emailDomains.join(', ')],
  ['trusted_amr', provider.trustedAmr.join(', ')],
  ...(provider.createsUsers ? ([['create_users', 'yes']] as [string, string][]) : []),
  ...provider.roles.flatMap((one): [string, string][] => [
    ['group', one.group],
    ['role', one.role],
    ['customer', customerValue(one)],
  ]),
];

export const emptyFields = (): [string, string][] => [
  ['scopes', DEFAULT_SCOPES],
  ['groups_claim', DEFAULT_GROUPS_CLAIM],
];

/** What was typed, except the key, the issuer and the secret. */
export function typedProvider(state: FormState): Omit<Provider, 'key' | 'issuer' | 'clientSecret'> {
  const [groups, roles, customers] = ['group', 'role', 'customer'].map((name) => state.all(name)) as [
    string[],
    string[],
    string[],
  ];
  return {
    label: state.text('label'),
    clientId: state.text('client_id'),
    scopes: state.text('scopes'),
    groupsClaim: state.text('groups_claim'),
    createsUsers: state.has('create_users'),
    emailDomains: listIn(state.text('email_domains')),
    trustedAmr: listIn(state.text('trusted_amr')),
    roles: groups.slice(0, MOST_ROWS + 1).flatMap((group, index) => {
      const customer = customers[index] ?? ALL;
      if (!group.trim()) return [];
      return {
        group: group.trim(),
        role: (roles[index] ?? '') as Role,
        customer: customer === ALL ? null : { id: Number(customer) },
      };
    }),
  };
}

export const ProviderFields = ({ customers, isNew }: { customers: CustomerRow[]; isNew: boolean }): VNode => (
  <>
    <TextField
      name="label"
      label={t('Name')}
      hint={t('The log-in page shows it on a button, for example "Google".')}
      maxLength={80}
    />
    <TextField name="client_id" label={t('Client ID')} maxLength={200} />
    <SecretField
      name="client_secret"
      label={t('Client secret')}
      autocomplete="off"
      {...(!isNew && { optional: true, hint: t('Leave it empty to keep the current one.') })}
    />
    <TextField name="scopes" label={t('Scopes')} maxLength={500} />
    <fieldset class="field">
      <legend>{t('Roles of groups')}</legend>
      <p class="hint">
        {t(
          'With at least one group, only members of these groups can log in. Their roles follow the groups at each log-in. Leave a group empty to remove it.',
        )}
      </p>
      <Groups customers={customers} />
    </fieldset>
    <TextField
      name="groups_claim"
      label={t('Groups claim')}
      hint={t('The claim of the ID token with the groups of a person.')}
      maxLength={200}
    />
    <CheckField
      name="create_users"
      label={t('Create users at their first log-in')}
      hint={t('For members of the groups above. Otherwise, people must be linked to a user first.')}
    />
    <TextField
      name="email_domains"
      label={t('E-mail domains')}
      optional
      hint={t(
        'Domains of your company, such as example.com. A person whose address there is verified by the provider is linked to the user with that address.',
      )}
      maxLength={2000}
    />
    <TextField
      name="trusted_amr"
      label={t('Trusted second factors')}
      optional
      hint={t(
        'Values of the claim "amr" that prove a second factor, such as mfa. Users then need no code of their authenticator app here.',
      )}
      maxLength={1000}
    />
  </>
);

function Groups({ customers }: { customers: CustomerRow[] }): VNode {
  const state = useFormState();
  const [groups, roles, of] = [state.all('group'), state.all('role'), state.all('customer')];
  const rows = Math.min(groups.filter(Boolean).length + MORE_ROWS, MOST_ROWS);
  return (
    <div class="stack close">
      {Array.from({ length: Math.max(rows, groups.length) }, (_, row) => (
        <div key={row} class="cluster group-row">
          <input
            name="group"
            value={groups[row] ?? ''}
            maxLength={200}
            aria-label={t('Group {number}', { number: row + 1 })}
            placeholder={t('Group')}
          />
          <select name="role" aria-label={t('Role of group {number}', { number: row + 1 })}>
            {ROLES.toReversed().map((role) => (
              <option key={role} value={role} selected={role === roles[row]}>
                {roleWord(role)}
              </option>
            ))}
          </select>
          {customers.length > 0 && (
            <select name="customer" aria-label={t('Customer of group {number}', { number: row + 1 })}>
              <option value={ALL}>{t('All customers')}</option>
              {customers.map(({ id, name }) => (
                <option key={id} value={String(id)} selected={String(id) === of[row]}>
                  {name}
                </option>
              ))}
            </select>
          )}
        </div>
      ))}
      {state.issueOf('roles') && <p class="fault">{state.issueOf('roles')}</p>}
    </div>
  );
}
