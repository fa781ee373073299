import { type VNode } from 'preact';
import { isHeldBack } from '../../forwarding/destination';
import { healthOf, type LineFacts } from '../../alerts/conditions/lines';
import { lineFacts } from '../../alerts/facts';
import { LINE_HEALTH, type LineHealth } from '../../lines/health';
import { type LineRow } from '../../store/tables/lines';
import { isoTime } from '../../time';
import { type PanelDeps } from '../dependencies';
import { FormState } from '../form-state';
import { SelectField, Submit, TextField } from '../ui/form';
import { attemptsOf, StripShare, type AttemptHistory } from '../ui/history/attempts';
import { linesLike } from '../ui/line-field';
import { isSilent } from '../destination/is-silent';
import { Live } from '../ui/live';
import { Places, placeOf } from '../ui/places';
import { QualityBadge } from '../ui/quality-badge';
import { Badge, Card, Empty, Nothing, PageHead, Table, Time } from '../ui/parts';
import { page } from '../outcome';
import { pageRoute, type PanelRoute } from '../panel-route';
import { type UserContext } from '../request-context';
import { MOST_GLANCED } from '../../store/reports/backlog';
import { number, upToMost } from '../languages/numbers';
import { HealthBadge, healthOfRow, healthWords, phoneNumberNodeOf } from '../ui/words/line-health';
import { t } from '../languages/t';
import { contactText } from '../ui/contact';
import { CustomerField, hasCustomers, ofCustomer } from '../ui/customer-field';
import { useRequest } from '../ui/page-request';

export const linesPages: PanelRoute[] = [pageRoute('events.read', '/lines', showLines, { live: true })];

interface Seen {
  line: LineRow;
  health: LineHealth;
  lastEventAt: string | null;
  waiting: number;
  givenUp: number;
  /** Attempts to all destinations of the line in 24 hours. */
  attempts: AttemptHistory;
  destinations: number;
  /** How many destinations are failing or paused. */
  unhealthy: { failing: number; paused: number };
}

const PAGE = 100;
/** With more lines, the page has a search. */
const MOST_SEEN_AT_ONCE = 10;

