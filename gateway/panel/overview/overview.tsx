import { type ComponentChildren, type VNode } from 'preact';
import { type DeliveryBacklog } from '../../store/reports/backlog';
import { type Counts } from '../../store/reports/history';
import { isoTime } from '../../time';
import { Chart, Sparkline, type ChartProps } from '../ui/history/chart';
import { Live } from '../ui/live';
import { Badge, Card, PageHead, Time, Zone } from '../ui/parts';
import { page, type PanelResponse } from '../outcome';
import { pageRoute, type PanelRoute } from '../panel-route';
import { type UserContext } from '../request-context';
import { attentionOf, type Attention } from './attention';
import { troubleOf } from '../ui/frame/trouble';
import { attemptsOf } from '../ui/history/attempts';
import { DestinationsCard, destinationsSeen } from './destinations';
import { RangeSwitch } from '../ui/history/range-switch';
import { RANGES, rangeIn, rangeWords, type RangeName } from '../ui/history/spans';
import { dayBefore, lastDay, spansOf, type SpanSeen } from './history';
import { number, upToMost } from '../languages/numbers';
import { t } from '../languages/t';
import { CustomerFilter, ofCustomer } from '../ui/customer-field';
import { useRequest } from '../ui/page-request';

/** The state of the gateway, and what needs attention. */
export const overviewPages: PanelRoute[] = [
  pageRoute('events.read', '/overview', showOverview, { live: true }),
];

async function showOverview(context: UserContext): Promise<PanelResponse> {
  const { deps, query } = context;
  const range = rangeIn(query);
  const shown =
    (Object.keys(shownWords()) as ShownName[]).find((name) => name === query.get('show')) ?? 'events';
  const [hours, before, spans, backlog, attempts] = await Promise.all([
    lastDay(deps),
    dayBefore(deps),
    spansOf(deps, range),
    deps.store.backlog.inAll(),
    attemptsOf(deps, null),
  ]);
  const [destinations, found, { incidents }] = await Promise.all([
    destinationsSeen(context, attempts),
    attentionOf(context, backlog.dead, hours, attempts),
    troubleOf(deps),
  ]);
  const attention = folded(found);
  const isFresh = deps.lines.all().length === 0 && !context.customer;
  const urgent = attention.filter(({ tone }) => tone === 'bad').length;
  return page(
    <PageHead tab={urgent ? `(${urgent}) ${t('Overview')}` : t('Overview')} title={t('Overview')}>
      {t.rich('Times are in {zone}.', { zone: <Zone /> })}
    </PageHead>,
    <>
      <CustomerFilter action="/panel/overview" fields={{ range, show: shown }} />
      <Live id="status">
        {!isFresh && (
          <Status hours={hours} backlog={backlog} attention={attention} isPassingOn={passesOn(deps)} />
        )}
      </Live>
      <Live id="attention">
        {isFresh ? (
          <Begin />
        ) : (
          attention.length > 0 && <AttentionCard attention={attention} incidents={incidents} />
        )}
      </Live>
      <Live id="figures">{!isFresh && <Figures hours={hours} before={before} backlog={backlog} />}</Live>
      <Live id="destinations">{destinations.length > 0 && <DestinationsCard seen={destinations} />}</Live>
      <Live id="charts">
        {spans.some(({ messages, events, backlog: waits }) => messages || events || waits) ? (
          <History range={range} shown={shown} spans={spans} />
        ) : (
          !isFresh && <Quiet range={range} />
        )}
      </Live>
    </>,
  );
}

/** Whether any line has a destination. */
const passesOn = ({ lines, destinations }: UserContext['deps']): boolean =>
  lines.all().some(({ id }) => destinations.ofLine(id).length > 0);

