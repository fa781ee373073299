import { type ComponentChildren, type VNode } from 'preact';
import { type Line } from '../../lines/line';
import { t } from '../languages/t';
import { failureNames } from '../ui/words/failure-names';
import { FormState } from '../form-state';
import { ActionButton, Confirm, Form, SelectField, Submit, TextField } from '../ui/form';
import { Live } from '../ui/live';
import { Badge, Hour, Notice } from '../ui/parts';
import { type Switches, type NetworkReport } from '../send/sandbox-client';
import { useRequest } from '../ui/page-request';

/** The simulated results of a message, and their labels. */
const paths = (): Record<string, string> => ({
  read: t('Sent, delivered, read'),
  delivered: t('Read receipts off'),
  sent: t('Phone switched off'),
  failed: t('Fails after it was sent'),
  refused: t('Refused at once'),
  repeated: t('Each status twice'),
  out_of_order: t('Statuses out of order'),
  read_without_delivered: t('Read, never delivered'),
  in_one_notification: t('All in one notification'),
  before_the_answer: t('“Sent” before the answer'),
  played: t('Audio is played'),
  late: t('Statuses come late'),
  lost: t('Statuses never come'),
});

/** Error codes that the sandbox can simulate. */
const REASONS = [131026, 131047, 131049, 131050, 130472, 131053, 131056, 130429, 131031, 131000];

const times = (): Record<string, string> => ({
  always: t('from now on'),
  1: t('the next message'),
  10: t('the next 10 messages'),
});

const outages = (): Record<string, string> => ({
  slow: t('Answers take 2 seconds'),
  'very slow': t('Answers take 20 seconds'),
  unavailable: t('Answers are HTTP 503'),
  silent: t('Nothing is answered'),
  cut: t('Connections are cut'),
  refused: t('No receiver'),
});

const choicesOf = (words: Record<string, string>) =>
  Object.entries(words).map(([value, label]) => ({ value, label }));
const reasons = () =>
  REASONS.map((code) => ({ value: String(code), label: `${code} ${failureNames()[code]}` }));

interface ConditionsProps {
  line: Line;
  contact: string;
  switches: Switches;
  conditions: NetworkReport;
  /** The path that the forms submit to. */
  action: string;
  /** Why the last form was refused, shown in that form. */
  refusal: string | null;
  /** Shown above the forms. */
  children?: ComponentChildren;
}

