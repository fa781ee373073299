import { type VNode } from 'preact';
import { givableFor } from '../../admin-tokens/admin-token';
import { LONGEST_NAME } from '../../admin-tokens/admin-token-input';
import { createAdminToken } from '../../admin-tokens/manage-admin-tokens';
import { type Permission } from '../../rights/roles';
import { SCOPES, USUAL_SCOPES } from '../../store/schema';
import { type AdminTokenRow } from '../../store/tables/admin-tokens';
import { FormState } from '../form-state';
import { t } from '../languages/t';
import { page, type PanelResponse } from '../outcome';
import { actionRoute, pageRoute, type PanelRoute } from '../panel-route';
import { type UserContext } from '../request-context';
import { ChoiceField, Form, SelectField, SubmitOrCancel, TextField } from '../ui/form';
import { Card, Copy, PageHead, ShownOnce, Time } from '../ui/parts';
import { scopeWords } from '../ui/words/choice-words';
import { permissionWords } from '../ui/words/permission-words';

const LIST = '/panel/admin-tokens';
const back = () => ({ href: LIST, label: t('Admin tokens') });

export const newAdminTokenPages: PanelRoute[] = [
  pageRoute('tokens.manage', '/admin-tokens/new', (context) => ask(context, emptyForm(context))),
  actionRoute('tokens.manage', '/admin-tokens', create, { confirmed: () => t('To create an admin token') }),
];

/** A new token is for n8n: the usual scopes, and no permission of the management API. */
function emptyForm(context: UserContext): FormState {
  const values = new FormData();
  values.set('reach', mayReachAll(context) ? 'all' : 'customers');
  values.set('expires', '365');
  USUAL_SCOPES.forEach((scope) => values.append('scope', scope));
  return new FormState(values);
}

const mayReachAll = ({ may }: UserContext): boolean => may('gateway', null) && may('tokens.manage', null);

/** The permissions that the user can give in some reach. */
const givable = (context: UserContext): Permission[] =>
  givableFor({ customerIds: null, lineIds: null }).filter((permission) => context.may(permission));

async function ask(context: UserContext, state: FormState): Promise<PanelResponse> {
  const { deps } = context;
  const customers = await deps.store.customers.all();
  const reaches = [
    ...(mayReachAll(context) ? [{ value: 'all', label: t('Everything: all lines and customers') }] : []),
    ...(customers.length ? [{ value: 'customers', label: t('Some customers, with all their lines') }] : []),
    { value: 'lines', label: t('Some lines') },
  ];
  return page(
    <PageHead title={t('Create an admin token')} back={back()}>
      {t('Give it only what its program needs. You can’t change it later, but create another one.')}
    </PageHead>,
    <Card>
      <Form action={LIST} state={state}>
        <TextField
          name="name"
          label={t('Name')}
          hint={t('A label, for example “n8n production”')}
          maxLength={LONGEST_NAME}
        />
        <ChoiceField name="reach" label={t('Reach')} choices={reaches} />
        {customers.length > 0 && (
          <ChoiceField
            name="customer"
            label={t('Customers')}
            hint={t('If you chose some customers.')}
            many
            choices={customers.map(({ id, name }) => ({ value: String(id), label: name }))}
          />
        )}
        <ChoiceField
          name="line"
          label={t('Lines')}
          hint={t('If you chose some lines.')}
          many
          choices={deps.lines.all().map(({ id, name }) => ({ value: String(id), label: name }))}
        />
        <ChoiceField
          name="scope"
          label={t('Use lines')}
          hint={t('As the API token of each line. n8n needs the first three.')}
          many
          choices={SCOPES.map((value) => ({ value, ...scopeWords()[value] }))}
        />
        <ChoiceField
          name="permission"
          label={t('Management API')}
          hint={t('For programs that set up customers, lines and people. n8n needs none.')}
          many
          choices={givable(context).map((value) => ({ value, ...permissionWords()[value] }))}
        />
        <SelectField name="expires" label={t('Expires')} choices={expiries()} />
        <SubmitOrCancel submit={t('Create the token')} back={LIST} />
      </Form>
    </Card>,
    state,
  );
}

const expiries = () => [
  { value: '30', label: t('In 30 days') },
  { value: '90', label: t('In 90 days') },
  { value: '365', label: t('In a year') },
];

/** Form field names that differ from the names in issues. */
const FIELDS = {
  customer_ids: 'customer',
  line_ids: 'line',
  permissions: 'permission',
  expires_in_days: 'expires',
};

async function create(context: UserContext): Promise<PanelResponse> {
  const { deps, actor, session } = context;
  const state = new FormState(context.form);
  const reach = state.text('reach');
  const idsOf = (field: string) => state.all(field).map(Number).filter(Number.isInteger);
  const made = await state.given(
    () =>
      createAdminToken(deps, actor, session.grants, {
        name: state.text('name'),
        permissions: [...state.all('scope'), ...state.all('permission')],
        customerIds: reach === 'customers' ? idsOf('customer') : null,
        lineIds: reach === 'lines' ? idsOf('line') : null,
        expiresInDays: state.text('expires'),
      }),
    FIELDS,
  );
  return made ? showOnce(context, made.token, made.row) : ask(context, state);
}

function showOnce({ gatewayUrl }: UserContext, token: string, row: AdminTokenRow): PanelResponse {
  return page(
    <PageHead title={t('Admin token')} back={back()} />,
    <>
      <ShownOnce id="token" text={token} label={t('The token')} for={row.name} />
      <Card title={t('What to do next')}>
        <NextSteps gatewayUrl={gatewayUrl} token={token} />
        <p>{t.rich('The token works until {time}.', { time: <Time at={row.expires_at} /> })}</p>
      </Card>
    </>,
  );
}

const NextSteps = ({ gatewayUrl, token }: { gatewayUrl: string; token: string }): VNode => (
  <>
    <p>
      {t(
        'In n8n, enter it as the token of the credential and leave the line of the credential empty. Then choose the line in each node.',
      )}
    </p>
    <p>
      {t.rich('In a program, try it with this command. The <link>reference</link> has every operation.', {
        link: (parts) => (
          <a href="/v1/docs" target="_blank">
            {parts}
          </a>
        ),
      })}
    </p>
    <Copy
      id="example"
      text={`curl ${gatewayUrl}/v1/me -H "Authorization: Bearer ${token}"`}
      label={t('Example')}
    />
  </>
);
