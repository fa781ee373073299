import { type VNode } from 'preact';
import { MOST_SHOWN } from '../../alerts/look';
import { isMuted } from '../../alerts/plan';
import { CONDITION_KINDS, isConditionKind } from '../../alerts/kinds';
import { type Rules } from '../../alerts/conditions/kind';
import { rulesOf } from '../../alerts/rules';
import { costText } from '../../alerts/words';
import { type IncidentFacts } from '../../alerts/incident-text';
import { mute, mutedOf, unmute } from '../../alerts/use-cases/mute';
import { type Severity } from '../../store/schema';
import { type IncidentRow, type MuteRow } from '../../store/tables/alerts';
import { type DestinationRow } from '../../store/tables/destinations';
import { isoTime } from '../../time';
import { FormState } from '../form-state';
import { page, seeOther, type PanelResponse } from '../outcome';
import { actionRoute, pageRoute, type PanelRoute } from '../panel-route';
import { type UserContext } from '../request-context';
import { ActionButton, Form, SelectField, SubmitOrCancel } from '../ui/form';
import { Advice, Resume, TryNow } from '../destination/held-back';
import { Live } from '../ui/live';
import { alertLink, alertText, incidentText } from '../alert/alert-text';
import { Badge, Card, Empty, Notice, PageHead, Table, Time, type Tone } from '../ui/parts';
import { destinationIdOf, destinationsOf } from '../ui/shown-address';
import { Said } from '../languages/said';
import { type AlertKind } from '../../wording/facts';
import { languageNow } from '../../wording/language';
import { lengthText, number } from '../languages/numbers';
import { t } from '../languages/t';
import { CustomerFilter, ofCustomer } from '../ui/customer-field';
import { useRequest } from '../ui/page-request';
import { NobodyIsTold } from './channel-kinds';
import { ruleSentence } from './rules';

/** Pages of open incidents, past incidents and mutes. */
export const alertPages: PanelRoute[] = [
  pageRoute('alerts.read', '/alerts', showAlerts, { live: true }),
  pageRoute('alerts.manage', '/alerts/mute', (context) => showMute(context)),
  actionRoute('alerts.manage', '/alerts/mute', saveMute),
  actionRoute('alerts.manage', '/alerts/unmute', endMute),
];

const TONES: Record<Severity, Tone> = { critical: 'bad', warning: 'warn', info: 'info' };
/** Most urgent first, as on the overview. */
const URGENCY: Severity[] = ['critical', 'warning', 'info'];
const severityWord = (severity: Severity): string =>
  ({ critical: t('Urgent'), warning: t('Warning'), info: t('Info') })[severity];

/** Within one severity, failing destinations come first, because they cause most given up deliveries. */
const inOrder = (one: IncidentRow, other: IncidentRow): number =>
  URGENCY.indexOf(one.severity) - URGENCY.indexOf(other.severity) ||
  CONDITION_KINDS.indexOf(one.kind as AlertKind) - CONDITION_KINDS.indexOf(other.kind as AlertKind);

/** Past incidents per page. */
const A_PAGE = 50;

async function showAlerts(context: UserContext): Promise<PanelResponse> {
  const { store, clock } = context.deps;
  const [all, closed, mutes, channels] = await Promise.all([
    store.alerts.open(),
    store.alerts.closed(A_PAGE + 1, cursorOf(context.query.get('before'))),
    store.alerts.mutes(isoTime(clock())),
    store.alerts.channels(),
  ]);
  const open = all.toSorted(inOrder);
  const [destinations, rules] = await Promise.all([
    destinationsOf(context.deps, [...open.slice(0, MOST_SHOWN), ...mutes, ...closed]),
    store.alerts.rules(),
  ]);
  return page(
    <PageHead
      title={t('Alerts')}
      actions={
        <>
          <a class="button plain" href="/panel/alerts/channels">
            {t('Channels')}
            {channels.length > 0 && ` (${number(channels.length)})`}
          </a>
          {context.may('alerts.read', null) && (
            <a class="button plain" href="/panel/alerts/rules">
              {t('Rules')}
            </a>
          )}
        </>
      }
    >
      {t('Open and past incidents. Channels are notified when an incident starts and when it ends.')}
    </PageHead>,
    <>
      {!channels.length && !context.customer && <NobodyIsTold brief />}
      <CustomerFilter action="/panel/alerts" />
      <Live id="open-incidents">
        <OpenIncidents open={open} mutes={mutes} destinations={destinations} />
      </Live>
      {mutes.length > 0 && <Mutes mutes={mutes} destinations={destinations} rules={rulesOf(rules)} />}
      <History rows={closed} destinations={destinations} />
    </>,
  );
}

interface OpenProps {
  open: IncidentRow[];
  mutes: MuteRow[];
  destinations: Destinations;
}

type Destinations = Map<number, DestinationRow>;

