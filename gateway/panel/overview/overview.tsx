import { type VNode } from 'preact';
import { type DeliveryBacklog } from '../../store/reports/delivery-list';
import { isoTime } from '../../time';
import { Chart } from '../ui/chart';
import { Live } from '../ui/live';
import { Badge, Card, Hour, Notice, PageHead, Zone } from '../ui/parts';
import { viewerPage, page, type Outcome, type PanelRoute, type UserContext } from '../request-context';
import { attentionOf, type Attention } from './attention';
import { TryNow } from '../ui/held-back';
import { upToMost } from '../ui/counts';
import { lastDay, type HourSeen } from './history';

/** How it goes, and what needs somebody. */
export const overviewPages: PanelRoute[] = [viewerPage('/overview', showOverview, { live: true })];

async function showOverview(context: UserContext): Promise<Outcome> {
  const { deps } = context;
  const [hours, backlog] = await Promise.all([lastDay(deps), deps.store.deliveryList.backlog()]);
  const attention = await attentionOf(context, backlog.dead, hours);
  const isFresh = deps.lines.all().length === 0;
  return page(
    'Overview',
    <>
      <PageHead title="Overview">
        How the gateway has been doing in the last 24 hours. Times are in <Zone />.
      </PageHead>
      <Live id="attention">
        {isFresh ? <Begin context={context} /> : <AttentionCard context={context} attention={attention} />}
      </Live>
      <Live id="figures">
        <Figures hours={hours} backlog={backlog} />
      </Live>
      <Live id="charts">
        {hours.some(({ messages, events, backlog: waits }) => messages || events || waits) ? (
          <Charts hours={hours} />
        ) : (
          !isFresh && <Quiet />
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
          ? 'This gateway has no line yet, so it can neither send nor receive. Four steps lead from here to the first message; the page shows which comes next.'
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

const Quiet = (): VNode => (
  <Card title="Nothing happened in the last 24 hours">
    <p>
      Nothing was sent and nothing came in. Charts appear here with the first message.{' '}
      <a href="/panel/start">The first steps</a> have a command to copy that sends one.
    </p>
  </Card>
);

const WORDS: Record<string, string> = { bad: 'Urgent', warn: 'Soon', info: 'Note' };

function AttentionCard({ context, attention }: { context: UserContext; attention: Attention[] }): VNode {
  if (!attention.length)
    return (
      <Notice tone="good">
        <p>
          <strong>Nothing needs you.</strong> Lines are connected, destinations take what comes, and no
          message failed.
        </p>
      </Notice>
    );
  return (
    <Card title="What needs attention" flush>
      <ul class="attention">
        {attention.map(({ key, tone, title, text, href, remedy, tryNow }) => (
          <li key={key}>
            <div class="stack close">
              <Badge tone={tone}>{WORDS[tone] ?? 'Note'}</Badge>
              <h3 class="long">{title}</h3>
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

const sum = (hours: HourSeen[], of: 'messages' | 'failed' | 'events'): number =>
  hours.reduce((all, hour) => all + hour[of], 0);

/** "340 ms", "2.5 s", "3 min". */
function took(milliseconds: number): string {
  if (milliseconds < 1_000) return `${Math.round(milliseconds)} ms`;
  if (milliseconds < 60_000) return `${Number((milliseconds / 1_000).toFixed(1))} s`;
  return `${Math.round(milliseconds / 60_000)} min`;
}

function Figures({ hours, backlog }: { hours: HourSeen[]; backlog: DeliveryBacklog }): VNode {
  const latest = hours.findLast(({ typical }) => typical !== null);
  const tiles: { label: string; value: string; more: string; href: string }[] = [
    {
      label: 'Messages sent',
      value: sum(hours, 'messages').toLocaleString('en'),
      more: 'in 24 hours',
      href: '/panel/messages',
    },
    {
      label: 'Messages failed',
      value: sum(hours, 'failed').toLocaleString('en'),
      more: 'in 24 hours',
      href: '/panel/messages?state=failed',
    },
    {
      label: 'Events received',
      value: sum(hours, 'events').toLocaleString('en'),
      more: 'in 24 hours',
      href: '/panel/events',
    },
    {
      label: 'Still to deliver',
      value: upToMost(backlog.pending),
      more: `${upToMost(backlog.dead)} given up`,
      href: '/panel/events',
    },
    {
      label: 'Until delivered',
      value: typeof latest?.typical === 'number' ? took(latest.typical) : '–',
      more:
        typeof latest?.slow === 'number' ? `19 of 20 within ${took(latest.slow)}` : 'nothing was delivered',
      href: '/panel/events?state=delivered',
    },
  ];
  return (
    <div class="tiles">
      {tiles.map(({ label, value, more, href }) => (
        <a key={label} class="tile figure" href={href}>
          <span class="tile-label">{label}</span>
          <span class="tile-value">{value}</span>
          <span class="tile-more">{more}</span>
        </a>
      ))}
    </div>
  );
}

const COUNTED = {
  messages: { title: 'Messages sent', label: 'Messages' },
  failed: { title: 'Messages that failed', label: 'Failed' },
  events: { title: 'Events received', label: 'Events' },
};

function Charts({ hours }: { hours: HourSeen[] }): VNode {
  const times = hours.map(({ from }) => isoTime(from));
  const of = (pick: (hour: HourSeen) => number | null) => hours.map(pick);
  const busiest = (key: 'messages' | 'events' | 'failed') => {
    const most = hours.reduce((best, hour) => (hour[key] > best[key] ? hour : best));
    if (!most[key]) return 'None in these 24 hours.';
    return (
      <>
        {sum(hours, key).toLocaleString('en')} in all; most at <Hour at={isoTime(most.from)} />,{' '}
        {most[key].toLocaleString('en')} in that hour.
      </>
    );
  };
  const peak = Math.max(...hours.map(({ backlog }) => backlog));
  const slowest = Math.max(...hours.map(({ slow }) => slow ?? 0));
  return (
    <div class="charts">
      {(['messages', 'failed', 'events'] as const).map((key) => (
        <Card key={key} title={COUNTED[key].title}>
          <Chart
            id={`chart-${key}`}
            title={`${COUNTED[key].title} each hour`}
            summary={busiest(key)}
            times={times}
            series={[{ label: COUNTED[key].label, values: of((hour) => hour[key]) }]}
            kind="bars"
            isBad={key === 'failed'}
          />
        </Card>
      ))}
      <Card title="Time until delivered">
        <Chart
          id="chart-latency"
          title="Time from the arrival of an event until it was delivered"
          summary={
            slowest
              ? `Of the first 1,000 deliveries of each hour: 19 of 20 took ${took(slowest)} or less, even in the slowest hour.`
              : 'Nothing that took a measurable time in these 24 hours.'
          }
          times={times}
          series={[
            { label: 'Half were faster than', values: of((hour) => hour.typical) },
            { label: '19 of 20 were faster than', values: of((hour) => hour.slow) },
          ]}
          kind="curve"
          say={took}
        />
      </Card>
      <Card title="Backlog">
        <Chart
          id="chart-backlog"
          title="Deliveries that still waited at the end of each hour"
          summary={
            peak ? (
              <>
                At most {peak.toLocaleString('en')} at the end of an hour, of what came in since{' '}
                <Hour at={times[0] ?? ''} />.
              </>
            ) : (
              'Everything went out within its hour.'
            )
          }
          times={times}
          series={[{ label: 'Waiting', values: of((hour) => hour.backlog) }]}
          kind="bars"
        />
      </Card>
    </div>
  );
}
