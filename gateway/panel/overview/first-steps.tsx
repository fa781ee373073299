import { type ComponentChildren, type VNode } from 'preact';
import { type Destination } from '../../forwarding/destination';
import { type Line } from '../../lines/line';
import { isOpen } from '../../messages/customer-service-window';
import { USUAL_SCOPES } from '../../store/schema';
import { DEMO_CONTACT, phoneAddress } from '../send/phone-address';
import { page, type PanelResponse } from '../outcome';
import { pageRoute, type PanelRoute } from '../panel-route';
import { type UserContext } from '../request-context';
import { ActionButton, Form, Submit } from '../ui/form';
import { Live } from '../ui/live';
import { Card, Copy, Facts, Notice, PageHead } from '../ui/parts';
import { CallbackValues } from '../send/callback-values';
import { demoTokenOf } from '../send/demo-token';
import { firstStepsDone } from '../send/first-steps-done';
import { sendSnippet } from '../send/send-snippet';
import { t } from '../languages/t';
import { contactText } from '../ui/contact';

/**
 * Guides a user from an empty gateway to the first answered message: the completed steps, and the next one.
 */
export const firstStepPages: PanelRoute[] = [
  pageRoute('events.read', '/start', showSteps, { isGatewayWide: true, live: true }),
];

interface Step {
  title: string;
  isDone: boolean;
  isNext: boolean;
  /** The instruction or, if done, the result. */
  text: ComponentChildren;
  /** The button or link; null or false if this user may not use it. */
  button: VNode | false | null;
}

type StepWords = Omit<Step, 'isDone' | 'isNext'>;

async function showSteps(context: UserContext): Promise<PanelResponse> {
  const steps = await stepsOf(context);
  const done = steps.filter(({ isDone }) => isDone).length;
  return page(
    <PageHead title={t('First steps')}>
      {t('Send your first message and get an answer, without a terminal. This page updates itself.')}
    </PageHead>,
    <Live id="steps">
      <div class="stack">
        {done === steps.length && (
          <Notice tone="good">
            <p>
              {t.rich(
                '<strong>Setup is complete.</strong> The <link>overview</link> shows the status from now on.',
                { link: (parts) => <a href="/panel/overview">{parts}</a> },
              )}
            </p>
          </Notice>
        )}
        <Card flush>
          <p class="steps-count quiet small">
            {t('{done} of {all} done', { done, all: steps.length })}
            <progress value={done} max={steps.length} aria-hidden="true" />
          </p>
          <ol class="steps">
            {steps.map((step, index) => (
              <StepOf key={step.title} step={step} number={index + 1} />
            ))}
          </ol>
        </Card>
      </div>
    </Live>,
  );
}

function StepOf({ step, number }: { step: Step; number: number }): VNode {
  const { title, isDone, isNext, button, text } = step;
  const toCome = isNext ? 'next' : 'later';
  return (
    <li data-state={isDone ? 'done' : toCome}>
      <span class="step-sign" aria-hidden="true">
        {isDone ? '✓' : number}
      </span>
      <div class="step-body">
        <h2>
          {title}
          {isDone && <span class="sr-only"> {t('(done)')}</span>}
        </h2>
        {text}
        {button && <div class="actions">{button}</div>}
      </div>
    </li>
  );
}

