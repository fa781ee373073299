import { type VNode } from 'preact';
import { isHeldBack } from '../../forwarding/destination';
import { alertPath } from '../alert/alert-path';
import { alertLink, alertText, subjectOfCondition } from '../alert/alert-text';
import { type Condition } from '../../alerts/conditions/condition';
import { lineConditions } from '../../alerts/conditions/lines';
import { healthFacts, lineFacts } from '../../alerts/facts';
import { qualityOf } from '../../cloud-api/phone-number';
import { editLine } from '../../lines/edit-line';
import { type LineHealth } from '../../lines/health';
import { pollLineStatus } from '../../lines/line-status';
import { type RefreshReport } from '../../lines/refresh';
import { type DestinationRow } from '../../store/tables/destinations';
import { type LineRow } from '../../store/tables/lines';
import { isoTime } from '../../time';
import { ActionButton } from '../ui/form';
import { refusalSentence } from '../ui/frame/error-page';
import { LineHead, lineOfRoute } from '../ui/frame/line-head';
import { Live } from '../ui/live';
import { QualityBadge } from '../ui/quality-badge';
import { Badge, Card, Facts, Id, Notice, Time } from '../ui/parts';
import { CallbackValues } from '../send/callback-values';
import { page, seeOther, type PanelResponse, type Told as Answer } from '../outcome';
import { actionRoute, pageRoute, type PanelRoute } from '../panel-route';
import { type UserContext } from '../request-context';
import { attemptsOf } from '../ui/history/attempts';
import { DestinationPanel } from '../destination/destination-panel';
import { Checks, checksOf } from './checks';
import { HealthBadge, healthOfRow, healthWords, phoneNumberNodeOf } from '../ui/words/line-health';
import { t } from '../languages/t';
import { windowWords } from '../ui/words/choice-words';
import { contactText } from '../ui/contact';
import { hasCustomers } from '../ui/customer-field';
import { ThisMonth, usageOfMonth } from '../ui/history/this-month';
import { useRequest } from '../ui/page-request';

export const linePages: PanelRoute[] = [
  pageRoute('events.read', '/lines/:id', showLine, { live: true }),
  actionRoute('lines.manage', '/lines/:id/refresh', refreshStatus),
  actionRoute('lines.manage', '/lines/:id/active', (context) => turn(context, 'isActive')),
  actionRoute('lines.manage', '/lines/:id/api', (context) => turn(context, 'apiEnabled')),
];

async function showLine(context: UserContext) {
  const { store, clock } = context.deps;
  const line = await lineOfRoute(context);
  const [destinations, lastEvents, facts, checks, usage] = await Promise.all([
    store.destinations.active(isoTime(clock()), line.id),
    store.glance.lastEvents([line.id]),
    lineFacts(context.deps),
    checksOf(context, line),
    usageOfMonth(context, { lineId: line.id }),
  ]);
  const known = context.deps.lines.byId(line.id);
  const problems = known ? lineConditions({ ...facts, lines: [known] }) : [];
  const ids = destinations.map(({ id }) => id);
  const [waiting, dead, reports, days] = await Promise.all([
    store.backlog.of(ids),
    store.backlog.deadOf(ids),
    Promise.all(destinations.map(async ({ id }) => [id, await store.destinationReport(id)] as const)),
    attemptsOf(context.deps, ids),
  ]);
  const reportOf = new Map(reports);
  const lastEventAt = lastEvents.get(line.id) ?? null;
  const forwarding = destinations.find(({ origin }) => origin === 'forwarding');
  const panel = (one: DestinationRow) => {
    const report = reportOf.get(one.id);
    const of = report && {
      destination: one,
      report,
      waiting: waiting.get(one.id),
      dead: dead.get(one.id) ?? 0,
    };
    return of && <DestinationPanel key={one.id} line={line} of={of} day={days(one.id)} />;
  };
  // Destinations that need attention come first.
  const troubled = destinations.filter((one) => one.paused_at !== null || isHeldBack(one));
  const others = destinations.filter((one) => !troubled.includes(one));
  return page(
    <LineHead title={line.name} line={line} here="overview" actions={<Actions line={line} />}>
      <span class="number">{contactText(line.phone_number)}</span>
      {hasCustomers(context) && line.customer_name !== null && ` · ${line.customer_name}`}
    </LineHead>,
    <>
      <Live id="destinations">
        <div class="stack">
          {problems.map((one) => (
            <Problem key={`${one.kind} ${one.subject}`} of={one} line={line} />
          ))}
          {troubled.length > 0 && (
            <Card title={t('Needs attention')}>
              <div class="destinations">{troubled.map(panel)}</div>
            </Card>
          )}
          <Card
            title={troubled.length ? t('More destinations') : t('Destinations')}
            actions={
              <AddDestination
                line={line}
                hasForwarding={Boolean(forwarding)}
                isFirst={!destinations.length}
              />
            }
          >
            {others.length > 0 && <div class="destinations">{others.map(panel)}</div>}
            {!destinations.length && (
              <p>
                {t(
                  'None yet. Events are stored but not forwarded. Enter the URL of your CRM, workflow or server to receive each event in the platform’s format.',
                )}
              </p>
            )}
            {destinations.length < 2 && (
              <p class="quiet">
                {t(
                  'Events can go to several places at once, each with a filter of its own; an n8n trigger adds itself here.',
                )}
              </p>
            )}
          </Card>
          <Checks {...checks} />
          <Card title={t('State')}>
            <State line={line} health={healthOfRow(line, facts)} lastEventAt={lastEventAt} />
          </Card>
        </div>
      </Live>
      <ThisMonth usage={usage} href={`/panel/usage?line=${line.id}`} />
      {context.deps.sandboxUrl === null && (
        <details class="card fold" open={line.handshake_at === null && lastEventAt === null}>
          <summary>
            <h2>{t('The platform’s callback')}</h2>
          </summary>
          <Callback line={line} lastEventAt={lastEventAt} />
        </details>
      )}
    </>,
  );
}

