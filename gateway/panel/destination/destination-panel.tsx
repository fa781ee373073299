import { type VNode } from 'preact';
import { type EventKind } from '../../forwarding/destination';
import { addressWithoutPath } from '../../store/tables/audit';
import { type LineRow } from '../../store/tables/lines';
import { Breakable } from '../languages/breakable';
import { upToMost } from '../languages/numbers';
import { t } from '../languages/t';
import { ActionButton } from '../ui/form';
import { Resume, TryNow } from './held-back';
import { Facts, Label, Time } from '../ui/parts';
import { kindWords, modeWords } from '../ui/words/choice-words';
import { Strip, Success, sumOf, type AttemptHistory } from '../ui/history/attempts';
import {
  canTryNow,
  GivenUp,
  isTold,
  LastResult,
  StandingBadge,
  StandingSentence,
  type Faring,
} from './standing';
import { useRequest } from '../ui/page-request';

interface DestinationPanelProps {
  line: LineRow;
  of: Faring;
  /** Attempts of the last 24 hours. */
  day: AttemptHistory;
}

/** A summary of one destination: its address, its state, and the most useful action. */
export function DestinationPanel({ line, of, day }: DestinationPanelProps): VNode {
  const { deps, may } = useRequest();
  const { destination, waiting } = of;
  const base = `/panel/lines/${line.id}/destinations/${destination.id}`;
  const mayManage = may('destinations.manage', line.id);
  const address = mayManage ? destination.url : addressWithoutPath(destination.url);
  const kinds = JSON.parse(destination.events) as EventKind[];
  const name = (
    <code class="destination-url">
      <Breakable>{address}</Breakable>
    </code>
  );
  return (
    <div class="destination">
      <div class="cluster">
        <a href={base}>{name}</a>
        <StandingBadge of={of} />
        {destination.origin === 'forwarding' && <Label>{t('Raw forwarding to CRM')}</Label>}
        {destination.origin === 'token' && <Label>{t('Added through the API')}</Label>}
      </div>
      <StandingSentence of={of} />
      <Facts
        columns="many"
        facts={[
          ...(isTold(of) ? [] : [[t('Last result'), <LastResult of={of} />] as [string, VNode]]),
          [
            t('Success, events of 24 h'),
            <div class="stack close">
              <span>
                <Success of={sumOf(day)} />
              </span>
              <Strip of={day} />
            </div>,
          ],
          ...(isTold(of)
            ? []
            : [
                [
                  t('Waiting'),
                  waiting?.count
                    ? t('{shown} {count, plural, one {event} other {events}}', {
                        shown: upToMost(waiting.count),
                        count: waiting.count,
                      })
                    : t('nothing'),
                ] as [string, string],
              ]),
          ...(of.dead ? [[t.of('events', 'Given up'), <GivenUp of={of} />] as [string, VNode]] : []),
          [t('Receives'), kinds.map((kind) => kindWords()[kind].label).join(', ')],
          [t('Sent as'), modeWords()[destination.mode].label],
          ...(destination.quiet_seconds === null
            ? []
            : [[t('Waiting for a pause'), pauseText(destination.quiet_seconds)] as [string, string]]),
          ...(destination.expires_at === null
            ? []
            : [[t('Ends'), <Time at={destination.expires_at} />] as [string, VNode]]),
        ]}
      />
      {mayManage && (
        <div class="actions">
          {canTryNow(of, deps.clock()) && (
            <TryNow destination={destination} from="line" tone={waiting?.count ? 'primary' : 'plain'} />
          )}
          {destination.paused_at !== null && <Resume destination={destination} from="line" />}
          <ActionButton action={`${base}/test`} tone="plain">
            {t('Send test event')}
          </ActionButton>
          <a class="button plain" href={base}>
            {t.rich('History and settings<more> of {url}</more>', {
              url: destination.url,
              more: (parts) => <span class="sr-only">{parts}</span>,
            })}
          </a>
        </div>
      )}
    </div>
  );
}

/** Describes a destination that collects a contact's messages until the contact pauses. */
const pauseText = (seconds: number): string =>
  t("After {seconds, number} s without a message, all of the contact's messages as one event", { seconds });