/** Shown on a gateway without lines. */
function Begin(): VNode {
  const { may } = useRequest();
  if (!may('events.read', null))
    return (
      <Card title={t('You have no lines yet')}>
        <p>{t('Ask an owner of this gateway to add one for you.')}</p>
      </Card>
    );
  return (
    <Card title={t('Start here')}>
      <p>
        {may('lines.manage')
          ? t(
              "This gateway has no line yet, so it can't send or receive messages. Follow these steps to send your first message.",
            )
          : t(
              'This gateway has no line yet, so it can neither send nor receive. Ask an owner or an admin to add one.',
            )}
      </p>
      <div class="actions">
        <a class={`button ${may('lines.manage') ? 'primary' : 'plain'}`} href="/panel/start">
          {t('First steps')}
        </a>
        {may('lines.manage') && (
          <a class="button plain" href="/panel/lines/new">
            {t('Add a line now')}
          </a>
        )}
      </div>
    </Card>
  );
}

const nothingIn = (range: RangeName): string =>
  ({
    '24h': t('Nothing happened in the last 24 hours'),
    '7d': t('Nothing happened in the last 7 days'),
    '30d': t('Nothing happened in the last 30 days'),
  })[range];

const Quiet = ({ range }: { range: RangeName }): VNode => (
  <Card title={nothingIn(range)} actions={<Ranges range={range} shown="events" />}>
    <p>
      {useRequest().may('events.read', null)
        ? t.rich(
            'No messages were sent or received. The first message starts a chart here. See <link>First steps</link>.',
            { link: (parts) => <a href="/panel/start">{parts}</a> },
          )
        : t('No messages were sent or received. The first message starts a chart here.')}
    </p>
  </Card>
);

const sum = (spans: SpanSeen[], of: 'messages' | 'failed' | 'events'): number =>
  spans.reduce((all, span) => all + span[of], 0);

interface SeenProps {
  hours: SpanSeen[];
  backlog: DeliveryBacklog;
}

interface StatusProps extends SeenProps {
  attention: Attention[];
  isPassingOn: boolean;
}

/** A sentence about the state of the gateway. */
function Status({ hours, backlog, attention, isPassingOn }: StatusProps): VNode {
  const [first] = attention;
  const urgent = countOf(attention.filter(({ tone }) => tone === 'bad'));
  const isQuiet = !first || first.tone === 'info';
  const latest = hours.findLast(({ typical }) => typical !== null);
  const calm = isPassingOn ? 'good' : 'idle';
  const mild = isQuiet ? calm : 'warn';
  const counts = { events: sum(hours, 'events'), messages: sum(hours, 'messages') };
  return (
    <p class="status" data-tone={urgent ? 'bad' : mild} role="status">
      <span class="status-dot" aria-hidden="true" />
      <span>
        <strong>
          {isQuiet
            ? calmWords(backlog, isPassingOn, latest !== undefined)
            : needsWords(
                attention.filter(({ tone }) => tone !== 'info'),
                urgent,
              )}
        </strong>{' '}
        {isQuiet && typeof latest?.typical === 'number'
          ? t(
              '{events, plural, one {# event} other {# events}} and {messages, plural, one {# message} other {# messages}} in 24 hours, most within {took}.',
              { ...counts, took: took(latest.typical) },
            )
          : t(
              '{events, plural, one {# event} other {# events}} and {messages, plural, one {# message} other {# messages}} in 24 hours.',
              counts,
            )}
      </span>
    </p>
  );
}

/** @param hasDelivered whether anything was delivered in the last 24 hours */
function calmWords({ pending }: DeliveryBacklog, isPassingOn: boolean, hasDelivered: boolean): string {
  if (!isPassingOn) return t('No events are forwarded yet.');
  if (pending) return t('All is well.');
  return hasDelivered ? t('Everything is delivered.') : t('Nothing is waiting.');
}

/** The number of problems: a row may stand for several. */
const countOf = (attention: Attention[]): number => attention.reduce((sum, { count = 1 }) => sum + count, 0);

