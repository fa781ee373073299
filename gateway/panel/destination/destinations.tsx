import { type ComponentChildren, type VNode } from 'preact';
import {
  DEFAULT_EVENT_KINDS,
  EVENT_KINDS,
  MOST_PREVIOUS_SECRETS,
  destinationOf,
  isOfQuestions,
  stillSigning,
  type Destination,
  type PreviousSecret,
} from '../../forwarding/destination';
import { addDestination } from '../../forwarding/destinations/add-destination';
import { type DestinationInput } from '../../forwarding/destinations/destination-input';
import { editDestination } from '../../forwarding/destinations/edit-destination';
import { handshake, type OperatorReport } from '../../forwarding/destinations/handshake';
import { pauseDestination } from '../../forwarding/destinations/pause-destination';
import { removeDestination } from '../../forwarding/destinations/remove-destination';
import { rotateSecret } from '../../forwarding/destinations/rotate-secret';
import { testDestination } from '../../forwarding/destinations/test-destination';
import { type TestEvent } from '../../forwarding/destinations/test-event';
import { type DestinationRow } from '../../store/tables/destinations';
import { type LineRow } from '../../store/tables/lines';
import { DESTINATION_MODES } from '../../store/schema';
import { type PanelDeps } from '../dependencies';
import { FormState } from '../form-state';
import {
  ActionButton,
  CheckField,
  ChoiceField,
  Form,
  LongField,
  SelectField,
  Submit,
  SubmitOrCancel,
  TextField,
} from '../ui/form';
import { rangeIn } from '../ui/history/spans';
import { Live } from '../ui/live';
import { Badge, Card, Facts, Notice, PageHead, ShownOnce, Time } from '../ui/parts';
import { pageNotFound } from '../ui/frame/error-page';
import { EventsOfOne } from '../log/event-table';
import { page, seeOther, type PanelResponse } from '../outcome';
import { operatorAction, operatorPage, viewerPage, type PanelRoute } from '../panel-route';
import { type UserContext } from '../request-context';
import { attemptsOf, sumOf } from '../ui/history/attempts';
import { DestinationHistory } from './destination-history';
import { DestinationActions, RemoveDestination } from './destination-actions';
import { DestinationState, type DestinationStateProps } from './destination-state';
import { LatestAttempts } from './latest-attempts';
import { Recover, recover, recoverOf } from './recover';
import { hasFailed, type Faring } from './standing';
import { shownAddress } from '../ui/shown-address';
import { causeWords, isCause } from '../ui/words/causes';
import { kindWords, modeWords } from '../ui/words/choice-words';
import { attemptWord } from './held-back';
import { lineOfRoute } from '../ui/frame/line-head';
import { Said } from '../languages/said';
import { number } from '../languages/numbers';
import { t } from '../languages/t';

const ONE = '/lines/:id/destinations/:destination';

export const destinationPages: PanelRoute[] = [
  operatorPage('/lines/:id/destinations/new', async (context) =>
    askDestination(context, await lineOfRoute(context), emptyDestination()),
  ),
  operatorAction('/lines/:id/destinations', addOne, { confirmed: () => t('To add a destination') }),
  viewerPage(
    ONE,
    async (context) => {
      const { line, destination } = await at(context);
      return showOne(context, line, destination);
    },
    { live: true },
  ),
  operatorAction(ONE, saveOne, { confirmed: () => t('To change a destination') }),
  operatorAction(`${ONE}/rotate`, rotateOne, { confirmed: () => t('To rotate the secret of a destination') }),
  operatorAction(`${ONE}/test`, testOne, {
    confirmed: async (context) =>
      t('To send a test event to {address}', {
        address: new URL((await at(context)).destination.url).host,
      }),
  }),
  operatorAction(`${ONE}/pause`, pauseOne, { confirmed: () => t('To pause a destination') }),
  operatorAction(`${ONE}/recover`, async (context) => recover(context, (await at(context)).destination.id)),
  operatorAction(`${ONE}/remove`, removeOne, { confirmed: () => t('To remove a destination') }),
];

/** The line and its destination that the address names. What delivers answers to questions cannot be set. */
async function at(context: UserContext): Promise<{ line: LineRow; destination: Destination }> {
  const { deps, params } = context;
  const line = await lineOfRoute(context);
  const id = /^\d{1,9}$/.test(params.destination ?? '') ? Number(params.destination) : 0;
  const row = await deps.store.destinations.find(id);
  if (!row || row.line_id !== line.id || row.removed_at !== null || isOfQuestions(row)) throw pageNotFound();
  return { line, destination: destinationOf(row, deps.vault) };
}

