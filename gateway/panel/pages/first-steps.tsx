import { type ComponentChildren, type VNode } from 'preact';
import { Card, Notice, PageHead } from '../look/parts';
import { Live } from '../look/live';
import { look, page, type Outcome, type PanelRoute, type Visit } from '../visit';
import { SendSnippet } from './send-snippet';

/** From nothing to the first message: what is done, and what comes next. */
export const firstStepPages: PanelRoute[] = [look('/start', showSteps, { live: true })];

interface Step {
  title: string;
  isDone: boolean;
  /** Where it is done. */
  href: string;
  button: string;
  text: ComponentChildren;
}

async function showSteps(visit: Visit): Promise<Outcome> {
  const steps = await stepsOf(visit);
  const next = steps.findIndex(({ isDone }) => !isDone);
  return page(
    'First steps',
    <>
      <PageHead title="First steps">
        From here to the first message in four steps. This page follows by itself.
      </PageHead>
      <Live id="steps">
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
              <StepOf key={step.title} step={step} number={index + 1} isNext={index === next} visit={visit} />
            ))}
          </ol>
        </Card>
      </Live>
    </>,
  );
}

function StepOf({
  step,
  number,
  isNext,
  visit,
}: {
  step: Step;
  number: number;
  isNext: boolean;
  visit: Visit;
}): VNode {
  const { title, isDone, href, button, text } = step;
  return (
    <li data-state={isDone ? 'done' : isNext ? 'next' : 'later'}>
      <span class="step-sign" aria-hidden="true">
        {isDone ? '✓' : number}
      </span>
      <div class="step-body">
        <h2>
          {title}
          {isDone && <span class="sr-only"> (done)</span>}
        </h2>
        {text}
        <div class="actions">
          {(isDone || visit.mayChange) && (
            <a class={`button ${isNext ? 'primary' : 'plain'}`} href={href}>
              {button}
            </a>
          )}
        </div>
      </div>
    </li>
  );
}

async function stepsOf(visit: Visit): Promise<Step[]> {
  const { world } = visit;
  const [line] = world.lines.all();
  const tokens = line ? await world.store.tokens.ofLine(line.id) : [];
  const forwarding = line
    ? world.destinations.ofLine(line.id).find(({ origin }) => origin !== 'token')
    : undefined;
  const isUsed = tokens.some((token) => token.last_used_at !== null);
  const at = line ? `/panel/lines/${line.id}` : '/panel/lines/new';
  return [
    {
      title: 'Add a line',
      isDone: line !== undefined,
      href: at,
      button: line ? `Look at ${line.name}` : 'Add a line',
      text: line ? (
        <p>{line.name} is there.</p>
      ) : (
        <p>
          A line is one phone number that you send through. The form tells what to copy from where
          {world.sandboxUrl === null ? '.' : '; with the sandbox you need no account for it.'}
        </p>
      ),
    },
    {
      title: 'Make a token',
      isDone: tokens.some((token) => token.revoked_at === null),
      href: line ? `${at}/tokens` : '/panel/lines',
      button: 'Tokens',
      text: <p>With its token a program, or n8n, sends through the line. It is shown once.</p>,
    },
    {
      title: 'Say where events go',
      isDone: forwarding !== undefined,
      href: line ? `${at}/edit` : '/panel/lines',
      button: forwarding ? 'Change the forwarding URL' : 'Set the forwarding URL',
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
      href: world.sandboxUrl === null ? '/panel/messages' : '/panel/phone',
      button: world.sandboxUrl === null ? 'Messages' : 'Open the sandbox phone',
      text: line ? (
        <SendSnippet visit={visit} lineId={line.id} phoneNumberId={line.phoneNumberId} token={null} />
      ) : (
        <p>Here will be a command to copy.</p>
      ),
    },
  ];
}
