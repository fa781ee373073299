import { type VNode } from 'preact';
import { type CustomerRow } from '../../../store/tables/customers';
import {
  addProvider,
  editProvider,
  removeProvider,
  testProvider,
  type ProviderTest,
} from '../../../users/oidc/manage-providers';
import { allProviders, providerByKey, type KnownProvider } from '../../../users/oidc/providers';
import { FormState } from '../../form-state';
import { ActionButton, Confirm, Form, SubmitOrCancel, TextField } from '../../ui/form';
import { Badge, Card, Copy, Empty, Facts, Notice, PageHead, Table } from '../../ui/parts';
import { pageNotFound } from '../../ui/frame/error-page';
import { roleWord } from '../../ui/frame/role';
import { page, seeOther, type PanelResponse } from '../../outcome';
import { actionRoute, pageRoute, type PanelRoute } from '../../panel-route';
import { type UserContext } from '../../request-context';
import { t } from '../../languages/t';
import { emptyFields, fieldsOf, ProviderFields, typedProvider } from './provider-fields';
import { logOutUrlFor, redirectUrlOf } from './provider-buttons';

/** The OpenID Connect providers at which users log in. */
export const providerPages: PanelRoute[] = [
  pageRoute('gateway', '/providers', showProviders),
  pageRoute('gateway', '/providers/new', (context) => askNew(context, new FormState(emptyFields()))),
  actionRoute('gateway', '/providers', add, { confirmed: () => t('To add a provider') }),
  pageRoute('gateway', '/providers/:key', async (context) => show(context, await providerOf(context))),
  actionRoute('gateway', '/providers/:key', save, { confirmed: () => t('To change a provider') }),
  actionRoute('gateway', '/providers/:key/test', test),
  actionRoute('gateway', '/providers/:key/remove', remove, { confirmed: () => t('To remove a provider') }),
];

const LIST = '/panel/providers';
const back = () => ({ href: LIST, label: t('Log-in providers') });

async function showProviders({ deps }: UserContext): Promise<PanelResponse> {
  const providers = await allProviders(deps);
  const addLink = (
    <a class="button primary" href={`${LIST}/new`}>
      {t('Add a provider')}
    </a>
  );
  return page(
    <PageHead
      title={t('Log-in providers')}
      back={{ href: '/panel/users', label: t('Users') }}
      actions={providers.length > 0 && addLink}
    >
      {t(
        'With OpenID Connect, people log in with the account of their company, for example Google or Microsoft Entra ID.',
      )}
    </PageHead>,
    <>
      {deps.passwordLogIn === 'owners' && (
        <Notice tone="info">{t('Only owners can log in with a password (GATEWAY_PASSWORD_LOG_IN).')}</Notice>
      )}
      <Card flush>
        {providers.length ? (
          <Table
            caption={t('Log-in providers')}
            rows={providers}
            rowKey={({ key }) => key}
            columns={[
              {
                label: t('Name'),
                heading: true,
                cell: ({ key, label }) => (
                  <a class="row-link" href={`${LIST}/${key}`}>
                    {label}
                  </a>
                ),
              },
              { label: t('Issuer'), cell: ({ issuer }) => issuer },
              {
                label: t('New users'),
                cell: ({ createsUsers }) => (createsUsers ? t('created') : t('linked only')),
              },
              {
                label: t('Set up in'),
                cell: ({ isOfSettings }) => (isOfSettings ? t('the settings') : t('the panel')),
              },
            ]}
          />
        ) : (
          <Empty title={t('There is no provider yet')}>
            <p>
              {t(
                'Register the gateway at your provider as a web application. Then enter its client ID and secret here.',
              )}
            </p>
            {addLink}
          </Empty>
        )}
      </Card>
    </>,
  );
}

async function askNew(context: UserContext, state: FormState): Promise<PanelResponse> {
  const customers = await context.deps.store.customers.all();
  return page(
    <PageHead title={t('Add a provider')} back={back()}>
      {t('Register the gateway at the provider as a web application. Enter what the provider then shows.')}
    </PageHead>,
    <Card>
      <Form action={LIST} state={state}>
        <TextField
          name="issuer"
          label={t('Issuer')}
          type="url"
          hint={t('A URL, such as https://accounts.google.com. It can’t be changed later.')}
          maxLength={500}
        />
        <TextField
          name="key"
          label={t('Short name')}
          hint={t('Part of the redirect URL to register at the provider: {url}', {
            url: redirectUrlOf(context, 'SHORT-NAME'),
          })}
          maxLength={40}
        />
        <ProviderFields customers={customers} isNew />
        <SubmitOrCancel submit={t('Add the provider')} back={LIST} />
      </Form>
    </Card>,
    state,
  );
}

async function add(context: UserContext): Promise<PanelResponse> {
  const { deps, actor, session, form } = context;
  const state = new FormState(form);
  const given = {
    ...typedProvider(state),
    key: state.text('key'),
    issuer: state.text('issuer'),
    clientSecret: state.text('client_secret'),
  };
  const added = await state.given(() => addProvider(deps, actor, session.grants, given));
  if (!added) return askNew(context, state);
  return seeOther(`${LIST}/${added.key}`, t('{provider} is added. Test it now.', { provider: added.label }));
}

async function providerOf({ deps, params }: UserContext): Promise<KnownProvider> {
  const provider = await providerByKey(deps, params.key ?? '');
  if (!provider) throw pageNotFound();
  return provider;
}

interface Shown {
  state?: FormState;
  tested?: ProviderTest;
}