/** The title of the only problem, or the number of problems. Hints don't count. */
function needsWords(attention: Attention[], urgent: number): ComponentChildren {
  const count = countOf(attention);
  if (attention.length === 1) return <>{attention[0]?.title}.</>;
  if (!urgent || urgent === count) return t('{count, number} things need attention.', { count });
  return t('{count, number} things need attention, {urgent, number} of them urgent.', { count, urgent });
}

const urgencyWord = (tone: Attention['tone']): string => {
  if (tone === 'bad') return t('Urgent');
  return tone === 'warn' ? t('Warning') : t('Info');
};

/** Above this number, hints of one kind share a row. */
const MOST_NOTES = 3;

/** Combines hints about many lines. */
const folded = (attention: Attention[]): Attention[] =>
  foldedOf(foldedOf(attention, 'forwarding', silentLines), 'callback', linesNotCalled);

type OfMany = (count: number) => Pick<Attention, 'title' | 'text' | 'href'>;

const silentLines: OfMany = (count) => ({
  title: t('{count, number} lines have no destination', { count }),
  text: t('Their replies and delivery statuses are stored but not forwarded.'),
  href: '/panel/lines?only=silent',
});

const linesNotCalled: OfMany = (count) => ({
  title: t('The callbacks of {count, number} lines are not connected', { count }),
  text: t('The platform has not called this gateway yet. Without the callback, no events arrive.'),
  href: '/panel/lines',
});

/** @param key of the combined row; single rows append the line's id */
function foldedOf(attention: Attention[], key: string, ofMany: OfMany): Attention[] {
  const ofKind = attention.filter((one) => one.key.startsWith(`${key}-`));
  if (ofKind.length <= MOST_NOTES) return attention;
  return [
    ...attention.filter((one) => !ofKind.includes(one)),
    { key, tone: 'info', ...ofMany(ofKind.length), remedy: t('See the lines') },
  ];
}

/** @param incidents as in the menu; some rows are not incidents, and some stand for several */
function AttentionCard({ attention, incidents }: { attention: Attention[]; incidents: number }): VNode {
  const context = useRequest();
  return (
    <Card
      title={t('What needs attention')}
      flush
      actions={
        incidents > 0 && (
          <a href={ofCustomer(context, '/panel/alerts')}>
            {t('{incidents, plural, one {# open incident} other {# open incidents}}', { incidents })}
          </a>
        )
      }
    >
      <ul class="attention">
        {attention.map(({ key, tone, title, day, text, href, remedy, act }) => (
          <li key={key} class={tone === 'bad' ? undefined : 'mild'}>
            <span class="urgency">
              <Badge tone={tone}>{urgencyWord(tone)}</Badge>
              {day}
            </span>
            <div class="stack close">
              <h3 class="long">{title}</h3>
              <p class="quiet long">{text}</p>
            </div>
            <div class="actions">
              {act}
              <a class="button plain" href={ofCustomer(context, href)}>
                {remedy}
                <span class="sr-only">: {title}</span>
              </a>
            </div>
          </li>
        ))}
      </ul>
    </Card>
  );
}

/** A duration such as "340 ms", "2.5 s" or "3 min". */
function took(milliseconds: number): string {
  if (milliseconds < 1_000) return `${Math.round(milliseconds)} ms`;
  if (milliseconds < 60_000) return `${number(Number((milliseconds / 1_000).toFixed(1)))} s`;
  return `${Math.round(milliseconds / 60_000)} min`;
}

