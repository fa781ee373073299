import { type VNode } from 'preact';
import { type Line } from '../../lines/line';
import { isOpen } from '../../messages/customer-service-window';
import { FormState } from '../form-state';
import { t } from '../languages/t';
import { type UserContext } from '../request-context';
import { type FirstStepsDone } from '../send/first-steps-done';
import { DEMO_CONTACT, phoneAddress } from '../send/phone-address';
import { sendableTemplates, templateKey } from '../send/template-form';
import { ActionButton, SelectField, Submit, TextField } from '../ui/form';
import { contactText } from '../ui/contact';
import { type StepLink, type StepWords } from './first-step';

/** The steps that send the first message and answer it. */

export async function sendStep(
  context: UserContext,
  line: Line | undefined,
  isSent: boolean,
  isNext: boolean,
): Promise<StepWords> {
  const title = t('Send the first message');
  if (!line) return { title, text: <p>{t('One click, once there is a line.')}</p>, button: null };
  if (isSent)
    return {
      title,
      text: false,
      button: context.may('messages.read', line.id) && (
        <a class="button plain" href={`/panel/messages?line=${line.id}`}>
          {t('View status')}
        </a>
      ),
    };
  const step =
    context.deps.sandboxUrl === null
      ? await toOwnPhone(context, line, isNext)
      : await toSandboxPhone(context, line, isNext);
  return { title, ...step };
}

type Instruction = Pick<StepWords, 'text' | 'button'>;

/** On the real platform, a person who has not written gets a template only. */
async function toOwnPhone({ deps, may }: UserContext, line: Line, isNext: boolean): Promise<Instruction> {
  const templates = await sendableTemplates(deps.store, line.id);
  const first = templates.find(({ name }) => name === 'hello_world') ?? templates[0];
  const isSender = may('messages.send', line.id);
  if (!first)
    return {
      text: (
        <p>
          {t.rich(
            'The first message to a person is a template that the platform has approved. This line has none yet. Create one under <templates>Templates</templates>, wait until it is approved, then sync.',
            { templates: (parts) => <a href={`/panel/templates?line=${line.id}`}>{parts}</a> },
          )}
        </p>
      ),
      button: (
        <ActionButton
          action="/panel/templates/sync"
          fields={{ line: String(line.id) }}
          tone={isNext ? 'primary' : 'plain'}
        >
          {t('Sync templates')}
        </ActionButton>
      ),
    };
  return {
    text: (
      <>
        <p>
          {t(
            'Send an approved template to your own phone. A free text reaches only a contact who wrote in the last 24 hours.',
          )}
        </p>
        {isSender && (
          <OwnPhoneForm
            line={line}
            choices={templates.map((one) => ({
              value: templateKey(one),
              label: `${one.name} (${one.language})`,
            }))}
            first={templateKey(first)}
            isNext={isNext}
          />
        )}
      </>
    ),
    button: null,
  };
}

interface OwnPhoneProps {
  line: Line;
  choices: { value: string; label: string }[];
  first: string;
  isNext: boolean;
}

/** Opens the compose page with the number and the template. */
function OwnPhoneForm({ line, choices, first, isNext }: OwnPhoneProps): VNode {
  const state = new FormState({ template: first });
  return (
    <form class="form close" method="get" action={`/panel/lines/${line.id}/send`}>
      <input type="hidden" name="kind" value="template" />
      <TextField
        state={state}
        name="to"
        label={t('Your WhatsApp number')}
        type="tel"
        placeholder="12025550123"
        hint={t(
          'With country code. Meta’s test number only reaches numbers that you have added at API Setup → To → Manage phone number list.',
        )}
      />
      <SelectField state={state} name="template" label={t('Template')} choices={choices} />
      <Submit tone={isNext ? 'primary' : 'plain'}>{t('Write the message')}</Submit>
    </form>
  );
}

async function toSandboxPhone({ deps, may }: UserContext, line: Line, isNext: boolean): Promise<Instruction> {
  const tone = isNext ? 'primary' : 'plain';
  const isSender = may('messages.send', line.id);
  const lastInbound = await deps.windows.lastInboundAt(line.id, DEMO_CONTACT);
  if (!isOpen(lastInbound, deps.windows.now()))
    return {
      text: (
        <p>
          {t(
            'You can send free text only if the contact wrote in the last 24 hours, so the contact starts. On the sandbox phone, send the “Hello” that is already typed, then come back.',
          )}
        </p>
      ),
      button: isSender && (
        <a class={`button ${tone}`} href={phoneAddress(line, DEMO_CONTACT)}>
          {t('Write as the contact')}
        </a>
      ),
    };
  return {
    text: (
      <p>
        {t.rich(
          'A question with two buttons, to the sandbox phone of {contact}: nothing leaves this machine.',
          { contact: <span class="number">{contactText(DEMO_CONTACT)}</span> },
        )}
      </p>
    ),
    button: isSender && (
      <>
        <ActionButton
          action={`/panel/lines/${line.id}/send`}
          fields={{ ...firstMessage(), to: DEMO_CONTACT, once: `first ${lastInbound}` }}
          tone={tone}
        >
          {t('Send message')}
        </ActionButton>
        <a class="button plain" href={`/panel/lines/${line.id}/send`}>
          {t('Write another one')}
        </a>
      </>
    ),
  };
}

/** Where the message is answered or, if it was, where the answer is. */
export function answerLink(
  { deps, may }: UserContext,
  line: Line,
  { isAnswered, contact }: FirstStepsDone,
  link: StepLink<'answer'>,
): VNode | false {
  if (deps.sandboxUrl === null)
    return link('answer', `/panel/events?line=${line.id}`, t('View received events'));
  return (
    may(isAnswered ? 'messages.read' : 'messages.send', line.id) &&
    link('answer', phoneAddress(line, contact), t('Open the sandbox phone'))
  );
}

/** The fields of the compose form. */
const firstMessage = () => ({
  kind: 'buttons',
  question: t('Hello from the *Messaging Gateway*! Did this reach you?'),
  button_1: t('Yes, it did'),
  button_2: t('Learn more'),
});