async function stepsOf(context: UserContext): Promise<Step[]> {
  const { deps, may } = context;
  const [line] = deps.lines.all();
  const done = line && (await firstStepsDone(context, line));
  const isDone = {
    line: line !== undefined,
    // The sandbox calls the gateway without a callback setup.
    ...(deps.sandboxUrl === null && { callback: done?.isConnected === true }),
    send: done?.isSent === true,
    answer: done?.isAnswered === true,
    program: done?.isUsed === true,
    forward: done?.isForwarded === true,
  };
  type Name = 'callback' | keyof typeof isDone;
  const next = Object.entries(isDone).find(([, is]) => !is)?.[0];
  const link = (step: Name, href: string, label: string) => (
    <a class={`button ${step === next ? 'primary' : 'plain'}`} href={href}>
      {label}
    </a>
  );
  const words: Record<Name, StepWords> = {
    line: {
      title: t('Add a line'),
      text: !line && (
        <p>
          {deps.sandboxUrl === null
            ? t(
                'A line is one phone number that you send through. The form shows what to copy and where to find it.',
              )
            : t(
                'A line is one phone number that you send through. The form shows what to copy and where to find it. The sandbox needs no account.',
              )}
        </p>
      ),
      button: line
        ? link('line', `/panel/lines/${line.id}`, t('View {name}', { name: line.name }))
        : may('lines.manage') && link('line', '/panel/lines/new', t('Add a line')),
    },
    callback: await callbackStep(context, line, isDone.callback === true),
    send: await sendStep(context, line, isDone.send, next === 'send'),
    answer: {
      title: t('Answer it'),
      text:
        !isDone.answer &&
        (deps.sandboxUrl === null ? (
          <p>
            {t('Answer on the phone that received it. After each answer, you can write freely for 24 hours.')}
          </p>
        ) : (
          <p>
            {t(
              'On the sandbox phone you are the contact. Tap a button under the message, or reply. The gateway receives your answer as from a real phone.',
            )}
          </p>
        )),
      button: done
        ? link(
            'answer',
            deps.sandboxUrl === null ? `/panel/events?line=${line.id}` : phoneAddress(line, done.contact),
            deps.sandboxUrl === null ? t('View received events') : t('Open the sandbox phone'),
          )
        : null,
    },
    program: {
      title: t('Send from n8n, or from your own program'),
      text: line ? (
        await programs(context, line, next === 'program')
      ) : (
        <p>{t('Here will be what to enter there.')}</p>
      ),
      button: null,
    },
    forward: {
      title: t('Set your webhook URL'),
      text: !isDone.forward && (
        <p>
          {t.rich(
            'Replies and delivery statuses are sent to your forwarding URL. Check it with <em>Send test event</em>. If you use the trigger node in n8n, skip this step: the node registers itself.',
            { em: (parts) => <em>{parts}</em> },
          )}
        </p>
      ),
      button:
        line && may('lines.manage', line.id)
          ? goalButton(
              line,
              deps.destinations.ofLine(line.id).filter(({ origin }) => origin !== 'token'),
              link,
            )
          : null,
    },
  };
  return Object.entries(isDone).map(([name, is]) => ({
    ...words[name as Name],
    isDone: is,
    isNext: name === next,
  }));
}

/** Done when the platform has called the gateway. The page updates live. */
async function callbackStep(
  { deps }: UserContext,
  line: Line | undefined,
  isConnected: boolean,
): Promise<StepWords> {
  const title = t('Connect the callback');
  const row = line && (await deps.store.lines.find(line.id));
  if (!row)
    return { title, text: <p>{t('The values to enter at the platform appear here.')}</p>, button: null };
  if (!isConnected)
    return {
      title,
      text: (
        <>
          <p>
            {t(
              'The platform sends replies and delivery statuses to the callback. Without it, no events arrive. This step is done as soon as the platform has verified the URL.',
            )}
          </p>
          <CallbackValues line={row} />
        </>
      ),
      button: null,
    };
  return {
    title,
    text: false,
    button: (
      <a class="button plain" href={`/panel/lines/${row.id}#handshake`}>
        {t('View the callback')}
      </a>
    ),
  };
}

/** A link to set or change the destination. */
function goalButton(
  { id }: Line,
  destinations: Destination[],
  link: (step: 'forward', href: string, label: string) => VNode,
): VNode {
  if (destinations.some(({ origin }) => origin === 'forwarding'))
    return link('forward', `/panel/lines/${id}/edit`, t('Change the forwarding URL'));
  if (destinations.length)
    return link('forward', `/panel/lines/${id}#destinations`, t('See where events go'));
  return link('forward', `/panel/lines/${id}/edit`, t('Set the forwarding URL'));
}

