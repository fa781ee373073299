import { type VNode } from 'preact';
import { nextAttemptOf } from '../../store/reports/destination-report';
import { type DestinationRow } from '../../store/tables/destinations';
import { type UserContext } from '../request-context';
import { Since } from '../ui/held-back';
import { Card, Facts, Time } from '../ui/parts';
import { MOST_READ } from '../../store/reports/destination-report';
import { upToMost } from '../ui/counts';

/** How one destination fares, as far as the database knows: what an operator asks where events do not come. */
export async function destinationState({ deps }: UserContext, id: number): Promise<VNode | null> {
  const [row, report] = await Promise.all([
    deps.store.destinations.find(id),
    deps.store.destinationReport(id),
  ]);
  if (!row) return null;
  const { waiting, untried, oldestAt, dueAt, lastAttempt, owner } = report;
  const next = nextAttemptOf(row, dueAt);
  const none = waiting ? 'once it is resumed' : '–';
  return (
    <Card title="State">
      <Facts
        facts={[
          ['State', <Health destination={row} />],
          [
            'Last attempt',
            lastAttempt ? (
              <>
                <Time at={lastAttempt.started_at} />:{' '}
                {lastAttempt.http_status === null ? lastAttempt.outcome : `HTTP ${lastAttempt.http_status}`}{' '}
                after {lastAttempt.duration_ms} ms, attempt {lastAttempt.number} of{' '}
                <a href={`/panel/events/${lastAttempt.event_id}`}>this event</a>
              </>
            ) : (
              'none yet'
            ),
          ],
          [
            'Waiting',
            waiting ? `${upToMost(waiting, MOST_READ)} events, ${untried} not tried yet` : 'nothing',
          ],
          ['Oldest waiting', oldestAt === null ? '–' : <Time at={oldestAt} />],
          ['Next attempt', next === null ? none : <Time at={next} />],
          ['Sent by', owner ?? 'this gateway'],
        ]}
      />
    </Card>
  );
}

function Health({ destination }: { destination: DestinationRow }): VNode {
  const { paused_at: pausedAt, paused_because: because, failing_since: failingSince } = destination;
  if (pausedAt !== null)
    return (
      <>
        Paused since <Time at={pausedAt} />
        {because && ` · ${because}`}
      </>
    );
  if (failingSince !== null)
    return (
      <>
        Failing <Since destination={destination} />
      </>
    );
  return <>Active</>;
}
