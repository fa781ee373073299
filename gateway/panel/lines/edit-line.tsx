import { type VNode } from 'preact';
import { changeForwardingUrl } from '../../forwarding/destinations/change-forwarding-url';
import { handshake } from '../../forwarding/destinations/handshake';
import { QUALITY_MODES, WINDOW_MODES } from '../../lines/line-input';
import { editVerifiedLine } from '../../management/verified-line';
import { type LineRow } from '../../store/tables/lines';
import { FormState } from '../form-state';
import {
  ActionButton,
  CheckField,
  ChoiceField,
  Form,
  Submit,
  SubmitOrCancel,
  TextField,
  useFormState,
} from '../ui/form';
import { LineHead, lineOfRoute } from '../ui/frame/line-head';
import { Card } from '../ui/parts';
import { page, seeOther, type PanelResponse } from '../outcome';
import { actionRoute, pageRoute, type PanelRoute } from '../panel-route';
import { type UserContext } from '../request-context';
import { CredentialFields, customerChoices, LineCustomerField } from './line-fields';
import { showAdded } from '../destination/new-destination';
import { Switches } from './switches';
import { qualityWords, windowWords } from '../ui/words/choice-words';
import { t } from '../languages/t';

export const editLinePages: PanelRoute[] = [
  pageRoute('lines.manage', '/lines/:id/edit', async (context) =>
    showForms(context, await lineOfRoute(context)),
  ),
  actionRoute('lines.manage', '/lines/:id', saveLine, { confirmed: () => t('To change a line') }),
  // As sensitive as a secret: a user who can change the URL can read the messages.
  actionRoute('destinations.manage', '/lines/:id/forwarding', saveForwarding, {
    confirmed: () => t('To change where events go'),
  }),
];

interface States {
  forwarding?: FormState;
  fields?: FormState;
}

async function showForms(context: UserContext, line: LineRow, given: States = {}): Promise<PanelResponse> {
  const customers = await customerChoices(context);
  const current = context.deps.destinations.forwardingUrlOf(line.id);
  const forwarding = given.forwarding ?? new FormState({ url: current?.url ?? '' });
  const fields = given.fields ?? new FormState(stored(line));
  return page(
    <LineHead title={t('Edit {name}', { name: line.name })} line={line} here="settings" />,
    <>
      <Card title={t('Raw forwarding to CRM')}>
        <Form action={`/panel/lines/${line.id}/forwarding`} state={forwarding}>
          <TextField
            name="url"
            label={t('Forwarding URL')}
            type="url"
            inputmode="url"
            placeholder="https://crm.example.com/webhook"
            maxLength={2048}
            hint={t(
              'Each event of this line is sent there immediately by POST, signed and in the platform’s format.',
            )}
          />
          <div class="actions">
            <Submit>{current ? t('Save the URL') : t('Save and show the secret')}</Submit>
          </div>
        </Form>
        {current && (
          <div class="actions">
            <ActionButton action={`/panel/lines/${line.id}/destinations/${current.id}/test`} tone="plain">
              {t('Send test event')}
            </ActionButton>
            <a class="button plain" href={`/panel/lines/${line.id}/destinations/${current.id}`}>
              {t('Filter, headers, secret')}
            </a>
          </div>
        )}
      </Card>
      <Card title={t('The line')}>
        <Form action={`/panel/lines/${line.id}`} state={fields}>
          <LineFields line={line} isSandbox={context.deps.sandboxUrl !== null} customers={customers} />
          <SubmitOrCancel submit={t('Save the line')} back={`/panel/lines/${line.id}`} />
        </Form>
      </Card>
      <Switches line={line} />
    </>,
    forwarding.isValid ? fields : forwarding,
  );
}

const stored = (line: LineRow): Record<string, string> => ({
  name: line.name,
  customer: String(line.customer_id ?? ''),
  phone_number: line.phone_number,
  phone_number_id: line.phone_number_id,
  waba_id: line.waba_id,
  window: line.window_mode,
  quality: line.quality_mode,
  pause_hours: String(line.automation_pause_hours || ''),
  ...(line.sent_kept_at !== null && { keep_sent: 'yes' }),
});

