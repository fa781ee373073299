import { type ComponentChildren, type VNode } from 'preact';
import { type Destination } from '../../forwarding/destination';
import { type Line } from '../../lines/line';
import { isOpen } from '../../messages/customer-service-window';
import { SCOPES } from '../../store/schema';
import { DEMO_CONTACT, phoneAddress } from '../ui/send/phone-address';
import { page, type Outcome } from '../outcome';
import { viewerPage, type PanelRoute } from '../panel-route';
import { type UserContext } from '../request-context';
import { ActionButton, Form, Submit } from '../ui/form';
import { Live } from '../ui/live';
import { Card, Copy, Facts, Notice, PageHead } from '../ui/parts';
import { demoTokenOf } from '../ui/send/demo-token';
import { firstStepsDone } from '../ui/send/first-steps-done';
import { sendSnippet } from '../ui/send/send-snippet';
import { t } from '../languages/t';
import { contactText } from '../ui/contact';

/** From nothing to the first answered message, by buttons: what is done, and what comes next. */
export const firstStepPages: PanelRoute[] = [viewerPage('/start', showSteps, { live: true })];

interface Step {
  title: string;
  isDone: boolean;
  /** What is to be done, or what it came to. */
  text: ComponentChildren;
  /** What can be done, or looked at: nothing where this visitor may not. */
  button: VNode | false | null;
}

