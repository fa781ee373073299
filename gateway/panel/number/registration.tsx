import { type VNode } from 'preact';
import {
  CODE_METHODS,
  codeRequested,
  codeVerified,
  deregistered,
  pinSet,
  registered,
  type NumberChange,
} from '../../management/number';
import { FormState } from '../form-state';
import { t } from '../languages/t';
import { seeOther, type PanelResponse } from '../outcome';
import { type UserContext } from '../request-context';
import { Confirm, Form, SecretField, SelectField, Submit, TextField } from '../ui/form';
import { pageNotFound } from '../ui/frame/error-page';
import { lineOfRoute } from '../ui/frame/line-head';
import { Card } from '../ui/parts';
import { madeChange, numberAddress, numberPage } from './number-head';

interface Action {
  change(state: FormState): NumberChange;
  done(): string;
  /** Form field names, by the field names in issues. */
  fields?: Record<string, string>;
}

const ACTIONS: Record<string, Action> = {
  request: {
    change: (state) =>
      codeRequested(
        CODE_METHODS.find((one) => one === state.text('method')) ?? 'SMS',
        state.text('language').slice(0, 16),
      ),
    done: () => t('The code is on its way. Enter it below.'),
  },
  verify: {
    change: (state) => codeVerified(state.exact('code')),
    done: () => t('The number is verified. Register it now.'),
  },
  register: {
    change: (state) => registered(state.exact('pin').trim()),
    done: () => t('The number is registered. It can send and receive.'),
  },
  pin: {
    change: (state) => pinSet(state.exact('new_pin').trim()),
    done: () => t('The PIN is set.'),
    fields: { pin: 'new_pin' },
  },
  deregister: { change: deregistered, done: () => t('The number is disconnected.') },
};

const LANGUAGES = [
  { value: 'en_US', label: 'English' },
  { value: 'pt_BR', label: 'Português (Brasil)' },
  { value: 'es_ES', label: 'Español' },
];

export async function showRegistration(context: UserContext, typed?: FormState): Promise<PanelResponse> {
  const line = await lineOfRoute(context);
  const action = numberAddress(line, '/registration');
  const form = (of: string): { action: string; class: string; fields: { do: string }; state: FormState } => ({
    ...{ action, class: 'form close', fields: { do: of } },
    state: typed?.text('do') === of ? typed : new FormState({ method: 'SMS', language: 'en_US' }),
  });
  return numberPage(
    line,
    '/registration',
    <>
      <Card title={t('Connect the number')}>
        <div class="stack">
          <p>
            {t.rich(
              'A number that you have just added at Meta needs these three steps. The <checks>setup checks</checks> show whether it is registered.',
              { checks: (parts) => <a href={`/panel/lines/${line.id}#setup`}>{parts}</a> },
            )}
          </p>
          <ol class="stack">
            <li>
              <Form {...form('request')}>
                <SelectField
                  name="method"
                  label={t('Get a verification code')}
                  choices={[
                    { value: 'SMS', label: t('By text message') },
                    { value: 'VOICE', label: t('By a call') },
                  ]}
                />
                <SelectField name="language" label={t('Language of the message')} choices={LANGUAGES} />
                <Submit tone="plain">{t('Request the code')}</Submit>
              </Form>
            </li>
            <li>
              <Form {...form('verify')}>
                <TextField
                  name="code"
                  label={t('Verification code')}
                  value=""
                  inputmode="numeric"
                  autocomplete="one-time-code"
                  hint={t('The six digits that the number has received.')}
                />
                <Submit tone="plain">{t('Verify the number')}</Submit>
              </Form>
            </li>
            <li>
              <Form {...form('register')}>
                <SecretField
                  name="pin"
                  label={t('PIN')}
                  hint={t(
                    'The six digits of two-step verification. Without a PIN yet, choose one. It is not stored.',
                  )}
                />
                <Submit tone="plain">{t('Register the number')}</Submit>
              </Form>
            </li>
          </ol>
        </div>
      </Card>
      <Card title={t('Two-step verification')}>
        <Form {...form('pin')}>
          <SecretField
            name="new_pin"
            label={t('New PIN')}
            hint={t('Six digits. Keep it: it is not stored here, and the next registration needs it.')}
          />
          <Submit tone="plain">{t('Set the PIN')}</Submit>
        </Form>
      </Card>
      <Card title={t('Disconnect the number')}>
        <Disconnect action={action} />
      </Card>
    </>,
    typed,
  );
}

const Disconnect = ({ action }: { action: string }): VNode => (
  <div class="stack">
    <p>{t('The number leaves the Cloud API, for example to move to another provider.')}</p>
    <div class="actions">
      <Confirm
        id="disconnect"
        action={action}
        fields={{ do: 'deregister' }}
        button={t('Disconnect the number')}
        tone="danger"
        title={t('Disconnect the number?')}
        confirm={t('Disconnect it')}
      >
        <p>{t('It can neither send nor receive until you register it again with its PIN.')}</p>
      </Confirm>
    </div>
  </div>
);

export async function changeRegistration(context: UserContext): Promise<PanelResponse> {
  const line = await lineOfRoute(context);
  const state = new FormState(context.form);
  const name = state.text('do');
  const action = Object.hasOwn(ACTIONS, name) ? ACTIONS[name] : undefined;
  if (!action) throw pageNotFound();
  const isMade = await madeChange(context, line, state, () => action.change(state), action.fields);
  if (isMade) return seeOther(numberAddress(line, '/registration'), action.done());
  const [issue] = state.issues;
  return name === 'deregister'
    ? seeOther(numberAddress(line, '/registration'), issue?.sentence ?? null, 'bad')
    : showRegistration(context, state);
}