interface LineFieldsProps {
  line: LineRow;
  isSandbox: boolean;
  /** The choices of the customer. */
  customers: Awaited<ReturnType<typeof customerChoices>>;
}

function LineFields({ line, isSandbox, customers }: LineFieldsProps): VNode {
  const state = useFormState();
  const fields = (
    <CredentialFields
      stored={{ accessToken: line.access_token_sealed !== null, appSecret: line.app_secret_sealed !== null }}
    />
  );
  return (
    <>
      <TextField name="name" label={t('Name')} maxLength={200} />
      <LineCustomerField choices={customers} />
      <ChoiceField
        name="window"
        label={t('24-hour window')}
        hint={t(
          'More than 24 hours after a contact wrote, the platform delivers only templates. What should the gateway block?',
        )}
        choices={WINDOW_MODES.map((value) => ({ value, ...windowWords()[value] }))}
      />
      <ChoiceField
        name="quality"
        label={t('Quality check')}
        choices={QUALITY_MODES.map((value) => ({ value, ...qualityWords()[value] }))}
      />
      <CheckField
        name="keep_sent"
        label={t('Store the text of messages that programs send')}
        hint={t(
          'Users who see the line can read it in Conversations. It is stored as long as messages from contacts. Messages written in the panel are always stored, login codes never.',
        )}
      />
      <TextField
        name="pause_hours"
        label={t('Pause automation when a colleague answers, in hours')}
        optional
        type="number"
        inputmode="numeric"
        placeholder="8"
        hint={t(
          'After an answer in this panel or from the phone app, workflows ignore the contact for this time, so that your team can answer. Empty: no pause.',
        )}
      />
      {isSandbox ? (
        <details class="more" open={!state.isValid}>
          <summary>{t('IDs and credentials (the sandbox accepts any)')}</summary>
          <div class="form">{fields}</div>
        </details>
      ) : (
        fields
      )}
    </>
  );
}

async function saveLine(context: UserContext): Promise<PanelResponse> {
  const { deps } = context;
  const line = await lineOfRoute(context);
  const state = new FormState(context.form);
  const again = () => showForms(context, line, { fields: state });
  const before = stored(line);
  const ifChanged = (field: string) =>
    state.text(field) === (before[field] ?? '') ? undefined : state.text(field);
  const change = {
    name: ifChanged('name'),
    customerId:
      !state.has('customer') || ifChanged('customer') === undefined
        ? undefined
        : Number(state.text('customer')) || null,
    phoneNumber: ifChanged('phone_number'),
    phoneNumberId: ifChanged('phone_number_id'),
    wabaId: ifChanged('waba_id'),
    accessToken: ifChanged('access_token'),
    appSecret: ifChanged('app_secret'),
    windowMode: ifChanged('window'),
    qualityMode: ifChanged('quality'),
    keepsSent: ifChanged('keep_sent') === undefined ? undefined : state.has('keep_sent'),
    automationPauseHours: ifChanged('pause_hours'),
  };
  if (Object.values(change).every((one) => one === undefined))
    return seeOther(`/panel/lines/${line.id}`, t('Nothing was changed.'));
  const { actor, session } = context;
  const edited = await state.given(() =>
    editVerifiedLine(deps, actor, session.grants, line, change, state.has('save_anyway')),
  );
  return edited ? seeOther(`/panel/lines/${line.id}`, t('The line is saved.')) : again();
}

async function saveForwarding(context: UserContext): Promise<PanelResponse> {
  const { deps } = context;
  const line = await lineOfRoute(context);
  const state = new FormState(context.form);
  const current = deps.destinations.forwardingUrlOf(line.id);
  const set = await state.given(
    () => changeForwardingUrl(deps, context.actor, line.id, current, state.text('url')),
    { headers: 'url' },
  );
  if (!set) return showForms(context, line, { forwarding: state });
  return showAdded(line, set, {
    title: current ? t('The forwarding URL is saved') : t('Events are now sent there'),
    secret: current ? null : set.secret,
    handshake: await handshake(deps.http, set),
  });
}
