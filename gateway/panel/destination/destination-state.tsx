import { type ComponentChildren, type VNode } from 'preact';
import { isHeldBack } from '../../forwarding/destination';
import { nextAttemptOf, type LastAttempt } from '../../store/reports/destination-report';
import { type AttemptCounts } from '../../store/reports/history';
import { upToMost } from '../languages/numbers';
import { t } from '../languages/t';
import { TryNow } from './held-back';
import { Card, Facts, Left, Time } from '../ui/parts';
import { Success } from '../ui/history/attempts';
import {
  canTryNow,
  GivenUp,
  hasFailed,
  isTold,
  LastResult,
  StandingBadge,
  StandingSentence,
  type Faring,
} from './standing';
import { useRequest } from '../ui/page-request';

export interface DestinationStateProps {
  of: Faring;
  /** Attempts of the last 24 hours. */
  day: AttemptCounts;
  /** The last accepted attempt; null if it is not recent. */
  accepted: Pick<LastAttempt, 'event_id' | 'started_at'> | null;
}

const NextAttempt = ({ at, now }: { at: string; now: number }): VNode =>
  Date.parse(at) > now ? <Left at={at} now={now} /> : <>{t('now: it is being tried')}</>;

type Fact = [string, ComponentChildren];
const shown = (isShown: boolean, fact: Fact): Fact[] => (isShown ? [fact] : []);

/** The stored state of one destination, to find out why events don't arrive. */
export function DestinationState({ of, day, accepted }: DestinationStateProps): VNode {
  const context = useRequest();
  const { destination, report, waiting } = of;
  const next = nextAttemptOf(destination, report.dueAt);
  const inFlight = context.deps.dispatcher.inFlightTo(destination.id);
  return (
    <Card
      title={t('State')}
      actions={
        <>
          <StandingBadge of={of} />
          {canTryNow(of, context.deps.clock()) && <TryNow destination={destination} from="destination" />}
        </>
      }
    >
      <StandingSentence of={of} />
      <Facts
        columns={2}
        facts={[
          ...shown(!isTold(of), [t('Last result'), <LastResult of={of} />]),
          ...shown(hasFailed(of), [
            t('Last accepted'),
            accepted === null ? (
              t('none lately')
            ) : (
              <a href={`/panel/events/${accepted.event_id}`}>
                <Time at={accepted.started_at} />
              </a>
            ),
          ]),
          [t('Success, events of 24 h'), <Success of={day} />],
          [
            t('Waiting'),
            waiting?.count ? (
              <a
                href={`/panel/events?destination=${destination.id}&state=${destination.paused_at === null ? 'waiting' : 'parked'}`}
              >
                {t('{shown} {count, plural, one {event} other {events}}', {
                  shown: upToMost(waiting.count),
                  count: waiting.count,
                })}
                {report.untried > 0 &&
                  `, ${
                    isHeldBack(destination)
                      ? t('{untried} held back', { untried: upToMost(report.untried) })
                      : t('{untried} not tried yet', { untried: upToMost(report.untried) })
                  }`}
              </a>
            ) : (
              t('nothing')
            ),
          ],
          ...shown(of.dead > 0, [
            t.of('events', 'Given up'),
            <span class="cluster">
              <GivenUp of={of} />
              {context.may('deliveries.replay', destination.line_id) && (
                <a href="?since=24h#recover">{t('Recover since…')}</a>
              )}
            </span>,
          ]),
          ...shown(report.oldestAt !== null, [t('Oldest waiting'), <Time at={report.oldestAt} />]),
          ...shown(!isTold(of) && report.oldestAt !== null, [
            t('Next attempt'),
            next === null ? t('once it is resumed') : <NextAttempt at={next} now={context.deps.clock()} />,
          ]),
          // Counts only attempts by this process.
          ...shown(inFlight > 0, [
            t('In flight'),
            t('{shown} {count, plural, one {event} other {events}}', { shown: inFlight, count: inFlight }),
          ]),
          ...shown(destination.url_changed_at !== null, [
            t('Address changed'),
            <Time at={destination.url_changed_at} />,
          ]),
          ...shown(report.owner !== null && context.may('events.read', null), [t('Sent by'), report.owner]),
        ]}
      />
    </Card>
  );
}
