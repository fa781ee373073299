import { randomBytes, randomInt } from 'node:crypto';
import { type VNode } from 'preact';
import { type EnteredLine } from '../../lines/add-line';
import { addVerifiedLine } from '../../management/verified-line';
import { FormState } from '../form-state';
import { Form, SubmitOrCancel, TextField } from '../ui/form';
import { Card, Notice, PageHead } from '../ui/parts';
import { page, seeOther, type PanelResponse } from '../outcome';
import { actionRoute, pageRoute, type PanelRoute } from '../panel-route';
import { type UserContext } from '../request-context';
import { CredentialFields, customerChoices, LineCustomerField } from './line-fields';
import { t } from '../languages/t';

export const newLinePages: PanelRoute[] = [
  pageRoute('lines.manage', '/lines/new', (context) => askLine(context, new FormState())),
  actionRoute('lines.manage', '/lines', addLine, { confirmed: () => t('To add a line') }),
];

async function askLine(context: UserContext, state: FormState): Promise<PanelResponse> {
  const customers = await customerChoices(context);
  const isSandbox = context.deps.sandboxUrl !== null;
  return page(
    <PageHead title={t('Add a line')} back={{ href: '/panel/lines', label: t('Lines') }}>
      {isSandbox
        ? t('The sandbox simulates WhatsApp: a line only needs a name, and nothing leaves this machine.')
        : t('Copy these from the platform. They are checked there when you save.')}
    </PageHead>,
    <>
      <Card>
        <Form action="/panel/lines" state={state}>
          <TextField
            name="name"
            label={t('Name')}
            hint={t('A name for your team, for example the shop or the customer.')}
          />
          <LineCustomerField choices={customers} />
          {isSandbox ? <SandboxFields /> : <RealFields />}
          <SubmitOrCancel submit={t('Add the line')} back="/panel/lines" />
        </Form>
      </Card>
      {isSandbox && (
        <Notice tone="info">
          <p>
            {t.rich(
              'For a real number, set <code>GATEWAY_UPSTREAM_URL</code> to the URL of the platform, <code>https://graph.facebook.com</code>, and restart the gateway. This page then asks for the IDs and credentials from the platform.',
            )}
          </p>
        </Notice>
      )}
    </>,
    state,
  );
}

const SandboxFields = (): VNode => (
  <TextField
    name="phone_number"
    label={t('Phone number')}
    type="tel"
    optional
    hint={t('Any number. Leave it empty to generate one.')}
  />
);

const RealFields = (): VNode => <CredentialFields stored={{ accessToken: false, appSecret: false }} />;

async function addLine(context: UserContext): Promise<PanelResponse> {
  const { deps } = context;
  const state = new FormState(context.form);
  const line = {
    name: state.text('name'),
    phoneNumberId: state.text('phone_number_id'),
    phoneNumber: state.text('phone_number'),
    wabaId: state.text('waba_id'),
    accessToken: state.text('access_token'),
    appSecret: state.text('app_secret'),
    windowMode: 'text',
    customerId: await customerIdIn(context, state),
  };
  const sandboxed = deps.sandboxUrl === null ? null : sandboxLine(line.name, line.phoneNumber);
  const given = sandboxed ? { ...sandboxed, customerId: line.customerId } : line;
  const { actor, session } = context;
  const row = await state.given(() =>
    addVerifiedLine(deps, actor, session.grants, given, state.has('save_anyway')),
  );
  if (!row) return askLine(context, state);
  return seeOther(`/panel/lines/${row.id}`, t('The line "{name}" is added.', { name: row.name }));
}

/** Without a choice, the form doesn't ask. */
async function customerIdIn(context: UserContext, state: FormState): Promise<number | null> {
  const choices = await customerChoices(context);
  const [only] = choices.length === 1 ? choices : [];
  return Number(only?.value ?? state.text('customer')) || null;
}

/** A line for the sandbox, which accepts any ids. */
const sandboxLine = (name: string, phoneNumber: string): EnteredLine => ({
  name,
  phoneNumberId: digits(15),
  phoneNumber: phoneNumber || `+1 555-01${digits(2)}-${digits(4)}`,
  wabaId: digits(15),
  accessToken: randomBytes(24).toString('base64url'),
  appSecret: randomBytes(24).toString('hex'),
  windowMode: 'text',
});

/** Random digits, the first not 0. */
const digits = (count: number): string =>
  Array.from({ length: count }, (_none, index) => randomInt(index ? 0 : 1, 10)).join('');
