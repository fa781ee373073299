import { type VNode } from 'preact';
import { type Destination } from '../../forwarding/destination';
import { type Line } from '../../lines/line';
import { page, type PanelResponse } from '../outcome';
import { pageRoute, type PanelRoute } from '../panel-route';
import { type UserContext } from '../request-context';
import { Live } from '../ui/live';
import { Card, Notice, PageHead } from '../ui/parts';
import { firstStepsDone } from '../send/first-steps-done';
import { t } from '../languages/t';
import { callbackStep, lineStep } from './connect-number';
import { programs } from './first-program';
import { answerLink, sendStep } from './first-send';
import { type StepLink, type StepWords } from './first-step';
import { GoLive } from './go-live';

/**
 * Guides a user from an empty gateway to the first answered message: the completed steps, and the next one.
 */
export const firstStepPages: PanelRoute[] = [
  pageRoute('events.read', '/start', showSteps, { isGatewayWide: true, live: true }),
];

type StepName = 'line' | 'callback' | 'send' | 'answer' | 'program' | 'forward';

interface Step extends StepWords {
  name: StepName;
  isDone: boolean;
  isNext: boolean;
}

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
        {steps.some(({ isDone, name }) => isDone && name === 'answer') && <GoLive />}
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
  const next = Object.entries(isDone).find(([, is]) => !is)?.[0];
  const link: StepLink<StepName> = (step, href, label) => (
    <a class={`button ${step === next ? 'primary' : 'plain'}`} href={href}>
      {label}
    </a>
  );
  const words: Record<StepName, StepWords> = {
    line: lineStep(context, line, link),
    callback: await callbackStep(context, line, isDone.callback === true),
    send: await sendStep(context, line, isDone.send, next === 'send'),
    answer: {
      title: t('Answer it'),
      text:
        !isDone.answer &&
        (deps.sandboxUrl === null ? (
          <p>
            {t(
              'Answer on the phone that received it. This step is done as soon as the answer arrives. After each answer, you can write freely for 24 hours.',
            )}
          </p>
        ) : (
          <p>
            {t(
              'On the sandbox phone you are the contact. Tap a button under the message, or reply. The gateway receives your answer as from a real phone.',
            )}
          </p>
        )),
      button: done ? answerLink(context, line, done, link) : null,
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
  const names = Object.keys(isDone) as (keyof typeof isDone)[];
  return names.map((name) => ({
    ...words[name],
    name,
    isDone: isDone[name] === true,
    isNext: name === next,
  }));
}

/** A link to set or change the destination. */
function goalButton({ id }: Line, destinations: Destination[], link: StepLink<'forward'>): VNode {
  if (destinations.some(({ origin }) => origin === 'forwarding'))
    return link('forward', `/panel/lines/${id}/edit`, t('Change the forwarding URL'));
  if (destinations.length)
    return link('forward', `/panel/lines/${id}#destinations`, t('See where events go'));
  return link('forward', `/panel/lines/${id}/edit`, t('Set the forwarding URL'));
}
