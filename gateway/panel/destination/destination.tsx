import { type ComponentChildren, type VNode } from 'preact';
import {
  MOST_PREVIOUS_SECRETS,
  stillSigning,
  type Destination,
  type PreviousSecret,
} from '../../forwarding/destination';
import { type DestinationInput } from '../../forwarding/destinations/destination-input';
import { editDestination } from '../../forwarding/destinations/edit-destination';
import { handshake } from '../../forwarding/destinations/handshake';
import { pauseDestination } from '../../forwarding/destinations/pause-destination';
import { removeDestination } from '../../forwarding/destinations/remove-destination';
import { rotateSecret } from '../../forwarding/destinations/rotate-secret';
import { type DestinationRow } from '../../store/tables/destinations';
import { type LineRow } from '../../store/tables/lines';
import { type PanelDeps } from '../dependencies';
import { FormState } from '../form-state';
import { Form, SelectField, Submit, SubmitOrCancel } from '../ui/form';
import { rangeIn } from '../ui/history/spans';
import { Live } from '../ui/live';
import { Card, PageHead, ShownOnce, Time } from '../ui/parts';
import { EventsOfOne, hasContent } from '../log/event-table';
import { page, seeOther, type PanelResponse } from '../outcome';
import { actionRoute, pageRoute, type PanelRoute } from '../panel-route';
import { type UserContext } from '../request-context';
import { attemptsOf, sumOf } from '../ui/history/attempts';
import { DestinationHistory } from './destination-history';
import { DestinationActions, RemoveDestination } from './destination-actions';
import { DestinationState, type DestinationStateProps } from './destination-state';
import { LatestAttempts } from './latest-attempts';
import { Recover, recover, recoverOf } from './recover';
import { hasFailed, type Faring } from './standing';
import { HOUR } from '../../time';
import { lengthText } from '../languages/numbers';
import { t } from '../languages/t';
import { destinationAt, backTo, nameOf } from './destination-route';
import { DestinationFields, FIELDS, filledDestination, typedDestination } from './destination-form';
import { showAdded } from './new-destination';

const ONE = '/lines/:id/destinations/:destination';

export const destinationPages: PanelRoute[] = [
  pageRoute(
    'events.read',
    ONE,
    async (context) => {
      const { line, destination } = await destinationAt(context);
      return showOne(context, line, destination);
    },
    { live: true },
  ),
  actionRoute('destinations.manage', ONE, saveOne, { confirmed: () => t('To change a destination') }),
  actionRoute('destinations.manage', `${ONE}/rotate`, rotateOne, {
    confirmed: () => t('To rotate the secret of a destination'),
  }),
  actionRoute('destinations.manage', `${ONE}/pause`, pauseOne, {
    confirmed: () => t('To pause a destination'),
  }),
  actionRoute('deliveries.replay', `${ONE}/recover`, async (context) =>
    recover(context, (await destinationAt(context)).destination.id),
  ),
  actionRoute('destinations.manage', `${ONE}/remove`, removeOne, {
    confirmed: () => t('To remove a destination'),
  }),
];

const overlaps = () => [
  { value: '24', label: t('24 hours') },
  { value: '72', label: t('3 days') },
  { value: '1', label: t('1 hour') },
  { value: '0', label: t('Do not keep it: earlier secrets no longer sign') },
];

/** Most attempts or deliveries shown. The list of events has more. */
const LATEST = 6;

