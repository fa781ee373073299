import { type VNode } from 'preact';
import { isHeldBack, type Destination } from '../../forwarding/destination';
import { type LastAttempt } from '../../store/reports/destination-report';
import { type DestinationRow } from '../../store/tables/destinations';
import { t } from '../languages/t';
import { type UserContext } from '../request-context';
import { shortAddress } from '../ui/shown-address';
import { StandingBadge } from '../destination/standing';
import { StripShare, sumOf, type AttemptHistory, type AttemptsOf } from '../ui/history/attempts';
import { useRequest } from '../ui/page-request';
import { Card, Table } from '../ui/parts';
import { MANY_FAILED } from './attention';

/** Most destinations shown. The pages of lines have all. */
const MOST_SHOWN = 8;

export interface DestinationSeen {
  destination: DestinationRow;
  attempts: AttemptHistory;
  lastAttempt: LastAttempt | null;
}

/** Destinations by success in 24 hours: worst first, then busiest. */
export async function destinationsSeen(
  { deps }: UserContext,
  attempts: AttemptsOf,
): Promise<DestinationSeen[]> {
  const { store, lines, destinations } = deps;
  const failing = new Set((await store.destinations.unhealthy()).filter(isHeldBack).map(({ id }) => id));
  const ranked = lines
    .all()
    .flatMap(({ id }) => destinations.ofLine(id))
    .map((one) => ({ id: one.id, ...rankOf(one, failing, attempts(one.id)) }))
    .toSorted((one, other) => one.rank - other.rank || other.made - one.made)
    .slice(0, MOST_SHOWN);
  const ids = ranked.map(({ id }) => id);
  const [rows, lastAttempts] = await Promise.all([store.destinations.some(ids), store.lastAttempts(ids)]);
  return rows
    .map((destination) => ({
      destination,
      attempts: attempts(destination.id),
      lastAttempt: lastAttempts.get(destination.id) ?? null,
    }))
    .toSorted((one, other) => ids.indexOf(one.destination.id) - ids.indexOf(other.destination.id));
}

function rankOf({ id, pausedAt }: Destination, failing: Set<number>, attempts: AttemptHistory) {
  const { made, failed } = sumOf(attempts);
  if (failing.has(id)) return { rank: 0, made };
  if (pausedAt !== null) return { rank: 1, made };
  return { rank: failed > made * MANY_FAILED ? 2 : 3, made };
}

export function DestinationsCard({ seen }: { seen: DestinationSeen[] }): VNode {
  const context = useRequest();
  return (
    <Card flush title={t('Destinations')} actions={<a href="/panel/lines">{t('All lines')}</a>}>
      <Table
        caption={t('Destinations')}
        brief="bare"
        rows={seen}
        rowKey={({ destination }) => destination.id}
        columns={[
          {
            label: t('Line'),
            heading: true,
            cell: ({ destination: { id, line_id: lineId } }) => (
              <a class="row-link" href={`/panel/lines/${lineId}/destinations/${id}`}>
                {context.deps.lines.byId(lineId)?.name}
              </a>
            ),
          },
          {
            label: t('Destination'),
            cell: ({ destination }) => (
              <span class="quiet long">{shortAddress(context, destination.line_id, destination.url)}</span>
            ),
          },
          { label: t('24 h'), cell: ({ attempts }) => <StripShare of={attempts} /> },
          {
            label: t('State'),
            cell: ({ destination, lastAttempt }) => (
              <StandingBadge of={{ destination, report: { lastAttempt } }} />
            ),
          },
        ]}
      />
    </Card>
  );
}