function Actions({ line }: { line: LineRow }): VNode {
  const { may } = useRequest();
  return (
    <>
      {may('lines.manage', line.id) && (
        <ActionButton action={`/panel/lines/${line.id}/refresh`} tone="plain">
          {t('Refresh status')}
        </ActionButton>
      )}
      {may('messages.send', line.id) && (
        <a class="button primary" href={`/panel/lines/${line.id}/send`}>
          {t('Send a message')}
        </a>
      )}
    </>
  );
}

/** A problem that stops or limits the line, in the words of its alert, with a link to fix it. */
function Problem({ of, line }: ProblemProps): VNode {
  const context = useRequest();
  const { title, text, action } = alertText(context, subjectOfCondition(of), undefined);
  const { href, label } = alertLink(context, alertPath(of));
  const isElsewhere = href !== `/panel/lines/${line.id}`;
  return (
    <Notice tone={of.severity === 'critical' ? 'bad' : 'warn'}>
      <p>
        <strong>{title}.</strong> {text} {action}
      </p>
      {isElsewhere && (
        <p>
          <a class="button plain" href={href}>
            {label}
          </a>
        </p>
      )}
    </Notice>
  );
}

interface ProblemProps {
  of: Condition;
  line: LineRow;
}

interface StateProps {
  line: LineRow;
  health: LineHealth;
  lastEventAt: string | null;
}

function State({ line, health, lastEventAt }: StateProps): VNode {
  const upstream = phoneNumberNodeOf(line);
  const limit = upstream?.whatsapp_business_manager_messaging_limit ?? upstream?.messaging_limit_tier;
  const untold = <span class="quiet">{t('not known yet')}</span>;
  return (
    <>
      <Facts
        columns={2}
        facts={[
          [
            t('State'),
            <span class="cluster">
              <HealthBadge health={health} />
              {upstream?.status && upstream.status !== 'CONNECTED' && (
                <span class="quiet">{t('the platform reports {status}', { status: upstream.status })}</span>
              )}
            </span>,
          ],
          [
            'API',
            line.api_disabled_at === null ? (
              <Badge tone="good">{t.of('API', 'On')}</Badge>
            ) : (
              <Badge tone="warn">{t('Off: every request is refused')}</Badge>
            ),
          ],
          [
            t('Quality'),
            <>
              <QualityBadge rating={upstream?.quality_rating} />
              <span class="quiet">
                {' · '}
                {line.quality_mode === 'strict'
                  ? t('strict: sends only if high or medium')
                  : t('blocked only when low')}
              </span>
            </>,
          ],
          [
            t('24-hour window'),
            <span title={windowWords()[line.window_mode].hint}>{windowWords()[line.window_mode].label}</span>,
          ],
          [t('Messaging limit'), limit ? limitWords(limit) : untold],
          [t('Last event'), <Time at={lastEventAt} never={t('none lately')} />],
        ]}
      />
      <details class="more">
        <summary>{t('Name and IDs at the platform')}</summary>
        <Facts
          columns={2}
          facts={[
            [t('Name at the platform'), upstream?.verified_name ?? untold],
            [
              t('Phone number ID'),
              <Id id="phone-number-id" text={line.phone_number_id} label={t('Phone number ID')} />,
            ],
            [
              t('Business Account ID'),
              <Id id="waba-id" text={line.waba_id} label={t('Business Account ID')} />,
            ],
            [t('Time zone'), line.time_zone ?? 'UTC'],
            [t('Last checked'), <Time at={line.status_checked_at} />],
          ]}
        />
      </details>
    </>
  );
}

const MOST_PEOPLE: Record<string, number> = {
  TIER_50: 50,
  TIER_250: 250,
  TIER_1K: 1_000,
  TIER_2K: 2_000,
  TIER_10K: 10_000,
  TIER_100K: 100_000,
};

