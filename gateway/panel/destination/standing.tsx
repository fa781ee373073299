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

/** All that is told of how a destination fares. */
export interface Faring {
  destination: DestinationRow;
  report: DestinationReport;
  waiting: WaitingFor | undefined;
  /** How many of its events were given up, as far as they are counted. */
  dead: number;
}

/** What its state alone is told by. */
interface Stood {
  destination: DestinationRow;
  report: Pick<DestinationReport, 'lastAttempt'>;
}

type Standing = 'paused' | 'failing' | 'failed' | 'active';

/** By what is kept of it; it takes some failures until that is kept, and until then by its last attempt. */
export function standingOf({ destination, report }: Stood): Standing {
  if (destination.paused_at !== null) return 'paused';
  if (isHeldBack(destination)) return 'failing';
  return hasFailed({ report }) ? 'failed' : 'active';
}

/** Whether its sentence tells what its last attempt came to, how many wait, and when the next one is made. */
export const isTold = (faring: Faring): boolean => ['failing', 'failed'].includes(standingOf(faring));

/** Whether its last attempt failed, also where it is paused by now. */
export const hasFailed = ({ report: { lastAttempt } }: Pick<Stood, 'report'>): boolean =>
  lastAttempt !== null && lastAttempt.outcome !== 'delivered';

/** What is due by then goes out by itself, before anybody has pressed anything. */
const SOON = 5 * SECOND;

/** Whether it helps to try what waits at once: what is due later waits for another attempt. */
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

/** Why it is not simply active, and when it goes on; nothing of one that is. */
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
          {context.mayChange &&
            t('When the receiver works again, press Resume. Waiting events are sent immediately.')}
        </p>
      );
    case 'failing':
      return (
        <p>
          <HeldBack destination={destination} lastAttempt={lastAttempt} waiting={waiting}>
            <Advice />
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
              <NextTry at={next} /> <Advice />
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

/** How many were given up, with the way to them: from there they are sent again. */
export const GivenUp = ({ of: { destination, dead } }: { of: Faring }): VNode => (
  <a class="given-up" href={`/panel/events?destination=${destination.id}&state=dead`}>
    {t('{shown} {count, plural, one {event} other {events}}', {
      shown: upToMost(dead, MOST_GLANCED),
      count: dead,
    })}
  </a>
);

/** What the last attempt came to, with the way to its event; or a try of what is left alone, which is no attempt. */
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