interface Fares {
  of: Faring;
  /** The state, history, and latest attempts or deliveries. */
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
    : await latestDeliveries(context, id);
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
      {context.may('deliveries.replay', row.line_id) && query.has('since') && (
        <Recover {...await recoverOf(context, row)} />
      )}
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

/** The latest attempts or deliveries. */
interface Latest {
  /** The last accepted attempt; null if not shown. */
  accepted: DestinationStateProps['accepted'];
  list: VNode | null;
}

async function latestAttempts({ store }: PanelDeps, destination: DestinationRow): Promise<Latest> {
  const { latest, accepted } = await store.latestAttempts(destination.id, LATEST);
  const list = latest.length ? <LatestAttempts destination={destination} attempts={latest} /> : null;
  return { accepted, list };
}

async function latestDeliveries({ deps, looked }: UserContext, id: number): Promise<Latest> {
  const { rows } = await deps.store.eventList.page({ destinationIds: [id] }, null, LATEST);
  await looked('events', rows.filter(hasContent));
  return { accepted: null, list: rows.length ? <EventsOfOne rows={rows} /> : null };
}

/** @param refused the refused form */
async function showOne(
  context: UserContext,
  line: LineRow,
  destination: Destination,
  refused: { settings?: FormState; rotation?: FormState } = {},
): Promise<PanelResponse> {
  const fares = await howItFares(context, destination.id);
  const { settings = filledDestination(destination), rotation = new FormState({ overlap: '24' }) } = refused;
  const base = `/panel/lines/${line.id}/destinations/${destination.id}`;
  return page(
    <PageHead
      title={nameOf(context, destination)}
      tab={t('Destination')}
      back={backTo(line)}
      actions={
        fares &&
        context.may('destinations.manage', line.id) && (
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
      {context.may('destinations.manage', line.id) && (
        <div class="columns aside">
          <Card id="settings" title={t('Address, filter and headers')}>
            <Form action={base} state={settings}>
              <DestinationFields kept={Object.keys(destination.headers)} />
              <SubmitOrCancel submit={t('Save')} back={`/panel/lines/${line.id}`} />
            </Form>
          </Card>
          <div class="stack">
            <Secret
              base={base}
              rotation={rotation}
              previous={stillSigning(destination, context.deps.clock())}
            />
            {fares && (
              <div class="actions">
                <RemoveDestination of={fares.of} />
              </div>
            )}
          </div>
        </div>
      )}
    </>,
    settings.isValid ? rotation : settings,
  );
}

/** How the destination was added: by an operator, or with a token. */
async function originText(
  { deps }: UserContext,
  { origin, tokenId, adminTokenId }: Destination,
): Promise<ComponentChildren> {
  // Only some users may see the admin token.
  if (adminTokenId !== null)
    return t('Destination, registered with the admin token {id}', { id: adminTokenId });
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

interface SecretProps {
  base: string;
  previous: PreviousSecret[];
  rotation: FormState;
}

function Secret({ base, previous, rotation }: SecretProps): VNode {
  return (
    <Card title={t('Secret')}>
      {previous.length > 0 && (
        <p class="quiet">
          {t.rich(
            '{count, plural, one {Replaced recently. Events are also signed with the previous secret until {until}.} other {Replaced recently. Events are also signed with the # previous secrets until {until}.}}',
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

async function saveOne(context: UserContext): Promise<PanelResponse> {
  const { deps } = context;
  const { line, destination } = await destinationAt(context);
  const state = new FormState(context.form);
  const { url, ...others } = typedDestination(state);
  // Setting the URL resumes a paused destination, even if the URL is the same.
  const isElsewhere = URL.parse(url)?.href !== destination.url;
  const given: DestinationInput = { ...others, ...(isElsewhere && { url }) };
  const edited = await state.given(() => editDestination(deps, context.actor, destination, given), FIELDS);
  if (!edited) return showOne(context, line, destination, { settings: state });
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
  const { line, destination } = await destinationAt(context);
  const state = new FormState(context.form);
  const rotated = await state.given(() =>
    rotateSecret(deps, context.actor, destination, null, state.text('overlap')),
  );
  if (!rotated) return showOne(context, line, destination, { rotation: state });
  const { secret, hours } = rotated;
  const overlap = overlaps().find(({ value }) => value === String(hours));
  return page(
    <PageHead title={t('The new secret')} back={backTo(line)}>
      <code>{destination.url}</code>
    </PageHead>,
    <Card>
      <ShownOnce id="secret" text={secret} label={t('The new secret')} />
      <p>
        {hours
          ? t(
              'For {duration}, the previous secret also signs: webhook-signature contains a signature per secret, and X-Hub-Signature-256 uses the oldest valid secret.',
              { duration: overlap?.label ?? lengthText(hours * HOUR) },
            )
          : t('Earlier secrets no longer sign.')}
      </p>
    </Card>,
  );
}

async function pauseOne(context: UserContext): Promise<PanelResponse> {
  const { line, destination } = await destinationAt(context);
  await pauseDestination(context.deps, context.actor, destination, context.user.name);
  return seeOther(
    `/panel/lines/${line.id}/destinations/${destination.id}`,
    t('The destination is paused; its events are kept.'),
  );
}

async function removeOne(context: UserContext): Promise<PanelResponse> {
  const { line, destination } = await destinationAt(context);
  await removeDestination(context.deps, context.actor, destination);
  return seeOther(`/panel/lines/${line.id}`, t('The destination is removed.'));
}
