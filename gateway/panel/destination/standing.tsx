import { type VNode } from 'preact';
import { isHeldBack } from '../../forwarding/destination';
import { nextAttemptOf, type DestinationReport } from '../../store/reports/destination-report';
import { MOST_GLANCED, type WaitingFor } from '../../store/reports/backlog';
import { type DestinationRow } from '../../store/tables/destinations';
import { SECOND } from '../../time';
import { upToMost } from '../languages/numbers';
import { t } from '../languages/t';
import { Said } from '../languages/said';
import { saidOfPause } from '../../forwarding/failures';
import { Advice, attemptWord, HeldBack, LastAnswer, lastResultOf, NextTry, Waits } from './held-back';
import { Ago, Badge, Time, type Tone } from '../ui/parts';
import { useRequest } from '../ui/page-request';

/** The data that pages need to show the state of a destination. */
export interface Faring {
  destination: DestinationRow;
  report: DestinationReport;
  waiting: WaitingFor | undefined;
  /** Given up deliveries, counted up to a limit. */
  dead: number;
}

/** The data that decides the state. */
interface Stood {
  destination: DestinationRow;
  report: Pick<DestinationReport, 'lastAttempt'>;
}

type Standing = 'paused' | 'failing' | 'failed' | 'active';

/** `failing` is stored only after several failures. Before that, the last attempt decides. */
function standingOf({ destination, report }: Stood): Standing {
  if (destination.paused_at !== null) return 'paused';
  if (isHeldBack(destination)) return 'failing';
  return hasFailed({ report }) ? 'failed' : 'active';
}

/** Whether `StandingSentence` shows the last attempt, the waiting deliveries and the next try. */
export const isTold = (faring: Faring): boolean => ['failing', 'failed'].includes(standingOf(faring));

/** Whether the last attempt failed, also for a paused destination. */
export const hasFailed = ({ report: { lastAttempt } }: Pick<Stood, 'report'>): boolean =>
  lastAttempt !== null && lastAttempt.outcome !== 'delivered';

/** Deliveries due within this time are sent before a user could press a button. */
const SOON = 5 * SECOND;

/** Whether to offer Try now: deliveries are waiting and are not due within seconds. */
export function canTryNow(faring: Faring, now: number): boolean {
  const { firstDueAt = null } = faring.waiting ?? {};
  switch (standingOf(faring)) {
    case 'paused':
      return false;
    case 'failing':
      return true;
    case 'failed':
      return firstDueAt !== null;
    case 'active':
      return firstDueAt !== null && Date.parse(firstDueAt) > now + SOON;
  }
}

const TONES: Record<Standing, Tone> = { paused: 'warn', failing: 'bad', failed: 'warn', active: 'good' };

const standingWords = (): Record<Standing, string> => ({
  paused: t.of('destination', 'Paused'),
  failing: t.of('destination', 'Failing'),
  failed: t('Last attempt failed'),
  active: t.of('destination', 'Active'),
});

export function StandingBadge({ of }: { of: Stood }): VNode {
  const standing = standingOf(of);
  return <Badge tone={TONES[standing]}>{standingWords()[standing]}</Badge>;
}

/** Why the destination isn't active, and the next try; null if it is active. */
export function StandingSentence({ of }: { of: Faring }): VNode | null {
  const context = useRequest();
  const { destination, report, waiting } = of;
  const { lastAttempt } = report;
  switch (standingOf(of)) {
    case 'paused':
      return (
        <p>
          {t.rich('Paused since {when}', { when: <Time at={destination.paused_at} /> })}
          {destination.paused_because && (
            <>
              {' · '}
              <Said>{saidOfPause(destination)}</Said>
            </>
          )}{' '}
          {t('Its events are stored until you resume it.')}{' '}
          {context.may('destinations.manage', destination.line_id) &&
            t('When the receiver works again, press Resume. Waiting events are sent immediately.')}
        </p>
      );
    case 'failing':
      return (
        <p>
          <HeldBack destination={destination} lastAttempt={lastAttempt} waiting={waiting}>
            <Advice lineId={destination.line_id} />
          </HeldBack>
        </p>
      );
    case 'failed': {
      if (lastAttempt === null) return null;
      const next = nextAttemptOf(destination, report.dueAt);
      return (
        <p>
          {t.rich('Last attempt failed: {cause}, {when}.', {
            cause: attemptWord(lastAttempt),
            when: <Ago at={lastAttempt.started_at} />,
          })}{' '}
          <Waits count={waiting?.count ?? 0} />{' '}
          {next !== null && (
            <>
              <NextTry at={next} /> <Advice lineId={destination.line_id} />
            </>
          )}
          <LastAnswer destination={destination} lastAttempt={lastAttempt} />
        </p>
      );
    }
    case 'active':
      return null;
  }
}

/** The number of given up deliveries, linked to the list that can resend them. */
export const GivenUp = ({ of: { destination, dead } }: { of: Faring }): VNode => (
  <a class="given-up" href={`/panel/events?destination=${destination.id}&state=dead`}>
    {t('{shown} {count, plural, one {event} other {events}}', {
      shown: upToMost(dead, MOST_GLANCED),
      count: dead,
    })}
  </a>
);

/** The result of the last attempt, linked to its event; or of a later probe, which stores no attempt. */
export const LastResult = ({ of: { destination, report } }: { of: Faring }): VNode => {
  const last = lastResultOf(destination, report.lastAttempt);
  if (last === null) return <>{t('none yet')}</>;
  const { at, result, attempt } = last;
  if (attempt === null)
    return (
      <>
        {result}, <Ago at={at} />
      </>
    );
  return (
    <>
      {t.rich('<link>{outcome}</link> in {ms, number} ms, {when}', {
        link: (parts) => <a href={`/panel/events/${attempt.event_id}`}>{parts}</a>,
        outcome: result,
        ms: attempt.duration_ms,
        when: <Ago at={at} />,
      })}
    </>
  );
};