async function sendStep(
  context: UserContext,
  line: Line | undefined,
  isSent: boolean,
  isNext: boolean,
): Promise<StepWords> {
  const { deps, may } = context;
  const title = t('Send the first message');
  if (!line) return { title, text: <p>{t('One click, once there is a line.')}</p>, button: null };
  const tone = isNext ? 'primary' : 'plain';
  const compose = may('messages.send', line.id) && (
    <a class={`button ${tone}`} href={`/panel/lines/${line.id}/send`}>
      {t('Write a message')}
    </a>
  );
  if (isSent || deps.sandboxUrl === null)
    return {
      title,
      text: !isSent && (
        <p>
          {t(
            'You can send a template to anyone, but a text only to a contact who wrote in the last 24 hours.',
          )}
        </p>
      ),
      button: isSent ? (
        <a class="button plain" href={`/panel/messages?line=${line.id}`}>
          {t('View status')}
        </a>
      ) : (
        compose
      ),
    };
  const lastInbound = await deps.windows.lastInboundAt(line.id, DEMO_CONTACT);
  if (!isOpen(lastInbound, deps.windows.now()))
    return {
      title,
      text: (
        <p>
          {t(
            'You can send free text only if the contact wrote in the last 24 hours, so the contact starts. On the sandbox phone, send the “Hello” that is already typed, then come back.',
          )}
        </p>
      ),
      button: (
        <a class={`button ${tone}`} href={phoneAddress(line, DEMO_CONTACT)}>
          {t('Write as the contact')}
        </a>
      ),
    };
  return {
    title,
    text: (
      <p>
        {t.rich(
          'A question with two buttons, to the sandbox phone of {contact}: nothing leaves this machine.',
          { contact: <span class="number">{contactText(DEMO_CONTACT)}</span> },
        )}
      </p>
    ),
    button: may('messages.send', line.id) && (
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

/** The fields of the compose form. */
const firstMessage = () => ({
  kind: 'buttons',
  question: t('Hello from the *Messaging Gateway*! Did this reach you?'),
  button_1: t('Yes, it did'),
  button_2: t('Learn more'),
});

/** What a program needs to send messages, with the demo token if this user may see it. */
async function programs(context: UserContext, line: Line, isNext: boolean): Promise<VNode> {
  const { may, gatewayUrl } = context;
  const token = demoTokenOf(context, line);
  const snippet = await sendSnippet({ context, lineId: line.id, phoneNumberId: line.phoneNumberId, token });
  const n8n = (
    <Facts
      facts={[
        [t('Base URL'), <Copy id="base-url" text={gatewayUrl} label={t('base URL')} />],
        [t('Line'), <Copy id="line-id" text={line.phoneNumberId} label={t('line')} />],
        [
          t('Token'),
          token === null ? (
            t('the token that you generate')
          ) : (
            <Copy id="demo-token" text={token} label={t('token')} />
          ),
        ],
      ]}
    />
  );
  return (
    <>
      <p>
        {t('A program needs a token of the line.')}{' '}
        {token !== null && t('This is the token of the demo line, created at the first start.')}
      </p>
      {token === null && may('tokens.manage', line.id) && (
        <Form
          action="/panel/tokens"
          fields={{ line: String(line.id), expires: '', from: 'start' }}
          class="inline"
        >
          {USUAL_SCOPES.map((scope) => (
            <input key={scope} type="hidden" name="scope" value={scope} />
          ))}
          <Submit tone={isNext ? 'primary' : 'plain'}>{t('Generate a token and see how to use it')}</Submit>
        </Form>
      )}
      <div class="folds">
        <details open={isNext}>
          <summary>{t('In n8n')}</summary>
          <div class="stack close">
            <p>
              {t.rich(
                'Install the nodes <code>n8n-nodes-messaging-gateway</code> as described in the README, and add a credential <strong>Messaging Gateway API</strong> with:',
              )}
            </p>
            {n8n}
          </div>
        </details>
        <details>
          <summary>{t('With curl')}</summary>
          <div class="stack close">{snippet}</div>
        </details>
      </div>
    </>
  );
}