async function show(
  context: UserContext,
  provider: KnownProvider,
  { state = new FormState(fieldsOf(provider)), tested }: Shown = {},
): Promise<PanelResponse> {
  const customers = await context.deps.store.customers.all();
  const { key, label, issuer, isOfSettings } = provider;
  return page(
    <PageHead title={label} back={back()}>
      {issuer}
    </PageHead>,
    <>
      <Card
        title={t('Connection')}
        actions={
          <ActionButton action={`${LIST}/${key}/test`} tone="plain">
            {t('Test')}
          </ActionButton>
        }
      >
        {tested && <Tested of={tested} />}
        <p>{t('Register these URLs at the provider:')}</p>
        <p class="quiet small">{t('Redirect URL')}</p>
        <Copy id="redirect" text={redirectUrlOf(context, key)} label={t('Redirect URL')} />
        <p class="quiet small">{t('Back-channel log-out URL')}</p>
        <Copy id="log-out" text={logOutUrlFor(context, key)} label={t('Back-channel log-out URL')} />
      </Card>
      {isOfSettings ? (
        <OfSettings provider={provider} customers={customers} />
      ) : (
        <Card title={t('Settings')}>
          <Form action={`${LIST}/${key}`} state={state}>
            <ProviderFields customers={customers} isNew={false} />
            <SubmitOrCancel submit={t('Save')} back={LIST} />
          </Form>
        </Card>
      )}
      {!isOfSettings && <Removal provider={provider} />}
    </>,
    state,
  );
}

const Removal = ({ provider: { key, label } }: { provider: KnownProvider }): VNode => (
  <Card title={t('Remove')}>
    <div class="actions">
      <Confirm
        id="remove"
        action={`${LIST}/${key}/remove`}
        button={t('Remove the provider')}
        tone="danger"
        title={t('Remove {name}?', { name: label })}
        confirm={t('Remove')}
      >
        <p>{t('Everybody who logged in there is logged out, and can no longer log in there.')}</p>
      </Confirm>
    </div>
  </Card>
);

function Tested({ of }: { of: ProviderTest }): VNode {
  if (of.failure !== null)
    return (
      <Notice tone="bad">
        {t('The provider doesn’t answer as one: {failure}. Check the issuer.', { failure: of.failure })}
      </Notice>
    );
  if (!of.hasEndpoints)
    return <Notice tone="bad">{t('The provider answers, but its metadata is incomplete.')}</Notice>;
  return (
    <>
      <Notice tone={of.hasPkce === false ? 'warn' : 'good'}>
        {of.hasPkce === false
          ? t('The provider answers, but doesn’t support PKCE with S256. Log-ins may fail.')
          : t('The provider answers. To test the client ID and secret, log in there in another browser.')}
      </Notice>
      <Facts
        facts={[
          [t('Log-out page'), <Supported isSo={of.hasLogOut} />],
          [t('Back-channel log-out'), <Supported isSo={of.hasBackChannelLogOut} />],
        ]}
      />
    </>
  );
}

const Supported = ({ isSo }: { isSo: boolean }): VNode =>
  isSo ? <Badge tone="good">{t('supported')}</Badge> : <Badge tone="idle">{t('not supported')}</Badge>;

function OfSettings({ provider, customers }: { provider: KnownProvider; customers: CustomerRow[] }): VNode {
  const none = t.of('value', 'none');
  const nameOf = (externalId: string): string =>
    customers.find(({ external_id: id }) => id === externalId)?.name ??
    t('unknown customer {id}', { id: externalId });
  return (
    <Card title={t('Settings')}>
      <p class="quiet">{t('Set in GATEWAY_OIDC_PROVIDERS. Change it there, and restart the gateway.')}</p>
      <Facts
        facts={[
          [t('Client ID'), provider.clientId],
          [t('Scopes'), provider.scopes],
          [t('Groups claim'), provider.groupsClaim],
          [
            t('Roles of groups'),
            provider.roles.length
              ? provider.roles
                  .map(({ group, role, customer }) =>
                    customer && 'externalId' in customer
                      ? `${group}: ${roleWord(role)} (${nameOf(customer.externalId)})`
                      : `${group}: ${roleWord(role)}`,
                  )
                  .join('; ')
              : none,
          ],
          [t('New users'), provider.createsUsers ? t('created') : t('linked only')],
          [t('E-mail domains'), provider.emailDomains.join(', ') || none],
          [t('Trusted second factors'), provider.trustedAmr.join(', ') || none],
        ]}
      />
    </Card>
  );
}

async function save(context: UserContext): Promise<PanelResponse> {
  const { deps, actor, session, form } = context;
  const provider = await providerOf(context);
  const state = new FormState(form);
  const given = { ...typedProvider(state), clientSecret: state.text('client_secret') || null };
  const saved = await state.given(async () => {
    await editProvider(deps, actor, session.grants, provider, given);
    return true;
  });
  return saved ? seeOther(LIST, t('The provider is saved.')) : show(context, provider, { state });
}

async function test(context: UserContext): Promise<PanelResponse> {
  const provider = await providerOf(context);
  return show(context, provider, {
    tested: await testProvider(context.deps, context.session.grants, provider),
  });
}

async function remove(context: UserContext): Promise<PanelResponse> {
  const { deps, actor, session } = context;
  const provider = await providerOf(context);
  await removeProvider(deps, actor, session.grants, provider);
  return seeOther(LIST, t('{name} is removed.', { name: provider.label }));
}
