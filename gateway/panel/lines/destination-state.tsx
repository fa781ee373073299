import { type VNode } from 'preact';
import { nextAttemptOf } from '../../store/reports/destination-report';
import { type DestinationRow } from '../../store/tables/destinations';
import { type UserContext } from '../request-context';
import { Since } from '../ui/held-back';
import { Card, Facts, Time } from '../ui/parts';
import { MOST_READ } from '../../store/reports/destination-report';
import { upToMost } from '../languages/numbers';
import { t } from '../languages/t';
import { told } from '../languages/told';

/** How one destination fares, as far as the database knows: what an operator asks where events do not come. */
export async function destinationState({ deps }: UserContext, id: number): Promise<VNode | null> {
  const [row, report] = await Promise.all([
    deps.store.destinations.find(id),
    deps.store.destinationReport(id),
  ]);
  if (!row) return null;
  const { waiting, untried, oldestAt, dueAt, lastAttempt, owner } = report;
  const next = nextAttemptOf(row, dueAt);
  const none = waiting ? t('once it is resumed') : '–';
  return (
    <Card title={t('State')}>
      <Facts
        facts={[
          [t('State'), <Health destination={row} />],
          [
            t('Last attempt'),
            lastAttempt
              ? t.rich(
                  '{when}: {outcome} after {ms, number} ms, attempt {number} of <link>this event</link>',
                  {
                    when: <Time at={lastAttempt.started_at} />,
                    outcome:
                      lastAttempt.http_status === null
                        ? lastAttempt.outcome
                        : `HTTP ${lastAttempt.http_status}`,
                    ms: lastAttempt.duration_ms,
                    number: lastAttempt.number,
                    link: (parts) => <a href={`/panel/events/${lastAttempt.event_id}`}>{parts}</a>,
                  },
                )
              : t('none yet'),
          ],
          [
            t('Waiting'),
            waiting
              ? t('{shown} {waiting, plural, one {event} other {events}}, {untried, number} not tried yet', {
                  shown: upToMost(waiting, MOST_READ),
                  waiting,
                  untried,
                })
              : t('nothing'),
          ],
          [t('Oldest waiting'), oldestAt === null ? '–' : <Time at={oldestAt} />],
          [t('Next attempt'), next === null ? none : <Time at={next} />],
          [t('Sent by'), owner ?? t('this gateway')],
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
        {t.rich('Paused since {when}', { when: <Time at={pausedAt} /> })}
        {because && ` · ${told(because)}`}
      </>
    );
  if (failingSince !== null)
    return <>{t.rich('Failing {since}', { since: <Since destination={destination} /> })}</>;
  return <>{t.of('destination', 'Active')}</>;
}
