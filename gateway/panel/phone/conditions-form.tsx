import { type ComponentChildren, type VNode } from 'preact';
import { type Line } from '../../lines/line';
import { FormState } from '../form-state';
import { Confirm, Form, SelectField, Submit, TextField } from '../ui/form';
import { Live } from '../ui/live';
import { Badge, Hour } from '../ui/parts';
import { type UserContext } from '../request-context';
import { type Switches, type NetworkConditions } from './sandbox-client';

/** What can become of a message, in the words of whoever chooses it. */
const PATHS: Record<string, string> = {
  read: 'Sent, delivered, read',
  delivered: 'Read receipts off',
  sent: 'Phone switched off',
  failed: 'Fails after it was sent',
  refused: 'Refused at once',
  repeated: 'Each status twice',
  out_of_order: 'Statuses out of order',
  read_without_delivered: 'Read, never delivered',
  in_one_notification: 'All in one notification',
  before_the_answer: '“Sent” before the answer',
  played: 'Audio is played',
};

const REASONS: Record<string, string> = {
  131026: 'Cannot be reached',
  131047: 'Window closed',
  131049: 'Too much marketing',
  131050: 'Marketing stopped',
  130472: 'In an experiment',
  131053: 'File not fetched',
  131056: 'Too many to one',
  130429: 'Too many a second',
  131031: 'Account locked',
  131000: 'Something went wrong',
};

const TIMES = { always: 'from now on', 1: 'the next message', 10: 'the next 10 messages' };

const OUTAGES: Record<string, string> = {
  slow: 'Answers take 2 seconds',
  'very slow': 'Answers take 20 seconds',
  unavailable: 'Answers are HTTP 503',
  silent: 'Nothing is answered',
  cut: 'Connections are cut',
  refused: 'Nobody listens',
};

const choicesOf = (words: Record<string, string>) =>
  Object.entries(words).map(([value, label]) => ({ value, label }));
const reasons = Object.entries(REASONS).map(([code, label]) => ({
  value: code,
  label: `${code} ${label}`,
}));

interface ConditionsProps {
  context: UserContext;
  line: Line;
  contact: string;
  switches: Switches;
  conditions: NetworkConditions;
  /** Where they are sent. */
  action: string;
  /** What comes before them. */
  children?: ComponentChildren;
}

/** The awkward cases: each is one form, and what is set is said above them. */
export function ConditionsPanel(props: ConditionsProps): VNode {
  const { context, action, switches, children } = props;
  return (
    <div class="phone-switches">
      {children}
      <Live id="set">
        <WhatIsSet {...props} />
      </Live>
      {context.mayChange && (
        <>
          <Fold title="Messages to this contact">
            <PathForm context={context} action={action} switches={switches} />
            <Confirm
              context={context}
              id="forget"
              action={action}
              button="Forget this contact"
              tone="danger"
              title="Forget this contact?"
              confirm="Forget it"
              fields={{ do: 'forget' }}
            >
              <p>
                Its messages, its window and what is set for it are gone from the sandbox. What the gateway
                knows of it stays.
              </p>
            </Confirm>
          </Fold>
          <Fold title="Time">
            <p class="quiet small">Time passes for every contact of the sandbox, and does not come back.</p>
            <Form context={context} action={action} class="cluster">
              <input type="hidden" name="do" value="clock" />
              <button class="button plain" name="advance" value="1h">
                1 hour later
              </button>
              <button class="button plain" name="advance" value="24h">
                24 hours later
              </button>
            </Form>
          </Fold>
          <Fold title="The platform in trouble">
            <OutageForm context={context} action={action} />
          </Fold>
          <Fold title="Flood">
            <FloodForm context={context} action={action} />
          </Fold>
        </>
      )}
    </div>
  );
}

interface FoldProps {
  title: ComponentChildren;
  id?: string;
  isOpen?: boolean;
  children: ComponentChildren;
}

/** A card that is opened when it is needed; another closes then. */
export function Fold({ title, id, isOpen, children }: FoldProps): VNode {
  return (
    <details class="card fold" id={id} open={isOpen} name="beside">
      <summary>
        <h2>{title}</h2>
      </summary>
      {children}
    </details>
  );
}

