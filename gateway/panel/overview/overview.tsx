import { type ComponentChildren, type VNode } from 'preact';
import { type DeliveryBacklog } from '../../store/reports/backlog';
import { type Counts } from '../../store/reports/history';
import { isoTime } from '../../time';
import { Chart, Sparkline, type ChartProps } from '../ui/chart';
import { Live } from '../ui/live';
import { Badge, Card, PageHead, Time, Zone } from '../ui/parts';
import { viewerPage, page, type Outcome, type PanelRoute, type UserContext } from '../request-context';
import { attentionOf, type Attention } from './attention';
import { TryNow } from '../ui/held-back';
import { counted, upToMost } from '../ui/counts';
import { dayBefore, lastDay, RANGES, spansOf, type RangeName, type SpanSeen } from './history';

/** How it goes, and what needs somebody. */
export const overviewPages: PanelRoute[] = [viewerPage('/overview', showOverview, { live: true })];

async function showOverview(context: UserContext): Promise<Outcome> {
  const { deps, query } = context;
  const range = (Object.keys(RANGES) as RangeName[]).find((name) => name === query.get('range')) ?? '24h';
  const shown = (Object.keys(SHOWN) as ShownName[]).find((name) => name === query.get('show')) ?? 'events';
  const [hours, before, spans, backlog] = await Promise.all([
    lastDay(deps),
    dayBefore(deps),
    spansOf(deps, range),
    deps.store.backlog.inAll(),
  ]);
  const attention = folded(await attentionOf(context, backlog.dead, hours));
  const isFresh = deps.lines.all().length === 0;
  const urgent = attention.filter(({ tone }) => tone === 'bad').length;
  return page(
    urgent ? `(${urgent}) Overview` : 'Overview',
    <>
      <PageHead title="Overview">
        Times are in <Zone />.
      </PageHead>
      <Live id="status">{!isFresh && <Status hours={hours} backlog={backlog} attention={attention} />}</Live>
      <Live id="figures">{!isFresh && <Figures hours={hours} before={before} backlog={backlog} />}</Live>
      <Live id="attention">
        {isFresh ? (
          <Begin context={context} />
        ) : (
          attention.length > 0 && <AttentionCard context={context} attention={attention} />
        )}
      </Live>
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

/** Of a gateway that has no line yet. */
function Begin({ context }: { context: UserContext }): VNode {
  return (
    <Card title="Begin here">
      <p>
        {context.mayChange
          ? 'This gateway has no line yet, so it can neither send nor receive. A few steps lead from here to the first message; the page shows which comes next.'
          : 'This gateway has no line yet, so it can neither send nor receive. An operator has to add one.'}
      </p>
      <div class="actions">
        <a class={`button ${context.mayChange ? 'primary' : 'plain'}`} href="/panel/start">
          First steps
        </a>
        {context.mayChange && (
          <a class="button plain" href="/panel/lines/new">
            Add a line at once
          </a>
        )}
      </div>
    </Card>
  );
}

const Quiet = ({ range }: { range: RangeName }): VNode => (
  <Card
    title={`Nothing happened in the ${RANGES[range].words}`}
    actions={<Ranges range={range} shown="events" />}
  >
    <p>
      Nothing was sent and nothing came in. A chart appears here with the first message.{' '}
      <a href="/panel/start">First steps</a> leads to it.
    </p>
  </Card>
);

const sum = (spans: SpanSeen[], of: 'messages' | 'failed' | 'events'): number =>
  spans.reduce((all, span) => all + span[of], 0);

interface SeenProps {
  hours: SpanSeen[];
  backlog: DeliveryBacklog;
}

/** How it goes, in a sentence. */
function Status({ hours, backlog, attention }: SeenProps & { attention: Attention[] }): VNode {
  const [first] = attention;
  const urgent = attention.filter(({ tone }) => tone === 'bad').length;
  const isQuiet = !first || first.tone === 'info';
  const latest = hours.findLast(({ typical }) => typical !== null);
  const calm = isQuiet ? 'good' : 'warn';
  const traffic = `${counted(sum(hours, 'events'), 'event', 'events')} and ${counted(sum(hours, 'messages'), 'message', 'messages')} in 24 hours`;
  return (
    <p class="status" data-tone={urgent ? 'bad' : calm} role="status">
      <span class="status-dot" aria-hidden="true" />
      <span>
        {isQuiet ? (
          <>
            <strong>{backlog.pending ? 'All is well.' : 'Everything is delivered.'}</strong> {traffic}
            {typeof latest?.typical === 'number' && `, most within ${took(latest.typical)}`}.
          </>
        ) : (
          <>
            <strong>
              {first.title}
              {attention.length > 1 && `, and ${counted(attention.length - 1, 'more thing', 'more things')}`}.
            </strong>{' '}
            {traffic}.
          </>
        )}
      </span>
    </p>
  );
}

const WORDS: Record<string, string> = { bad: 'Urgent', warn: 'Soon', info: 'Note' };
/** Lines that pass nothing on are told one by one up to so many. */
const MOST_SILENT = 3;

/** A thousand lines are no thousand notes. */
function folded(attention: Attention[]): Attention[] {
  const silent = attention.filter(({ key }) => key.startsWith('forwarding-'));
  if (silent.length <= MOST_SILENT) return attention;
  return [
    ...attention.filter((one) => !silent.includes(one)),
    {
      key: 'forwarding',
      tone: 'info',
      title: `${silent.length.toLocaleString('en')} lines pass nothing on`,
      text: 'They have no destination, so that replies and delivery statuses stay here.',
      href: '/panel/lines',
      remedy: 'See the lines',
    },
  ];
}

function AttentionCard({ context, attention }: { context: UserContext; attention: Attention[] }): VNode {
  return (
    <Card title="What needs attention" flush>
      <ul class="attention">
        {attention.map(({ key, tone, title, text, href, remedy, tryNow }) => (
          <li key={key} data-tone={tone}>
            <div class="stack close">
              <h3 class="long">
                <Badge tone={tone}>{WORDS[tone] ?? 'Note'}</Badge> {title}
              </h3>
              <p class="quiet long">{text}</p>
            </div>
            <div class="actions">
              {tryNow && <TryNow context={context} destination={tryNow} from="overview" />}
              <a class="button plain" href={href}>
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

/** "340 ms", "2.5 s", "3 min". */
function took(milliseconds: number): string {
  if (milliseconds < 1_000) return `${Math.round(milliseconds)} ms`;
  if (milliseconds < 60_000) return `${Number((milliseconds / 1_000).toFixed(1))} s`;
  return `${Math.round(milliseconds / 60_000)} min`;
}

/** @param before in the same time a day before */
function Figures({ hours, before, backlog }: SeenProps & { before: Counts }): VNode {
  const latest = hours.findLast(({ typical }) => typical !== null);
  const of = (pick: (hour: SpanSeen) => number | null) => hours.map(pick);
  const inADay = (count: number) =>
    `in 24 hours${count ? `\n${count.toLocaleString('en')} the day before` : ''}`;
  const tiles: {
    label: string;
    value: string;
    more: string;
    href: string;
    line: (number | null)[];
    isBad?: boolean;
  }[] = [
    {
      label: 'Messages sent',
      value: sum(hours, 'messages').toLocaleString('en'),
      more: inADay(before.messages),
      href: '/panel/messages',
      line: of(({ messages }) => messages),
    },
    {
      label: 'Messages failed',
      value: sum(hours, 'failed').toLocaleString('en'),
      more: inADay(before.failed),
      href: '/panel/messages?state=failed',
      line: of(({ failed }) => failed),
      isBad: sum(hours, 'failed') > 0,
    },
    {
      label: 'Events received',
      value: sum(hours, 'events').toLocaleString('en'),
      more: inADay(before.events),
      href: '/panel/events',
      line: of(({ events }) => events),
    },
    {
      label: 'Still to deliver',
      value: upToMost(backlog.pending),
      more: `${upToMost(backlog.dead)} given up`,
      href: '/panel/events?state=waiting',
      line: of(({ backlog: waits }) => waits),
      isBad: backlog.dead > 0,
    },
    {
      label: 'Until delivered',
      value: typeof latest?.typical === 'number' ? took(latest.typical) : '–',
      more:
        typeof latest?.slow === 'number' ? `19 of 20 within ${took(latest.slow)}` : 'nothing was delivered',
      href: '/panel/events?state=delivered',
      line: of(({ typical }) => typical),
    },
  ];
  return (
    <div class="tiles">
      {tiles.map(({ label, value, more, href, line, isBad }) => (
        <a key={label} class="tile figure" href={href} data-bad={isBad ? '' : undefined}>
          <span class="tile-label">{label}</span>
          <span class="tile-value">{value}</span>
          <span class="tile-more">{more}</span>
          <Sparkline values={line} />
        </a>
      ))}
    </div>
  );
}

const SHOWN = {
  events: { label: 'Received', title: 'Events received' },
  messages: { label: 'Sent', title: 'Messages sent, and failed' },
  backlog: { label: 'Waiting', title: 'Deliveries that still waited' },
  speed: { label: 'Speed', title: 'Time from the arrival of an event until it was delivered' },
};
type ShownName = keyof typeof SHOWN;

const address = (range: RangeName, shown: ShownName): string =>
  `/panel/overview?${new URLSearchParams({ range, show: shown })}#charts`;

function Ranges({ range, shown }: { range: RangeName; shown: ShownName }): VNode {
  return (
    <nav class="switch" aria-label="Time shown">
      {(Object.keys(RANGES) as RangeName[]).map((name) => (
        <a key={name} href={address(name, shown)} aria-current={name === range ? 'true' : undefined}>
          {RANGES[name].label}
        </a>
      ))}
    </nav>
  );
}

type Common = Pick<ChartProps, 'id' | 'title' | 'times' | 'told' | 'hrefOf'>;

const valuesOf = (spans: SpanSeen[], pick: (span: SpanSeen) => number | null) => spans.map(pick);

const CHARTS: Record<ShownName, (common: Common, spans: SpanSeen[], range: RangeName) => VNode> = {
  events: (common, spans, range) => (
    <Chart
      {...common}
      summary={busiest(spans, 'events', range)}
      series={[{ label: 'Events', values: valuesOf(spans, ({ events }) => events) }]}
      kind="bars"
    />
  ),
  messages: (common, spans, range) => (
    <Chart
      {...common}
      summary={
        <>
          {busiest(spans, 'messages', range)} {counted(sum(spans, 'failed'), 'message', 'messages')} failed.
        </>
      }
      series={[
        { label: 'Messages', values: valuesOf(spans, ({ messages }) => messages) },
        { label: 'Failed', values: valuesOf(spans, ({ failed }) => failed), isBad: true },
      ]}
      kind="bars"
    />
  ),
  backlog: (common, spans) => {
    const peak = Math.max(...spans.map(({ backlog }) => backlog));
    return (
      <Chart
        {...common}
        summary={
          peak ? (
            <>
              At most {peak.toLocaleString('en')} at the end of one, of what came in since{' '}
              <Time at={common.times[0] ?? ''} to="minute" />.
            </>
          ) : (
            'Everything went out at once.'
          )
        }
        series={[{ label: 'Waiting', values: valuesOf(spans, ({ backlog }) => backlog) }]}
        kind="bars"
      />
    );
  },
  speed: ({ hrefOf: _none, ...common }, spans) => {
    const slowest = Math.max(...spans.map(({ slow }) => slow ?? 0));
    return (
      <Chart
        {...common}
        summary={
          slowest
            ? `Of the first 1,000 deliveries of each: 19 of 20 took ${took(slowest)} or less, even in the slowest.`
            : 'Nothing that took a measurable time.'
        }
        series={[
          { label: 'Half were faster than', values: valuesOf(spans, ({ typical }) => typical) },
          { label: '19 of 20 were faster than', values: valuesOf(spans, ({ slow }) => slow) },
        ]}
        kind="curve"
        say={took}
      />
    );
  },
};

/** One chart: of what is chosen, in the time that is chosen. A bar leads to what it counts. */
function History({ range, shown, spans }: { range: RangeName; shown: ShownName; spans: SpanSeen[] }): VNode {
  const times = spans.map(({ from }) => isoTime(from));
  const list = shown === 'messages' ? '/panel/messages' : '/panel/events';
  const hrefOf = (index: number) => {
    const from = spans[index]?.from ?? 0;
    return `${list}?${new URLSearchParams({ from: isoTime(from), to: isoTime(from + RANGES[range].length) })}`;
  };
  const common = {
    id: 'chart',
    title: `${SHOWN[shown].title}, ${RANGES[range].each}`,
    times,
    told: range === '24h' ? ('hour' as const) : ('day' as const),
  };
  return (
    <Card
      title={SHOWN[shown].title}
      actions={
        <>
          <nav class="switch" aria-label="What is shown">
            {(Object.keys(SHOWN) as ShownName[]).map((name) => (
              <a key={name} href={address(range, name)} aria-current={name === shown ? 'true' : undefined}>
                {SHOWN[name].label}
              </a>
            ))}
          </nav>
          <Ranges range={range} shown={shown} />
        </>
      }
    >
      {CHARTS[shown]({ ...common, hrefOf }, spans, range)}
    </Card>
  );
}

function busiest(spans: SpanSeen[], key: 'messages' | 'events', range: RangeName): ComponentChildren {
  const most = spans.reduce((best, span) => (span[key] > best[key] ? span : best));
  if (!most[key]) return `None in the ${RANGES[range].words}.`;
  return (
    <>
      {sum(spans, key).toLocaleString('en')} in all; most from <Time at={isoTime(most.from)} to="minute" />:{' '}
      {most[key].toLocaleString('en')}.
    </>
  );
}