async function showSteps(context: UserContext): Promise<Outcome> {
  const { steps, next } = await stepsOf(context);
  const done = steps.filter(({ isDone }) => isDone).length;
  return page(
    <PageHead title={t('First steps')}>
      {t('From here to the first answered message, without a terminal. This page follows by itself.')}
    </PageHead>,
    <Live id="steps">
      <div class="stack">
        {next < 0 && (
          <Notice tone="good">
            <p>
              {t.rich(
                '<strong>All is set up.</strong> The <link>overview</link> tells how it goes from now on.',
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
              <StepOf key={step.title} step={step} number={index + 1} isNext={index === next} />
            ))}
          </ol>
        </Card>
      </div>
    </Live>,
  );
}

function StepOf({ step, number, isNext }: { step: Step; number: number; isNext: boolean }): VNode {
  const { title, isDone, button, text } = step;
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

/** @returns the steps, and which of them comes next; -1 where all are done */
async function stepsOf(context: UserContext): Promise<{ steps: Step[]; next: number }> {
  const { deps, mayChange } = context;
  const [line] = deps.lines.all();
  const done = line && (await firstStepsDone(context, line));
  const { isSent = false, isAnswered = false, isUsed = false, isForwarded = false } = done ?? {};
  const isDone = [line !== undefined, isSent, isAnswered, isUsed, isForwarded];
  const next = isDone.indexOf(false);
  const link = (step: number, href: string, label: string) => (
    <a class={`button ${step === next ? 'primary' : 'plain'}`} href={href}>
      {label}
    </a>
  );
  const steps: Omit<Step, 'isDone'>[] = [
    {
      title: t('Add a line'),
      text: !line && (
        <p>
          {deps.sandboxUrl === null
            ? t('A line is one phone number that you send through. The form tells what to copy from where.')
            : t(
                'A line is one phone number that you send through. The form tells what to copy from where; with the sandbox you need no account for it.',
              )}
        </p>
      ),
      button: line
        ? link(0, `/panel/lines/${line.id}`, t('Look at {name}', { name: line.name }))
        : mayChange && link(0, '/panel/lines/new', t('Add a line')),
    },
    await sendStep(context, line, isSent, next === 1),
    {
      title: t('Answer it'),
      text:
        !isAnswered &&
        (deps.sandboxUrl === null ? (
          <p>
            {t('Answer on the phone that got it. Each answer opens 24 hours in which you may write freely.')}
          </p>
        ) : (
          <p>
            {t(
              'On the sandbox phone you are the contact: tap a button under the message, or write. What you do there comes in as from a real phone.',
            )}
          </p>
        )),
      button: done
        ? link(
            2,
            deps.sandboxUrl === null ? `/panel/events?line=${line.id}` : phoneAddress(line, done.contact),
            deps.sandboxUrl === null ? t('See what comes in') : t('Open the sandbox phone'),
          )
        : null,
    },
    {
      title: t('Send from n8n, or from your own program'),
      text: line ? (
        await programs(context, line, next === 3)
      ) : (
        <p>{t('Here will be what to enter there.')}</p>
      ),
      button: null,
    },
    {
      title: t('Say where events go'),
      text: !isForwarded && (
        <p>
          {t.rich(
            'Replies and delivery statuses are sent to your forwarding URL. <em>Send test event</em> shows that it is heard. An n8n workflow that begins with the trigger node registers itself: then this step can be left out.',
            { em: (parts) => <em>{parts}</em> },
          )}
        </p>
      ),
      button:
        line && mayChange
          ? goalButton(
              line,
              deps.destinations.ofLine(line.id).filter(({ origin }) => origin !== 'token'),
              link,
            )
          : null,
    },
  ];
  return { steps: steps.map((step, index) => ({ ...step, isDone: isDone[index] === true })), next };
}

/** Where it is set to whom events go: at what is set already. */
function goalButton(
  { id }: Line,
  destinations: Destination[],
  link: (step: number, href: string, label: string) => VNode,
): VNode {
  if (destinations.some(({ origin }) => origin === 'forwarding'))
    return link(4, `/panel/lines/${id}/edit`, t('Change the forwarding URL'));
  if (destinations.length) return link(4, `/panel/lines/${id}#destinations`, t('See where events go'));
  return link(4, `/panel/lines/${id}/edit`, t('Set the forwarding URL'));
}

async function sendStep(
  context: UserContext,
  line: Line | undefined,
  isSent: boolean,
  isNext: boolean,
): Promise<Omit<Step, 'isDone'>> {
  const { deps, mayChange } = context;
  const title = t('Send the first message');
  if (!line) return { title, text: <p>{t('One click, once there is a line.')}</p>, button: null };
  const tone = isNext ? 'primary' : 'plain';
  const compose = mayChange && (
    <a class={`button ${tone}`} href={`/panel/lines/${line.id}/send`}>
      {t('Write a message')}
    </a>
  );
  if (isSent || deps.sandboxUrl === null)
    return {
      title,
      text: !isSent && (
        <p>{t('A template reaches anybody; a text only who wrote to the line within 24 hours.')}</p>
      ),
      button: isSent ? (
        <a class="button plain" href={`/panel/messages?line=${line.id}`}>
          {t('See how far it came')}
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
            'You may write freely to whoever wrote within 24 hours: so the contact begins. On the sandbox phone, send the “Hello” that is typed there already, then come back.',
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
    button: mayChange && (
      <>
        <ActionButton
          action={`/panel/lines/${line.id}/send`}
          fields={{ ...firstMessage(), to: DEMO_CONTACT, once: `first ${lastInbound}` }}
          tone={tone}
        >
          {t('Send it')}
        </ActionButton>
        <a class="button plain" href={`/panel/lines/${line.id}/send`}>
          {t('Write another one')}
        </a>
      </>
    ),
  };
}

/** As the form of `compose/` has it. */
const firstMessage = () => ({
  kind: 'buttons',
  question: t('Hello from the *Messaging Gateway*! Did this reach you?'),
  button_1: t('Yes, it did'),
  button_2: t('Tell me more'),
});

/** What a program needs, with a token that works wherever one may be shown. */
async function programs(context: UserContext, line: Line, isNext: boolean): Promise<VNode> {
  const { mayChange, gatewayUrl } = context;
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
            t('the token that you make')
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
        {token !== null && t('This one is of the demo line, made at the first start.')}
      </p>
      {token === null && mayChange && (
        <Form
          action="/panel/tokens"
          fields={{ line: String(line.id), expires: '', from: 'start' }}
          class="inline"
        >
          {SCOPES.map((scope) => (
            <input key={scope} type="hidden" name="scope" value={scope} />
          ))}
          <Submit tone={isNext ? 'primary' : 'plain'}>{t('Make a token, and show how it is used')}</Submit>
        </Form>
      )}
      <div class="folds">
        <details open={isNext}>
          <summary>{t('In n8n')}</summary>
          <div class="stack close">
            <p>
              {t.rich(
                'Install the nodes <code>n8n-nodes-messaging-gateway</code> as the README says and add a credential <strong>Messaging Gateway API</strong> with:',
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