/** @param before counts of the same period one day earlier */
function Figures({ hours, before, backlog }: SeenProps & { before: Counts }): VNode {
  const context = useRequest();
  const latest = hours.findLast(({ typical }) => typical !== null);
  const of = (pick: (hour: SpanSeen) => number | null) => hours.map(pick);
  const mayRead = context.may('messages.read');
  const inADay = (count: number) =>
    [t('in 24 hours'), ...(count ? [t('{count, number} the day before', { count })] : [])].join('\n');
  const tiles: {
    label: string;
    value: string;
    more: ComponentChildren;
    /** Null if the user may not open the list. */
    href: string | null;
    line: (number | null)[];
    isBad?: boolean;
  }[] = [
    {
      label: t('Messages sent'),
      value: number(sum(hours, 'messages')),
      more: inADay(before.messages),
      href: mayRead ? '/panel/messages' : null,
      line: of(({ messages }) => messages),
    },
    {
      label: t('Messages failed'),
      value: number(sum(hours, 'failed')),
      more: inADay(before.failed),
      href: mayRead ? '/panel/messages?state=failed' : null,
      line: of(({ failed }) => failed),
      isBad: sum(hours, 'failed') > 0,
    },
    {
      label: t('Events received'),
      value: number(sum(hours, 'events')),
      more: inADay(before.events),
      href: '/panel/events',
      line: of(({ events }) => events),
    },
    {
      label: t('Waiting'),
      value: upToMost(backlog.pending),
      more: backlog.dead ? <GivenUp {...backlog} /> : t('nothing given up'),
      href: '/panel/events?state=open',
      line: of(({ backlog: waits }) => waits),
    },
    {
      label: t('Median delivery time'),
      value: typeof latest?.typical === 'number' ? took(latest.typical) : '–',
      more:
        typeof latest?.slow === 'number'
          ? t('95% within {took}', { took: took(latest.slow) })
          : t('nothing was delivered'),
      href: '/panel/events?state=delivered',
      line: of(({ typical }) => typical),
    },
  ];
  return (
    <div class="tiles">
      {tiles.map(({ label, value, more, href, line, isBad }) => (
        <div key={label} class="tile figure" data-bad={isBad ? '' : undefined}>
          <span class="quiet small">{label}</span>
          {href === null ? (
            <span class="tile-value">{value}</span>
          ) : (
            <a class="tile-value row-link" href={ofCustomer(context, href)}>
              <span class="sr-only">{label}: </span>
              {value}
            </a>
          )}
          <span class="tile-more quiet small">{more}</span>
          <Sparkline values={line} />
        </div>
      ))}
    </div>
  );
}

/** Given up deliveries, which are not part of the waiting ones. */
const GivenUp = ({ pending, dead }: DeliveryBacklog): VNode => (
  <a class="given-up" href={ofCustomer(useRequest(), '/panel/events?state=dead')}>
    {pending
      ? t('{dead, plural, one {{shown} more given up} other {{shown} more given up}}', {
          dead,
          shown: upToMost(dead),
        })
      : t('{dead, plural, one {{shown} given up} other {{shown} given up}}', { dead, shown: upToMost(dead) })}
  </a>
);

const shownWords = () => ({
  events: { label: t.of('events', 'Received'), title: t('Events received') },
  messages: { label: t.of('messages', 'Sent'), title: t('Messages sent, and failed') },
  backlog: { label: t('Waiting'), title: t('Waiting deliveries') },
  speed: { label: t('Speed'), title: t('Time from the arrival of an event until it was delivered') },
});
type ShownName = keyof ReturnType<typeof shownWords>;

const address = (range: RangeName, shown: ShownName): string =>
  `/panel/overview?${new URLSearchParams({ range, show: shown })}#charts`;

const Ranges = ({ range, shown }: { range: RangeName; shown: ShownName }): VNode => (
  <RangeSwitch range={range} hrefOf={(name) => address(name, shown)} />
);

type Common = Pick<ChartProps, 'id' | 'title' | 'times' | 'told' | 'hrefOf'>;

const valuesOf = (spans: SpanSeen[], pick: (span: SpanSeen) => number | null) => spans.map(pick);