function OpenIncidents({ open, mutes, destinations }: OpenProps): VNode {
  if (!open.length)
    return (
      <Notice tone="good">
        <p>{t.rich('<strong>Nothing is wrong.</strong> The rules found no problem.')}</p>
      </Notice>
    );
  const left = open.length - MOST_SHOWN;
  return (
    <Card title={t('{count, plural, one {One incident} other {# incidents}}', { count: open.length })} flush>
      <ul class="attention">
        {open.slice(0, MOST_SHOWN).map((one) => (
          <Incident
            key={one.id}
            incident={one}
            isMuted={isMuted(mutes, one)}
            destination={destinations.get(destinationIdOf(one) ?? 0)}
          />
        ))}
      </ul>
      {left > 0 && <p class="quiet card-foot">{t('And {left, number} more.', { left })}</p>}
    </Card>
  );
}

interface IncidentProps {
  incident: IncidentRow;
  isMuted: boolean;
  destination: DestinationRow | undefined;
}

function Incident({ incident, isMuted, destination }: IncidentProps): VNode {
  const context = useRequest();
  const { id, kind, severity, since, waiting } = incident;
  const { href, label } = alertLink(context, incident.path);
  const { title, text, action } = incidentText(context, incident, destination);
  const canTry = kind === 'destination_failing' && destination !== undefined;
  const canResume = kind === 'destination_paused' && destination !== undefined;
  const isUrgent = severity === 'critical';
  const hasButton =
    (canTry && context.may('deliveries.replay', destination.line_id)) ||
    (canResume && context.may('destinations.manage', destination.line_id));
  return (
    <li>
      <span class="urgency">
        <Badge tone={TONES[severity]}>{severityWord(severity)}</Badge>
        {isMuted && <Badge tone="idle">{t('Muted')}</Badge>}
      </span>
      <div class="stack close">
        <h3 class="long">{title}</h3>
        <p class="quiet long">
          {t.rich('For {length} ({when}).', {
            length: lengthText(context.deps.clock() - Date.parse(since)),
            when: <Time at={since} to="minute" />,
          })}{' '}
          {text} {costText(languageNow(), waiting)}{' '}
          {canTry ? <Advice lineId={destination.line_id} /> : action}
        </p>
      </div>
      <div class="actions">
        {canTry && <TryNow destination={destination} from="alerts" />}
        {canResume && <Resume destination={destination} from="alerts" />}
        <a class={`button ${isUrgent && !hasButton ? 'primary' : 'plain'}`} href={href}>
          {label}
          <span class="sr-only">: {title}</span>
        </a>
        {context.may('alerts.manage', incident.line_id) && !isMuted && (
          <a class="button quiet mute" href={`/panel/alerts/mute?incident=${id}`}>
            {t('Mute')}
            <span class="sr-only">: {title}</span>
          </a>
        )}
      </div>
    </li>
  );
}

interface MutesProps {
  mutes: MuteRow[];
  destinations: Destinations;
  rules: Rules;
}

/** What a mute covers: the rule, for a whole kind; otherwise the alert or line. */
function MutedText({ mute, destinations, rules }: Omit<MutesProps, 'mutes'> & { mute: MuteRow }): VNode {
  const context = useRequest();
  const { kind, subject, line_id: lineId, what } = mute;
  const line = lineId === null ? null : context.deps.lines.byId(lineId);
  if (kind !== null && subject !== null && mute.facts !== null) {
    const facts = JSON.parse(mute.facts) as IncidentFacts;
    const prose = { title: what, text: '', over: '', action: '' };
    return (
      <>{alertText(context, { kind, facts, prose }, destinations.get(destinationIdOf(mute) ?? 0)).title}</>
    );
  }
  if (kind === null && line) return <>{t('Everything about {name}', { name: line.name })}</>;
  if (kind === null || subject !== null || !isConditionKind(kind)) return <Said>{what}</Said>;
  return <>{[...(line ? [line.name] : []), ruleSentence(kind, rules)].join(': ')}</>;
}

function Mutes({ mutes, ...about }: MutesProps): VNode {
  const { may } = useRequest();
  return (
    <Card title={t('Muted')} flush>
      <Table
        caption={t('Muted')}
        rows={mutes}
        rowKey={({ id }) => id}
        columns={[
          { label: t('What'), heading: true, cell: (mute) => <MutedText mute={mute} {...about} /> },
          { label: t('Until'), cell: ({ until }) => <Time at={until} to="minute" /> },
          { label: t('By'), cell: ({ who }) => who },
          {
            label: t('Actions'),
            actions: true,
            cell: (mute) =>
              may('alerts.manage', mute.line_id) && (
                <ActionButton action="/panel/alerts/unmute" fields={{ id: String(mute.id) }} tone="plain">
                  {t('End')}
                  <span class="sr-only">
                    : <MutedText mute={mute} {...about} />
                  </span>
                </ActionButton>
              ),
          },
        ]}
      />
    </Card>
  );
}