const backTo = (line: LineRow) => ({ href: `/panel/lines/${line.id}`, label: line.name });

/** Host and path, by which those of a line are told apart. */
const nameOf = (context: UserContext, { url }: Destination): string =>
  shownAddress(context, url).replace(/^https?:\/\//, '');

const emptyDestination = (): FormState => {
  const values = new FormData();
  DEFAULT_EVENT_KINDS.forEach((kind) => values.append('kinds', kind));
  values.set('mode', 'split');
  return new FormState(values);
};

function askDestination({ deps }: UserContext, line: LineRow, state: FormState): PanelResponse {
  const { name } = line;
  const hasForwarding = deps.destinations.ofLine(line.id).some(({ origin }) => origin === 'forwarding');
  return page(
    <PageHead title={t('Add a destination')} back={backTo(line)}>
      {hasForwarding
        ? t('Events of {name} go there too, beside its forwarding URL.', { name })
        : t('Events of {name} go there.', { name })}
    </PageHead>,
    <Card>
      <Form action={`/panel/lines/${line.id}/destinations`} state={state}>
        <DestinationFields kept={[]} />
        <SubmitOrCancel submit={t('Add it and show the secret')} back={`/panel/lines/${line.id}`} />
      </Form>
    </Card>,
    state,
  );
}

/** @param kept names of the headers that are stored */
const DestinationFields = ({ kept }: { kept: string[] }): VNode => (
  <>
    <TextField
      name="url"
      label="URL"
      type="url"
      inputmode="url"
      placeholder="https://crm.example.com/webhook"
      maxLength={2048}
    />
    <ChoiceField
      name="kinds"
      label={t('What it receives')}
      many
      choices={EVENT_KINDS.map((value) => ({ value, label: kindWords()[value].label }))}
    />
    <ChoiceField
      name="mode"
      label={t('How it is sent')}
      choices={DESTINATION_MODES.map((value) => ({ value, ...modeWords()[value] }))}
    />
    <TextField
      name="quiet_seconds"
      label={t('Wait until the contact pauses, in seconds')}
      optional
      type="number"
      inputmode="numeric"
      placeholder="10"
      hint={t(
        'Messages in quick succession arrive as one event. A button tap ends the wait. Empty: one event per message.',
      )}
    />
    <LongField
      name="headers"
      label={t('Headers of its own')}
      optional
      rows={3}
      hint={
        <>
          {t.rich('One on each line, as <code>Authorization: Bearer …</code>.')}{' '}
          {kept.length > 0 &&
            t('Stored, never shown: {names}. Leave empty to keep them; new text replaces all of them.', {
              names: kept.join(', '),
            })}
        </>
      }
    />
    {kept.length > 0 && <CheckField name="no_headers" label={t('Send no headers of its own any more')} />}
  </>
);

/** The form calls the events otherwise. */
const FIELDS = { events: 'kinds' };

/** What was typed. Of headers that are stored, an empty field keeps them. */
const typed = (state: FormState) => ({
  url: state.text('url'),
  events: state.all('kinds'),
  mode: state.text('mode'),
  quietSeconds: state.text('quiet_seconds'),
  headers: state.text('headers') || (state.has('no_headers') ? '' : undefined),
});

async function addOne(context: UserContext): Promise<PanelResponse> {
  const { deps } = context;
  const line = await lineOfRoute(context);
  const state = new FormState(context.form);
  const added = await state.given(
    () => addDestination(deps, context.actor, line.id, { ...typed(state), origin: 'operator' }),
    FIELDS,
  );
  if (!added) return askDestination(context, line, state);
  return showAdded(line, added, {
    title: t('Events go there from now on'),
    secret: added.secret,
    handshake: await handshake(deps.http, added),
  });
}

interface Added {
  title: string;
  /** Null if the secret did not change. */
  secret: string | null;
  handshake: OperatorReport;
}

/** After an address was given: what came of the handshake, and its secret where that is new. */
export function showAdded(line: LineRow, destination: Destination, added: Added): PanelResponse {
  const base = `/panel/lines/${line.id}/destinations/${destination.id}`;
  return page(
    <PageHead title={added.title} back={backTo(line)}>
      <code>{destination.url}</code>
    </PageHead>,
    <>
      {added.secret !== null && (
        <Card title={t('Secret')}>
          <ShownOnce id="secret" text={added.secret} label={t('The secret')} />
          <p class="quiet">
            {t.rich(
              'Each event is signed with it in two headers: <code>webhook-signature</code> of Standard Webhooks, and <code>X-Hub-Signature-256</code> of the platform. Check one of them in your receiver.',
            )}
          </p>
        </Card>
      )}
      <Card title={t('Handshake')}>
        <Handshake report={added.handshake} />
      </Card>
      <Card title={t('Try it')}>
        <p>{t('A test event goes there at once, and you see what is answered.')}</p>
        <div class="actions">
          <ActionButton action={`${base}/test`}>{t('Send test event')}</ActionButton>
          <a class="button plain" href={`/panel/lines/${line.id}`}>
            {t('To the line')}
          </a>
        </div>
      </Card>
    </>,
  );
}

function Handshake({ report }: { report: OperatorReport }): VNode {
  const { tone, title } = {
    made: { tone: 'info' as const, title: t('No handshake, and none is needed.') },
    failed: { tone: 'bad' as const, title: t('The gateway could not connect to this address.') },
    refused: { tone: 'bad' as const, title: t('The gateway may not connect to this address.') },
  }[report.connection];
  return (
    <Notice tone={report.ok ? 'good' : tone}>
      <p>
        <strong>{report.ok ? t('Handshake succeeded.') : title}</strong> <Said>{report.said}</Said>
      </p>
    </Notice>
  );
}

const overlaps = () => [
  { value: '24', label: t('24 hours') },
  { value: '72', label: t('3 days') },
  { value: '1', label: t('1 hour') },
  { value: '0', label: t('Not at all: it signs no longer, nor does any before it') },
];

/** Of its attempts, or its deliveries: more stand in the list of events. */
const LATEST = 6;

interface Fares {
  of: Faring;
  /** How it fares, how it has fared, and what went there last. */
  shown: VNode;
}

async function howItFares(context: UserContext, id: number): Promise<Fares | null> {
  const { deps, query } = context;
  const range = rangeIn(query);
  const [row, report, waiting, dead, inRange, ofDay] = await Promise.all([
    deps.store.destinations.find(id),
    deps.store.destinationReport(id),
    deps.store.backlog.of([id]),
    deps.store.backlog.deadOf([id]),
    attemptsOf(deps, [id], range),
    attemptsOf(deps, [id]),
  ]);
  if (!row) return null;
  const of = { destination: row, report, waiting: waiting.get(id), dead: dead.get(id) ?? 0 };
  const { accepted, list } = hasFailed(of)
    ? await latestAttempts(deps, row)
    : await latestDeliveries(deps, id);
  const shown = (
    <>
      <Live id="state">
        <DestinationState of={of} day={sumOf(ofDay(id))} accepted={accepted} />
      </Live>
      <Live id="history">
        <DestinationHistory
          id={id}
          range={range}
          spans={inRange(id)}
          hrefOf={(name) => `/panel/lines/${row.line_id}/destinations/${id}?range=${name}#history`}
        />
      </Live>
      {context.mayChange && query.has('since') && <Recover {...await recoverOf(context, row)} />}
      {list && (
        <Live id="latest">
          <Card
            flush
            title={hasFailed(of) ? t('Latest attempts') : t('Latest deliveries')}
            actions={<a href={`/panel/events?destination=${id}`}>{t('Its deliveries')}</a>}
          >
            {list}
          </Card>
        </Live>
      )}
    </>
  );
  return { of, shown };
}

/** What went there last. */
interface Latest {
  /** The last attempt that was accepted: null where it is not told of. */
  accepted: DestinationStateProps['accepted'];
  list: VNode | null;
}

async function latestAttempts({ store }: PanelDeps, destination: DestinationRow): Promise<Latest> {
  const { latest, accepted } = await store.latestAttempts(destination.id, LATEST);
  const list = latest.length ? <LatestAttempts destination={destination} attempts={latest} /> : null;
  return { accepted, list };
}

async function latestDeliveries({ store }: PanelDeps, id: number): Promise<Latest> {
  const { rows } = await store.eventList.page({ destinationIds: [id] }, null, LATEST);
  return { accepted: null, list: rows.length ? <EventsOfOne rows={rows} /> : null };
}

/** @param given what was refused */
async function showOne(
  context: UserContext,
  line: LineRow,
  destination: Destination,
  given?: FormState,
): Promise<PanelResponse> {
  const fares = await howItFares(context, destination.id);
  const state = given ?? filled(destination);
  const base = `/panel/lines/${line.id}/destinations/${destination.id}`;
  return page(
    <PageHead
      title={nameOf(context, destination)}
      tab={t('Destination')}
      back={backTo(line)}
      actions={
        fares &&
        context.mayChange && (
          <Live id="actions">
            <DestinationActions of={fares.of} />
          </Live>
        )
      }
    >
      {await originText(context, destination)}
    </PageHead>,
    <>
      {fares?.shown}
      {context.mayChange && (
        <div class="columns aside">
          <Card id="settings" title={t('Address, filter and headers')}>
            <Form action={base} state={state}>
              <DestinationFields kept={Object.keys(destination.headers)} />
              <SubmitOrCancel submit={t('Save')} back={`/panel/lines/${line.id}`} />
            </Form>
          </Card>
          <div class="stack">
            <Secret base={base} previous={stillSigning(destination, context.deps.clock())} />
            {fares && (
              <div class="actions">
                <RemoveDestination of={fares.of} />
              </div>
            )}
          </div>
        </div>
      )}
    </>,
    state,
  );
}

/** How it was added, where that is of interest: by which token. */
async function originText(
  { deps }: UserContext,
  { origin, tokenId }: Destination,
): Promise<ComponentChildren> {
  const latest = await deps.store.tokens.latestOf(tokenId === null ? [] : [tokenId]);
  const token = origin === 'token' ? [...latest.values()][0] : undefined;
  if (!token) return origin === 'token' ? t('Destination, added through the API') : t('Destination');
  const name = token.name === null ? `…${token.last_four}` : `${token.name} (…${token.last_four})`;
  return t.rich(
    '{state, select, revoked {Destination, registered with the token <link>{name}</link>, which is revoked} other {Destination, registered with the token <link>{name}</link>}}',
    {
      name,
      state: token.revoked_at === null ? 'other' : 'revoked',
      link: (parts) => <a href={`/panel/tokens?line=${token.line_id}`}>{parts}</a>,
    },
  );
}

function Secret({ base, previous }: { base: string; previous: PreviousSecret[] }): VNode {
  const rotation = new FormState({ overlap: '24' });
  return (
    <Card title={t('Secret')}>
      {previous.length > 0 && (
        <p class="quiet">
          {t.rich(
            '{count, plural, one {It was replaced lately: events are signed with the secret before it as well, until {until}.} other {It was replaced lately: events are signed with the # secrets before it as well, until {until}.}}',
            {
              count: previous.length,
              until: (
                <>
                  {previous.map(({ until }, index) => (
                    <>
                      {index > 0 && '; '}
                      <Time at={until} to="minute" />
                    </>
                  ))}
                </>
              ),
            },
          )}
        </p>
      )}
      <Form action={`${base}/rotate`} state={rotation}>
        <SelectField
          name="overlap"
          label={t('Keep the old secret valid for')}
          hint={t('Gives your receiver time to change. At most {count} earlier secrets sign.', {
            count: MOST_PREVIOUS_SECRETS,
          })}
          choices={overlaps()}
        />
        <div class="actions">
          <Submit tone="plain">{t('Make a new secret')}</Submit>
        </div>
      </Form>
    </Card>
  );
}

function filled(destination: Destination): FormState {
  const values = new FormData();
  values.set('url', destination.url);
  values.set('mode', destination.mode);
  values.set('quiet_seconds', String(destination.quietSeconds ?? ''));
  destination.events.forEach((kind) => values.append('kinds', kind));
  return new FormState(values);
}

async function saveOne(context: UserContext): Promise<PanelResponse> {
  const { deps } = context;
  const { line, destination } = await at(context);
  const state = new FormState(context.form);
  const { url, ...others } = typed(state);
  // The address that it has would let it go on, too.
  const isElsewhere = URL.parse(url)?.href !== destination.url;
  const given: DestinationInput = { ...others, ...(isElsewhere && { url }) };
  const edited = await state.given(() => editDestination(deps, context.actor, destination, given), FIELDS);
  if (!edited) return showOne(context, line, destination, state);
  if (!isElsewhere) return seeOther(`/panel/lines/${line.id}`, t('The destination is saved.'));
  const moved = edited.after;
  return showAdded(line, moved, {
    title: t('The destination is saved'),
    secret: null,
    handshake: await handshake(deps.http, moved),
  });
}

async function rotateOne(context: UserContext): Promise<PanelResponse> {
  const { deps } = context;
  const { line, destination } = await at(context);
  const overlap = overlaps().find(({ value }) => value === context.form.get('overlap')) ?? overlaps()[0];
  const hours = Number(overlap?.value);
  const secret = await rotateSecret(deps, context.actor, destination, null, hours);
  return page(
    <PageHead title={t('The new secret')} back={backTo(line)}>
      <code>{destination.url}</code>
    </PageHead>,
    <Card>
      <ShownOnce id="secret" text={secret} label={t('The new secret')} />
      <p>
        {hours
          ? t(
              'For {duration} the secret before signs as well: webhook-signature holds a signature of each, and X-Hub-Signature-256 stays that of the oldest that still signs.',
              { duration: overlap?.label ?? '' },
            )
          : t('No secret before it signs any longer.')}
      </p>
    </Card>,
  );
}

async function testOne(context: UserContext): Promise<PanelResponse> {
  const { deps } = context;
  const { line, destination } = await at(context);
  const { sent, shaken } = await testDestination(deps, context.actor, destination, {
    phoneNumberId: line.phone_number_id,
    phoneNumber: line.phone_number,
    wabaId: line.waba_id,
  });
  return showTest(context, line, destination, sent, shaken);
}

/** What is wrong, and what to do about it. */
function Refused({ sent: { outcome, httpStatus } }: { sent: TestEvent }): VNode {
  return (
    <>
      <strong>{t('It was not accepted.')}</strong> {attemptWord({ outcome, http_status: httpStatus })}.{' '}
      {isCause(outcome) && causeWords(outcome).remedy}
    </>
  );
}

/** Of an answer so much is shown. */
const LONGEST_ANSWER = 2000;

function showTest(
  context: UserContext,
  line: LineRow,
  destination: Destination,
  sent: TestEvent,
  shaken: OperatorReport,
): PanelResponse {
  const isTaken = sent.outcome === 'delivered';
  const base = `/panel/lines/${line.id}/destinations/${destination.id}`;
  return page(
    <PageHead
      title={t('Test event')}
      back={{ href: base, label: nameOf(context, destination) }}
      actions={<ActionButton action={`${base}/test`}>{t('Send another')}</ActionButton>}
    >
      <code>{destination.url}</code>
    </PageHead>,
    <>
      <Notice tone={isTaken ? 'good' : 'bad'}>
        <p>
          {isTaken ? <strong>{t('Accepted.')}</strong> : <Refused sent={sent} />}
          {isTaken && destination.failingSince !== null && destination.pausedAt === null && (
            <> {t('Waiting events are sent now.')}</>
          )}
          {isTaken && destination.pausedAt !== null && (
            <> {t('The destination is still paused. Resume it to send waiting events.')}</>
          )}
          {sent.httpStatus === null && ` ${sent.answer.slice(0, LONGEST_ANSWER)}`}
        </p>
      </Notice>
      <Card title={t('Answer')}>
        <Facts
          facts={[
            [
              t('HTTP status'),
              sent.httpStatus === null ? (
                <span class="quiet">{t('none')}</span>
              ) : (
                <Badge tone={isTaken ? 'good' : 'bad'}>{String(sent.httpStatus)}</Badge>
              ),
            ],
            [t('Took'), `${number(sent.durationMs)} ms`],
            ...(isTaken ? [[t('Handshake'), <Said>{shaken.said}</Said>] as [string, VNode]] : []),
          ]}
        />
        {sent.httpStatus !== null && sent.answer && (
          <pre class="code" tabIndex={0} role="region" aria-label={t('Beginning of the answer')}>
            {sent.answer.slice(0, LONGEST_ANSWER)}
          </pre>
        )}
      </Card>
      <Card title={t('What was sent')}>
        <p class="quiet">
          {t.rich(
            'A text message in the platform’s format, signed like every event. It isn’t stored or sent elsewhere, and carries the header <code>X-Gateway-Test: 1</code>.',
          )}
        </p>
        <pre class="code" tabIndex={0} role="region" aria-label={t('Body of the test event')}>
          {JSON.stringify(JSON.parse(sent.body), null, 2)}
        </pre>
      </Card>
    </>,
  );
}

async function pauseOne(context: UserContext): Promise<PanelResponse> {
  const { line, destination } = await at(context);
  await pauseDestination(context.deps, context.actor, destination, context.user.name);
  return seeOther(
    `/panel/lines/${line.id}/destinations/${destination.id}`,
    t('The destination is paused; its events are kept.'),
  );
}

async function removeOne(context: UserContext): Promise<PanelResponse> {
  const { line, destination } = await at(context);
  await removeDestination(context.deps, context.actor, destination);
  return seeOther(`/panel/lines/${line.id}`, t('The destination is removed.'));
}