function PathForm({
  context,
  action,
  switches: { path },
}: Pick<ConditionsProps, 'context' | 'action' | 'switches'>): VNode {
  const state = new FormState({ path: path.path, code: String(path.code ?? 131026), times: 'always' });
  return (
    <Form context={context} action={action} class="form close">
      <input type="hidden" name="do" value="path" />
      <SelectField state={state} name="path" label="What becomes of them" choices={choicesOf(PATHS)} />
      <SelectField state={state} name="code" label="Reason, where it fails" choices={reasons} />
      <SelectField state={state} name="times" label="For" choices={choicesOf(TIMES)} />
      <Submit tone="plain">Set</Submit>
    </Form>
  );
}

function OutageForm({ context, action }: { context: UserContext; action: string }): VNode {
  const state = new FormState({ trouble: 'slow', for: '1m' });
  return (
    <Form context={context} action={action} class="form close">
      <input type="hidden" name="do" value="trouble" />
      <SelectField state={state} name="trouble" label="What happens" choices={choicesOf(OUTAGES)} />
      <SelectField
        state={state}
        name="for"
        label="For how long"
        choices={choicesOf({ '20s': '20 seconds', '1m': '1 minute', '5m': '5 minutes' })}
      />
      <Submit tone="plain">Begin</Submit>
    </Form>
  );
}

function FloodForm({ context, action }: { context: UserContext; action: string }): VNode {
  const state = new FormState({ messages: '100' });
  return (
    <Form context={context} action={action} class="form close">
      <input type="hidden" name="do" value="flood" />
      <TextField
        state={state}
        name="messages"
        label="Messages of a hundred contacts at once"
        hint="1 to 1000. Each is forwarded to your destinations."
        inputmode="numeric"
      />
      <Submit tone="plain">Send them</Submit>
    </Form>
  );
}

/** What differs from the usual. */
function WhatIsSet({ context, line, contact, switches, conditions, action }: ConditionsProps): VNode {
  const { path, next } = switches;
  const failures = conditions.failures.filter(
    (one) => one.line === line.phoneNumberId && (one.contact === undefined || one.contact === contact),
  );
  const isAhead = conditions.clock.ahead !== '0s';
  const isOdd = next !== null || path.path !== 'read' || failures.length > 0;
  const isBad = conditions.latency !== null || conditions.outage !== null;
  if (!isOdd && !isAhead && !isBad)
    return (
      <p class="quiet small">
        As usual: messages are sent, delivered and read; the platform answers at once.
      </p>
    );
  return (
    <section class="card" aria-label="Right now">
      <ul class="set-list">
        {isOdd && (
          <li>
            <Badge tone="warn">Set</Badge>{' '}
            {failures.map((one, index) => (
              <span key={index}>
                The next {one.times === 1 ? 'send is' : `${one.times} sends are`} refused
                {one.code !== undefined && ` with ${one.code}`}.{' '}
              </span>
            ))}
            {next && (
              <span>
                The next {next.times === 1 ? 'message' : `${next.times} messages`}: {wordsOf(next)}.{' '}
              </span>
            )}
            <span>{wordsOf(path)}.</span>
          </li>
        )}
        {isAhead && (
          <li>
            <Badge tone="info">Ahead</Badge> The sandbox is {conditions.clock.ahead} ahead.
          </li>
        )}
        {isBad && (
          <li>
            <Badge tone="bad">In trouble</Badge>{' '}
            {conditions.latency && (
              <>
                Answers take {conditions.latency.delay} until <Hour at={conditions.latency.until} />.{' '}
              </>
            )}
            {conditions.outage && (
              <>
                {OUTAGES[conditions.outage.kind] ?? conditions.outage.kind} until{' '}
                <Hour at={conditions.outage.until} />.
              </>
            )}
          </li>
        )}
      </ul>
      {context.mayChange && (isOdd || isBad) && (
        <Form context={context} action={action} class="inline">
          <input type="hidden" name="do" value="usual" />
          <Submit tone="plain">Back to the usual</Submit>
        </Form>
      )}
    </section>
  );
}

const wordsOf = ({ path, code }: { path: string; code?: number }): string =>
  `${PATHS[path] ?? path}${code === undefined ? '' : ` (${code})`}`;