/**
 * How many people the line may start conversations with. An unknown limit is shown as the platform names it.
 */
function limitWords(limit: string): string {
  if (limit === 'TIER_UNLIMITED') return t('no limit');
  const most = MOST_PEOPLE[limit];
  return most === undefined ? limit : t('{most, number} people in 24 hours', { most });
}

interface AddDestinationProps {
  line: LineRow;
  hasForwarding: boolean;
  /** Whether the line has no destination yet. */
  isFirst: boolean;
}

function AddDestination({ line, hasForwarding, isFirst }: AddDestinationProps): VNode {
  const { may } = useRequest();
  return (
    <>
      {!hasForwarding && may('lines.manage', line.id) && (
        <a class={isFirst ? 'button primary' : 'button plain'} href={`/panel/lines/${line.id}/edit`}>
          {t('Set the forwarding URL')}
        </a>
      )}
      {may('destinations.manage', line.id) && (
        <a class="button plain" href={`/panel/lines/${line.id}/destinations/new`}>
          {t('Add a destination')}
        </a>
      )}
    </>
  );
}

function Callback({ line, lastEventAt }: { line: LineRow; lastEventAt: string | null }): VNode {
  return (
    <div class="stack">
      <Live id="handshake">
        <Handshake at={line.handshake_at} lastEventAt={lastEventAt} />
      </Live>
      <CallbackValues line={line} />
    </div>
  );
}

function Handshake({ at, lastEventAt }: { at: string | null; lastEventAt: string | null }): VNode {
  if (at !== null)
    return (
      <Notice tone="good">
        <p>
          {t.rich('<strong>The platform has verified the callback.</strong> Last verification: {time}.', {
            time: <Time at={at} />,
          })}
        </p>
      </Notice>
    );
  if (lastEventAt !== null)
    return (
      <Notice tone="good">
        <p>
          {t.rich('<strong>The platform reaches this gateway.</strong> Last event: {time}.', {
            time: <Time at={lastEventAt} />,
          })}
        </p>
      </Notice>
    );
  return (
    <Notice tone="info">
      <p>
        {t.rich(
          '<strong>Waiting for the platform’s verification…</strong> Turns green once the platform has verified the URL. If JavaScript is off, reload the page.',
        )}
      </p>
    </Notice>
  );
}

const turned = (what: 'isActive' | 'apiEnabled', isOn: boolean): string => {
  if (what === 'isActive') return isOn ? t('The line is active again.') : t('The line is deactivated.');
  return isOn ? t('The API of this line is on.') : t('The API of this line is off.');
};

async function turn(context: UserContext, what: Parameters<typeof turned>[0]): Promise<PanelResponse> {
  const line = await lineOfRoute(context);
  const isOn = context.form.get('to') === 'on';
  await editLine(context.deps, context.actor, context.session.grants, line, { [what]: isOn });
  return seeOther(`/panel/lines/${line.id}/edit`, turned(what, isOn));
}

async function refreshStatus(context: UserContext): Promise<PanelResponse> {
  const { deps } = context;
  const { id } = await lineOfRoute(context);
  const line = deps.lines.byId(id);
  const asked = async (): Promise<Answer> => {
    if (!line) return { tone: 'idle', sentence: t('The line is being updated. Try again.') };
    const poll = () => pollLineStatus(deps, line);
    const report = await deps.refresher.refresh(line, 'status', 'person', poll, true);
    const read = await lineOfRoute(context);
    return refreshed(report, read, healthOfRow(read, await healthFacts(deps, line)));
  };
  const { tone, sentence } = await asked().catch((error: unknown): Answer => ({
    tone: 'bad',
    sentence: t('The platform refused: {why}', { why: refusalSentence(error) }),
  }));
  return seeOther(`/panel/lines/${id}`, sentence, tone);
}

function refreshed(report: RefreshReport, line: LineRow, health: LineHealth): Answer {
  if (!report.requested || report.performed) {
    const upstream = phoneNumberNodeOf(line);
    const sentence = t(
      'Status updated: {state}. Quality: {quality, select, HIGH {high} MEDIUM {medium} LOW {low} other {not rated}}.',
      { state: healthWords()[health].label, quality: qualityOf(upstream?.quality_rating) },
    );
    return { tone: 'good', sentence };
  }
  if (report.reason === 'cooldown') {
    const sentence = t('The status was updated less than a minute ago. Try again in {seconds} s.', {
      seconds: report.retry_after ?? 0,
    });
    return { tone: 'idle', sentence };
  }
  if (report.reason === 'no_credentials')
    return { tone: 'bad', sentence: t('This line has no access token. Enter it under Settings.') };
  return {
    tone: 'bad',
    sentence: t('The platform can’t be reached right now. This page shows its last known values.'),
  };
}