const CHARTS: Record<ShownName, (common: Common, spans: SpanSeen[], range: RangeName) => VNode> = {
  events: (common, spans, range) => (
    <Chart
      {...common}
      summary={busiest(spans, 'events', range)}
      series={[{ label: t('Events'), values: valuesOf(spans, ({ events }) => events) }]}
      kind="bars"
    />
  ),
  messages: (common, spans, range) => (
    <Chart
      {...common}
      summary={
        <>
          {busiest(spans, 'messages', range)}{' '}
          {t('{count, plural, one {# message failed.} other {# messages failed.}}', {
            count: sum(spans, 'failed'),
          })}
        </>
      }
      series={[
        { label: t('Messages'), values: valuesOf(spans, ({ messages }) => messages) },
        { label: t.of('messages', 'Failed'), values: valuesOf(spans, ({ failed }) => failed), isBad: true },
      ]}
      kind="bars"
    />
  ),
  backlog: (common, spans) => {
    const peak = Math.max(...spans.map(({ backlog }) => backlog));
    return (
      <Chart
        {...common}
        summary={peak ? t('Peak: {peak, number} waiting.', { peak }) : t('Everything was sent immediately.')}
        series={[{ label: t('Waiting'), values: valuesOf(spans, ({ backlog }) => backlog) }]}
        kind="bars"
      />
    );
  },
  speed: ({ hrefOf: _none, ...common }, spans, range) => {
    const slowest = Math.max(...spans.map(({ slow }) => slow ?? 0));
    return (
      <Chart
        {...common}
        summary={slowest ? slowestWords(range, took(slowest)) : t('No measurable delivery time.')}
        series={[
          { label: t('Median'), values: valuesOf(spans, ({ typical }) => typical) },
          { label: t('95% were faster than'), values: valuesOf(spans, ({ slow }) => slow) },
        ]}
        kind="curve"
        say={took}
      />
    );
  },
};

function slowestWords(range: RangeName, slowest: string): string {
  if (range === '24h') return t('Slowest hour: 95% within {slowest}.', { slowest });
  if (range === '7d') return t('Slowest six hours: 95% within {slowest}.', { slowest });
  return t('Slowest day: 95% within {slowest}.', { slowest });
}

/** The chart of the chosen metric and range. Each bar links to the counted items. */
function History({ range, shown, spans }: { range: RangeName; shown: ShownName; spans: SpanSeen[] }): VNode {
  const context = useRequest();
  const times = spans.map(({ from }) => isoTime(from));
  const list = shown === 'messages' ? '/panel/messages' : '/panel/events';
  const mayOpen = shown !== 'messages' || context.may('messages.read');
  const hrefOf = (index: number) => {
    const from = spans[index]?.from ?? 0;
    const query = new URLSearchParams({ from: isoTime(from), to: isoTime(from + RANGES[range].length) });
    return ofCustomer(context, `${list}?${query}`);
  };
  const common = {
    id: 'chart',
    title: `${shownWords()[shown].title}, ${rangeWords()[range].each}`,
    times,
    told: range === '24h' ? ('hour' as const) : ('day' as const),
  };
  return (
    <Card
      title={shownWords()[shown].title}
      actions={
        <>
          <nav class="switch" aria-label={t('What is shown')}>
            {(Object.keys(shownWords()) as ShownName[]).map((name) => (
              <a key={name} href={address(range, name)} aria-current={name === shown ? 'true' : undefined}>
                {shownWords()[name].label}
              </a>
            ))}
          </nav>
          <Ranges range={range} shown={shown} />
        </>
      }
    >
      {CHARTS[shown]({ ...common, ...(mayOpen && { hrefOf }) }, spans, range)}
    </Card>
  );
}

function busiest(spans: SpanSeen[], key: 'messages' | 'events', range: RangeName): ComponentChildren {
  const most = spans.reduce((best, span) => (span[key] > best[key] ? span : best));
  if (!most[key])
    return {
      '24h': t('None in the last 24 hours.'),
      '7d': t('None in the last 7 days.'),
      '30d': t('None in the last 30 days.'),
    }[range];
  return t.rich('{all, number} in all; most from {when}: {most, number}.', {
    all: sum(spans, key),
    when: <Time at={isoTime(most.from)} to="minute" />,
    most: most[key],
  });
}