/** The simulations, one form each. Active ones are listed above the forms. */
export function ConditionsPanel(props: ConditionsProps): VNode {
  const { action, switches, refusal, children } = props;
  const { form: sent, may } = useRequest();
  const refused = refusal === null ? null : sent.get('do');
  /** A folded form, opened if it was refused. */
  const fold = (of: string, title: string, form: ComponentChildren) => (
    <Fold title={title} isOpen={of === refused}>
      {of === refused && <Notice tone="bad">{refusal}</Notice>}
      {form}
    </Fold>
  );
  return (
    <div class="phone-switches">
      {children}
      <h2>{t('Simulate')}</h2>
      <Live id="set">
        <WhatIsSet {...props} />
      </Live>
      {may('messages.send') && (
        <>
          {fold(
            'path',
            t('Messages to this contact'),
            <>
              <PathForm action={action} switches={switches} />
              <Confirm
                id="forget"
                action={action}
                button={t('Forget this contact')}
                tone="danger"
                title={t('Forget this contact?')}
                confirm={t('Forget it')}
                fields={{ do: 'forget' }}
              >
                <p>
                  {t(
                    'The sandbox deletes its messages, window and settings. The gateway keeps its own records.',
                  )}
                </p>
              </Confirm>
            </>,
          )}
          {may('gateway') && (
            <>
              {fold(
                'clock',
                t('Time'),
                <>
                  <p class="quiet small">
                    {t('Time moves forward for every contact of the sandbox. It cannot be moved back.')}
                  </p>
                  <Form action={action} class="cluster" fields={{ do: 'clock' }}>
                    <button class="button plain" name="advance" value="1h">
                      {t('1 hour later')}
                    </button>
                    <button class="button plain" name="advance" value="24h">
                      {t('24 hours later')}
                    </button>
                  </Form>
                </>,
              )}
              {fold('trouble', t('Failures of the platform'), <OutageForm action={action} />)}
            </>
          )}
          {fold('flood', t('Flood'), <FloodForm action={action} />)}
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

/** A folded card. Opening one closes the others. */
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

function PathForm({ action, switches: { path } }: Pick<ConditionsProps, 'action' | 'switches'>): VNode {
  const state = new FormState({ path: path.path, code: String(path.code ?? 131026), times: 'always' });
  return (
    <Form action={action} class="form close" fields={{ do: 'path' }}>
      <SelectField state={state} name="path" label={t('Result')} choices={choicesOf(paths())} />
      <SelectField state={state} name="code" label={t('Reason of the failure')} choices={reasons()} />
      <SelectField state={state} name="times" label={t('For')} choices={choicesOf(times())} />
      <Submit tone="plain">{t.of('button', 'Set')}</Submit>
    </Form>
  );
}

function OutageForm({ action }: { action: string }): VNode {
  const state = new FormState({ trouble: 'slow', for: '1m' });
  return (
    <Form action={action} class="form close" fields={{ do: 'trouble' }}>
      <SelectField state={state} name="trouble" label={t('What happens')} choices={choicesOf(outages())} />
      <SelectField
        state={state}
        name="for"
        label={t('For how long')}
        choices={choicesOf({ '20s': t('20 seconds'), '1m': t('1 minute'), '5m': t('5 minutes') })}
      />
      <Submit tone="plain">{t('Start')}</Submit>
    </Form>
  );
}

function FloodForm({ action }: { action: string }): VNode {
  const typed = useRequest().form.get('messages');
  const state = new FormState({ messages: typeof typed === 'string' ? typed : '100' });
  return (
    <Form action={action} class="form close" fields={{ do: 'flood' }}>
      <TextField
        state={state}
        name="messages"
        label={t('How many messages')}
        hint={t('1 to 1,000, all at once, from a hundred contacts.')}
        inputmode="numeric"
      />
      <Submit tone="plain">{t('Send them')}</Submit>
    </Form>
  );
}

/** The active simulations. */
function WhatIsSet({ line, contact, switches, conditions, action }: ConditionsProps): VNode {
  const { may } = useRequest();
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
        {t('Normal: messages are sent, delivered and read, and the platform answers immediately.')}
      </p>
    );
  return (
    <section class="card" aria-label={t('Right now')}>
      <ul class="set-list">
        {isOdd && (
          <li>
            <Badge tone="warn">{t('Set')}</Badge>{' '}
            {failures.map((one, index) => (
              <span key={index}>
                {one.code === undefined
                  ? t('{times, plural, one {The next send is} other {The next # sends are}} refused.', {
                      times: one.times,
                    })
                  : t(
                      '{times, plural, one {The next send is} other {The next # sends are}} refused with {code}.',
                      {
                        times: one.times,
                        code: one.code,
                      },
                    )}{' '}
              </span>
            ))}
            {next && (
              <span>
                {t('{times, plural, one {The next message} other {The next # messages}}: {what}.', {
                  times: next.times,
                  what: wordsOf(next),
                })}{' '}
              </span>
            )}
            <span>{wordsOf(path)}.</span>
          </li>
        )}
        {isAhead && (
          <li>
            <Badge tone="info">{t('Ahead')}</Badge>{' '}
            {t('The sandbox is {time} ahead.', { time: conditions.clock.ahead })}
          </li>
        )}
        {isBad && (
          <li>
            <Badge tone="bad">{t('Failing')}</Badge>{' '}
            {conditions.latency && (
              <>
                {t.rich('Answers take {delay} until {hour}.', {
                  delay: conditions.latency.delay,
                  hour: <Hour at={conditions.latency.until} />,
                })}{' '}
              </>
            )}
            {conditions.outage &&
              t.rich('{what} until {hour}.', {
                what: outages()[conditions.outage.kind] ?? conditions.outage.kind,
                hour: <Hour at={conditions.outage.until} />,
              })}
          </li>
        )}
      </ul>
      {may('messages.send') && may('gateway') && (isOdd || isBad) && (
        <ActionButton action={action} fields={{ do: 'usual' }} tone="plain">
          {t('Back to normal')}
        </ActionButton>
      )}
    </section>
  );
}

const wordsOf = ({ path, code }: { path: string; code?: number }): string =>
  `${paths()[path] ?? path}${code === undefined ? '' : ` (${code})`}`;
