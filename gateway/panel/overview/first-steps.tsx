import { type ComponentChildren, type VNode } from 'preact';
import { type Line } from '../../lines/line';
import { Card, Notice, PageHead } from '../ui/parts';
import { Live } from '../ui/live';
import { Form, Submit } from '../ui/form';
import { SCOPES } from '../../store/schema';
import { viewerPage, page, type Outcome, type PanelRoute, type UserContext } from '../request-context';
import { sendSnippet } from '../ui/send-snippet';

/** From nothing to the first message: what is done, and what comes next. */
export const firstStepPages: PanelRoute[] = [viewerPage('/start', showSteps, { live: true })];

interface Step {
  title: string;
  isDone: boolean;
  /** What can be done, or looked at: nothing where this visitor may not. */
  button: VNode | false | null;
  text: ComponentChildren;
}

async function showSteps(context: UserContext): Promise<Outcome> {
  const { steps, next } = await stepsOf(context);
  return page(
    'First steps',
    <>
      <PageHead title="First steps">
        From here to the first message in four steps. This page follows by itself.
      </PageHead>
      <Live id="steps">
        <div class="stack">
          {next < 0 && (
            <Notice tone="good">
              <p>
                <strong>All is set up.</strong> The <a href="/panel/overview">overview</a> tells how it goes
                from now on.
              </p>
            </Notice>
          )}
          <Card flush>
            <ol class="steps">
              {steps.map((step, index) => (
                <StepOf key={step.title} step={step} number={index + 1} isNext={index === next} />
              ))}
            </ol>
          </Card>
        </div>
      </Live>
    </>,
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
          {isDone && <span class="sr-only"> (done)</span>}
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
  const tokens = line ? await deps.store.tokens.ofLine(line.id) : [];
  const destinations = line ? deps.destinations.ofLine(line.id) : [];
  const forwarding = destinations.find(({ origin }) => origin !== 'token');
  const hasToken = tokens.some((token) => token.revoked_at === null);
  const isUsed = tokens.some((token) => token.last_used_at !== null);
  const next = [line !== undefined, hasToken, forwarding !== undefined, isUsed].indexOf(false);
  const toneOf = (step: number) => (step === next ? 'primary' : 'plain');
  // A token is shown once, as it is made: so a command that works as it is comes with a new one.
  const makeToken = (lineId: number, step: number, label: string) => (
    <Form context={context} action="/panel/tokens" class="inline">
      <input type="hidden" name="line" value={lineId} />
      <input type="hidden" name="expires" value="" />
      {SCOPES.map((scope) => (
        <input key={scope} type="hidden" name="scope" value={scope} />
      ))}
      <input type="hidden" name="from" value="start" />
      <Submit tone={toneOf(step)}>{label}</Submit>
    </Form>
  );
  const commandFor = async (of: Line) => {
    const snippet = await sendSnippet({
      context,
      lineId: of.id,
      phoneNumberId: of.phoneNumberId,
      token: null,
    });
    if (!mayChange) return snippet;
    return (
      <>
        <p>A command to copy, with a token of its own in it: it works as it is.</p>
        <div>{makeToken(of.id, 3, 'Make a token and show the command')}</div>
        <details class="more">
          <summary>I have a token already</summary>
          <div class="stack">{snippet}</div>
        </details>
      </>
    );
  };
  const link = (step: number, href: string, label: string) => (
    <a class={`button ${toneOf(step)}`} href={href}>
      {label}
    </a>
  );
  const steps: Step[] = [
    {
      title: 'Add a line',
      isDone: line !== undefined,
      button: line
        ? link(0, `/panel/lines/${line.id}`, `Look at ${line.name}`)
        : mayChange && link(0, '/panel/lines/new', 'Add a line'),
      text: line ? (
        <p>{line.name} is there.</p>
      ) : (
        <p>
          A line is one phone number that you send through. The form tells what to copy from where
          {deps.sandboxUrl === null ? '.' : '; with the sandbox you need no account for it.'}
        </p>
      ),
    },
    {
      title: 'Make a token',
      isDone: hasToken,
      button: hasToken
        ? link(1, `/panel/tokens?line=${line?.id}`, 'Tokens')
        : line !== undefined && mayChange && makeToken(line.id, 1, 'Make a token'),
      text: <p>With its token a program, or n8n, sends through the line. It is shown once.</p>,
    },
    {
      title: 'Say where events go',
      isDone: forwarding !== undefined,
      button:
        line && mayChange
          ? link(
              2,
              `/panel/lines/${line.id}/edit`,
              forwarding ? 'Change the forwarding URL' : 'Set the forwarding URL',
            )
          : null,
      text: (
        <p>
          Replies and delivery statuses are sent to your forwarding URL. <em>Send test event</em> shows that
          it is heard. An n8n workflow that begins with the trigger node registers itself: then this step can
          be left out.
        </p>
      ),
    },
    {
      title: 'Send the first message',
      isDone: isUsed,
      button:
        deps.sandboxUrl === null
          ? link(4, '/panel/messages', 'Messages')
          : link(4, '/panel/phone', 'Open the sandbox phone'),
      text: line ? await commandFor(line) : <p>Here will be a command to copy.</p>,
    },
  ];
  return { steps, next };
}