async function showLines(context: UserContext) {
  const { deps, query } = context;
  const q = (query.get('q') ?? '').trim().slice(0, 200);
  const all = deps.lines.all();
  const [facts, unhealthy] = await Promise.all([lineFacts(deps), deps.store.destinations.unhealthy()]);
  const failing = new Set(unhealthy.filter(isHeldBack).map((one) => one.line_id));
  const health = new Map(all.map((line) => [line.id, healthOf(line, facts)]));
  const state = LINE_HEALTH.find((one) => one === query.get('state'));
  const isOfSilent = query.get('only') === 'silent';
  const like = linesLike(all, q).filter(
    (line) => (!isOfSilent || isSilent(deps, line)) && (!state || health.get(line.id) === state),
  );
  // By customer. Lines that need attention come first, by urgency.
  const words = healthWords();
  const rank = (id: number) => {
    const own = health.get(id) ?? 'unknown';
    const urgency = LINE_HEALTH.indexOf(own);
    if (words[own].tone === 'bad') return urgency;
    if (failing.has(id)) return LINE_HEALTH.length;
    return LINE_HEALTH.length + (words[own].tone === 'warn' ? urgency : LINE_HEALTH.length);
  };
  const order = new Map(context.customers().map((one, index) => [one && one.id, index]));
  const orderOf = (id: number | null) => order.get(id) ?? 0;
  const found = like.toSorted(
    (one, other) => orderOf(one.customerId) - orderOf(other.customerId) || rank(one.id) - rank(other.id),
  );
  const from = placeOf(query);
  const seen = await seenOf(
    deps,
    found.slice(from, from + PAGE).map(({ id }) => id),
    facts,
  );
  const asked = { ...(q && { q }), ...(state && { state }), ...(isOfSilent && { only: 'silent' }) };
  const isMany = all.length > MOST_SEEN_AT_ONCE || q !== '' || state !== undefined || hasCustomers(context);
  const filter = new FormState({ q, state: state ?? '' });
  const present = new Set(health.values());
  return page(
    <PageHead
      title={t('Lines')}
      actions={
        context.may('lines.manage') && (
          <a class="button primary" href="/panel/lines/new">
            {t('Add a line')}
          </a>
        )
      }
    >
      {t(
        'A line is a phone number that you send with. The gateway forwards its replies and delivery statuses to the destinations that you set.',
      )}
    </PageHead>,
    <>
      {isMany && (
        <form class="filter" method="get" action="/panel/lines" role="search">
          <TextField state={filter} name="q" label={t('Name or number')} type="search" maxLength={200} />
          <CustomerField />
          <SelectField
            state={filter}
            name="state"
            label={t('State')}
            choices={[
              { value: '', label: t.of('states', 'All') },
              ...LINE_HEALTH.filter((one) => one === state || present.has(one)).map((one) => ({
                value: one,
                label: words[one].label,
              })),
            ]}
          />
          <Submit tone="plain">{t('Search')}</Submit>
        </form>
      )}
      {isOfSilent && (
        <p>
          {t.rich('Only lines without a destination. <link>Show all lines</link>', {
            link: (parts) => <a href="/panel/lines">{parts}</a>,
          })}
        </p>
      )}
      <Card flush>
        <Live id="lines">
          {!all.length && !context.customer && <NoLine />}
          {(all.length > 0 || context.customer) && !found.length && (
            <Empty title={isOfSilent ? t('Every line has a destination') : t('No line matches')}>
              <a href="/panel/lines">{t('Show all lines')}</a>
            </Empty>
          )}
          {seen.length > 0 && <Lines seen={seen} />}
          <Places
            from={from}
            shown={seen.length}
            all={found.length}
            page={PAGE}
            hrefOf={(place) =>
              ofCustomer(context, `/panel/lines?${new URLSearchParams({ ...asked, from: String(place) })}`)
            }
          />
        </Live>
      </Card>
    </>,
  );
}

/** @param ids lines of the page, in order */
async function seenOf(deps: PanelDeps, ids: number[], facts: LineFacts): Promise<Seen[]> {
  const { store, clock } = deps;
  const [rows, destinations, lastEvents] = await Promise.all([
    store.lines.some(ids),
    store.destinations.active(isoTime(clock()), ids),
    store.glance.lastEvents(ids),
  ]);
  const destinationIds = destinations.map(({ id }) => id);
  const [backlogs, dead, attempts] = await Promise.all([
    store.backlog.of(destinationIds, MOST_GLANCED),
    store.backlog.deadOf(destinationIds),
    attemptsOf(deps, destinationIds),
  ]);
  const ofLine = Map.groupBy(destinations, ({ line_id: id }) => id);
  const lines = rows.toSorted((one, other) => ids.indexOf(one.id) - ids.indexOf(other.id));
  return lines.map((line): Seen => {
    const own = ofLine.get(line.id) ?? [];
    return {
      line,
      health: healthOfRow(line, facts),
      lastEventAt: lastEvents.get(line.id) ?? null,
      waiting: own.reduce((sum, { id }) => sum + (backlogs.get(id)?.count ?? 0), 0),
      givenUp: own.reduce((sum, { id }) => sum + (dead.get(id) ?? 0), 0),
      attempts: attempts(...own.map(({ id }) => id)),
      destinations: own.length,
      unhealthy: {
        failing: own.filter(isHeldBack).length,
        paused: own.filter((one) => one.paused_at !== null).length,
      },
    };
  });
}

function NoLine(): VNode {
  const { may } = useRequest();
  return (
    <Empty title={t('There is no line yet')}>
      <p>{t('Add the phone number that you want to send with. It takes a few minutes.')}</p>
      {may('lines.manage') && (
        <a class="button primary" href="/panel/lines/new">
          {t('Add the first line')}
        </a>
      )}
    </Empty>
  );
}

