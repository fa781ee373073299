import { type VNode } from 'preact';
import { type LineRow } from '../../store/tables/lines';
import { isoTime } from '../../time';
import { Live } from '../ui/live';
import { QualityBadge } from '../ui/quality-badge';
import { Badge, Card, Empty, PageHead, Table, Time } from '../ui/parts';
import { viewerPage, page, type PanelRoute, type UserContext } from '../request-context';
import { backlogText, StateBadge, phoneNumberNodeOf, WINDOW_WORDS } from './line-words';

export const linesPages: PanelRoute[] = [viewerPage('/lines', showLines, { live: true })];

interface Seen {
  line: LineRow;
  lastEventAt: string | null;
  waiting: number;
  /** Destinations that fail or are paused. */
  unhealthy: { failing: number; paused: number };
}

async function showLines(context: UserContext) {
  const { store, clock } = context.deps;
  const [lines, destinations, lastEvents] = await Promise.all([
    store.lines.all(),
    store.destinations.active(isoTime(clock())),
    store.glance.lastEvents(),
  ]);
  const backlogs = await store.glance.backlogs(destinations.map(({ id }) => id));
  const seen = lines.map((line): Seen => {
    const own = destinations.filter((one) => one.line_id === line.id);
    return {
      line,
      lastEventAt: lastEvents.get(line.id) ?? null,
      waiting: own.reduce((sum, { id }) => sum + (backlogs.get(id) ?? 0), 0),
      unhealthy: {
        failing: own.filter((one) => one.paused_at === null && one.failing_since !== null).length,
        paused: own.filter((one) => one.paused_at !== null).length,
      },
    };
  });
  return page(
    'Lines',
    <>
      <PageHead
        title="Lines"
        actions={
          context.mayChange && (
            <a class="button primary" href="/panel/lines/new">
              Add a line
            </a>
          )
        }
      >
        A line is a phone number that you send with. What contacts write to it, and what becomes of your
        messages, goes to the addresses that you give under <strong>Edit</strong>.
      </PageHead>
      <Card flush>
        <Live id="lines">
          {seen.length ? <Lines context={context} seen={seen} /> : <NoLine mayChange={context.mayChange} />}
        </Live>
      </Card>
    </>,
  );
}

function NoLine({ mayChange }: { mayChange: boolean }): VNode {
  return (
    <Empty title="There is no line yet">
      <p>Add the phone number that you want to send with. It takes a few minutes.</p>
      {mayChange && (
        <a class="button primary" href="/panel/lines/new">
          Add the first line
        </a>
      )}
    </Empty>
  );
}

function Lines({ context, seen }: { context: UserContext; seen: Seen[] }): VNode {
  return (
    <Table
      caption="Lines"
      rows={seen}
      rowKey={({ line }) => line.id}
      columns={[
        {
          label: 'Line',
          heading: true,
          cell: ({ line }) => (
            <>
              <a href={`/panel/lines/${line.id}`}>{line.name}</a>
              <div class="quiet small number">{line.phone_number}</div>
            </>
          ),
        },
        { label: 'State', cell: State },
        {
          label: 'Quality',
          cell: ({ line }) => <QualityBadge rating={phoneNumberNodeOf(line)?.quality_rating} />,
        },
        { label: '24-hour window', cell: ({ line }) => WINDOW_WORDS[line.window_mode].label },
        {
          label: 'Last event',
          cell: ({ lastEventAt }) => <Time at={lastEventAt} never="none lately" to="minute" />,
        },
        { label: 'Waiting', cell: Waiting },
        {
          label: 'Actions',
          actions: true,
          cell: ({ line }) =>
            context.mayChange && (
              <a class="button plain small" href={`/panel/lines/${line.id}/edit`}>
                Edit<span class="sr-only"> {line.name}</span>
              </a>
            ),
        },
      ]}
    />
  );
}

const State = ({ line }: Seen): VNode => (
  <span class="cluster">
    <StateBadge line={line} />
    {line.api_disabled_at !== null && <Badge tone="warn">API off</Badge>}
  </span>
);

const Waiting = ({ waiting, unhealthy }: Seen): VNode => (
  <span class="cluster">
    <span class="number">{waiting ? backlogText(waiting) : 'nothing'}</span>
    {unhealthy.failing > 0 && <Badge tone="bad">{`${unhealthy.failing} failing`}</Badge>}
    {unhealthy.paused > 0 && <Badge tone="warn">{`${unhealthy.paused} paused`}</Badge>}
  </span>
);