function History({ rows, destinations }: { rows: IncidentRow[]; destinations: Destinations }): VNode {
  const context = useRequest();
  const shown = rows.slice(0, A_PAGE);
  const last = rows.length > A_PAGE ? shown.at(-1) : undefined;
  return (
    <Card title={t('Past incidents')} flush>
      {shown.length ? (
        <Table
          caption={t('Incidents that are over')}
          rows={shown}
          rowKey={({ id }) => id}
          columns={[
            {
              label: t('What'),
              heading: true,
              cell: (one) => (
                <span class="long">
                  {incidentText(context, one, destinations.get(destinationIdOf(one) ?? 0)).title}
                </span>
              ),
            },
            { label: t('Since'), cell: ({ since }) => <Time at={since} to="minute" /> },
            {
              label: t('Duration'),
              cell: ({ since, closed_at: at }) => lengthText(Date.parse(at ?? since) - Date.parse(since)),
            },
          ]}
        />
      ) : (
        <Empty title={t('No past incident yet')}>
          <p>{t('Past incidents are listed here for 90 days, with their duration.')}</p>
        </Empty>
      )}
      {last && (
        <div class="actions card-foot">
          <a
            class="button plain"
            href={ofCustomer(context, `/panel/alerts?before=${last.closed_at},${last.id}`)}
            rel="next"
          >
            {t('Older')}
          </a>
        </div>
      )}
    </Card>
  );
}

/** Parses the start of a page, as `TIME,ID`. */
function cursorOf(given: string | null): { closedAt: string; id: number } | null {
  const [, closedAt = '', id = ''] = /^([\d:.TZ-]{24}),(\d{1,9})$/.exec(given ?? '') ?? [];
  return closedAt ? { closedAt, id: Number(id) } : null;
}

const durations = () => [
  { value: '1', label: t('1 hour') },
  { value: '8', label: t('8 hours') },
  { value: '24', label: t('1 day') },
  { value: '168', label: t('7 days') },
  { value: '720', label: t('30 days') },
];

async function incidentOf({ deps, query, form }: UserContext): Promise<IncidentRow | null> {
  const id = Number(form.get('incident') ?? query.get('incident'));
  return (await deps.store.alerts.open()).find((one) => one.id === id) ?? null;
}

async function showMute(
  context: UserContext,
  state = new FormState({ what: 'this', hours: '8' }),
): Promise<PanelResponse> {
  const incident = await incidentOf(context);
  if (!incident) return seeOther('/panel/alerts', t('This incident is already over.'), 'idle');
  const destination = (await destinationsOf(context.deps, [incident])).get(destinationIdOf(incident) ?? 0);
  return page(
    <PageHead title={t('Mute')} back={{ href: '/panel/alerts', label: t('Alerts') }}>
      {t.rich('{title}. No one is notified until the mute ends. The panel still shows the incident.', {
        title: incidentText(context, incident, destination).title,
      })}
    </PageHead>,
    <Card>
      <Form action="/panel/alerts/mute" state={state}>
        <input type="hidden" name="incident" value={String(incident.id)} />
        <SelectField
          name="what"
          label={t('What')}
          choices={[
            { value: 'this', label: t('Only this incident') },
            ...(incident.line_id === null ? [] : [{ value: 'line', label: t('All incidents of this line') }]),
            ...(context.may('alerts.manage', null)
              ? [{ value: 'kind', label: t('All incidents of this kind') }]
              : []),
          ]}
        />
        <SelectField name="hours" label={t('For')} choices={durations()} />
        <SubmitOrCancel submit={t('Mute')} back="/panel/alerts" />
      </Form>
    </Card>,
    state,
  );
}

async function saveMute(context: UserContext): Promise<PanelResponse> {
  const { deps, actor, session } = context;
  const incident = await incidentOf(context);
  if (!incident) return seeOther('/panel/alerts', t('This incident is already over.'), 'idle');
  const state = new FormState(context.form);
  const muted = mutedOf(incident, state.text('what'));
  const made = await state.given(() =>
    mute(deps, actor, session.grants, muted, { hours: state.text('hours') }),
  );
  if (!made) return showMute(context, state);
  const chosen = durations().find(({ value }) => value === state.text('hours'));
  const duration = chosen?.label ?? lengthText(Date.parse(made.until) - Date.parse(made.created_at));
  return seeOther('/panel/alerts', t('No one is notified of this incident for {duration}.', { duration }));
}

async function endMute({ deps, actor, session, form }: UserContext): Promise<PanelResponse> {
  const mutes = await deps.store.alerts.mutes(isoTime(deps.clock()));
  const muted = mutes.find(({ id }) => String(id) === form.get('id'));
  const ended = muted ? await unmute(deps, actor, session.grants, muted.id) : false;
  return seeOther('/panel/alerts', ended ? t('Notifications for this incident are on again.') : null);
}