function Lines({ seen }: { seen: Seen[] }): VNode {
  const context = useRequest();
  const { may } = context;
  return (
    <Table
      caption={t('Lines')}
      brief="labelled"
      rows={seen}
      rowKey={({ line }) => line.id}
      groupOf={
        hasCustomers(context)
          ? ({ line: { customer_id: id, customer_name: name } }) => ({
              key: id ?? 0,
              title: name ?? t('No customer'),
            })
          : undefined
      }
      columns={[
        {
          label: t('Line'),
          heading: true,
          cell: ({ line }) => (
            <>
              <a class="row-link" href={`/panel/lines/${line.id}`}>
                {line.name}
              </a>
              <div class="quiet small number">{contactText(line.phone_number)}</div>
            </>
          ),
        },
        { label: t('State'), cell: State },
        {
          label: t('Quality'),
          cell: ({ line }) => <QualityBadge rating={phoneNumberNodeOf(line)?.quality_rating} />,
        },
        { label: t('Destinations'), cell: Destinations },
        { label: t('24 h'), cell: ({ attempts }) => <StripShare of={attempts} /> },
        {
          label: t('Last event'),
          cell: ({ lastEventAt }) =>
            lastEventAt === null ? (
              <Nothing>{t('none lately')}</Nothing>
            ) : (
              <div class="stack">
                <Time at={lastEventAt} to="minute" />
              </div>
            ),
        },
        {
          label: t('Waiting'),
          cell: Waiting,
        },
        {
          label: t('Actions'),
          actions: true,
          cell: ({ line }) =>
            may('lines.manage', line.id) && (
              <a class="button plain small" href={`/panel/lines/${line.id}/edit`}>
                {t.rich('Settings<more> of {name}</more>', {
                  name: line.name,
                  more: (parts) => <span class="sr-only">{parts}</span>,
                })}
              </a>
            ),
        },
      ]}
    />
  );
}

const State = ({ line, health }: Seen): VNode => (
  <span class="cluster">
    <HealthBadge health={health} />
    {line.api_disabled_at !== null && <Badge tone="warn">{t('API off')}</Badge>}
    {line.customer_suspended_at !== null && <Badge tone="warn">{t('Customer suspended')}</Badge>}
  </span>
);

/** Counts of waiting and given up deliveries, linked to the list. */
function Waiting({ line, waiting, givenUp }: Seen): VNode {
  if (!waiting && !givenUp) return <Nothing>{t('nothing')}</Nothing>;
  const ofLine = <span class="sr-only">: {line.name}</span>;
  return (
    <span class="cluster number">
      {waiting > 0 ? (
        <a href={`/panel/events?line=${line.id}&state=open`}>
          {upToMost(waiting, MOST_GLANCED)}
          {ofLine}
        </a>
      ) : (
        <span class="quiet">{t('nothing')}</span>
      )}
      {givenUp > 0 && (
        <a class="given-up" href={`/panel/events?line=${line.id}&state=dead`}>
          {t('{shown} given up', { shown: upToMost(givenUp, MOST_GLANCED) })}
          {ofLine}
        </a>
      )}
    </span>
  );
}

/** Counts of destinations. A line without destinations is marked, because it forwards nothing. */
const Destinations = ({ line, destinations, unhealthy }: Seen): VNode => (
  <span class="cluster">
    {destinations ? (
      <span class="number">{number(destinations)}</span>
    ) : (
      <Badge tone="info">{t('none')}</Badge>
    )}
    {unhealthy.failing > 0 && (
      <a href={`/panel/lines/${line.id}`}>
        <Badge tone="bad">
          {t('{count, plural, one {# failing} other {# failing}}', { count: unhealthy.failing })}
        </Badge>
        <span class="sr-only">: {line.name}</span>
      </a>
    )}
    {unhealthy.paused > 0 && (
      <Badge tone="warn">
        {t('{count, plural, one {# paused} other {# paused}}', { count: unhealthy.paused })}
      </Badge>
    )}
  </span>
);
