import { type VNode } from 'preact';
import { type EventKind } from '../../forwarding/destination';
import { addressInAudit } from '../../store/tables/audit';
import { type WaitingFor } from '../../store/reports/backlog';
import { type DestinationRow } from '../../store/tables/destinations';
import { type LineRow } from '../../store/tables/lines';
import { Confirm, Form, Submit } from '../ui/form';
import { Badge, Facts, Time } from '../ui/parts';
import { type UserContext } from '../request-context';
import { HeldBack, isHeldBack, TryNow } from '../ui/held-back';
import { upToMost } from '../languages/numbers';
import { kindWords, modeWords, pauseText } from './line-words';
import { t } from '../languages/t';
import { told } from '../languages/told';

interface DestinationPanelProps {
  context: UserContext;
  line: LineRow;
  destination: DestinationRow;
  waiting: WaitingFor | undefined;
}

/** One destination at a glance: where it is, how it fares, and what can be done with it. */
export function DestinationPanel({ context, line, destination, waiting }: DestinationPanelProps): VNode {
  const base = `/panel/lines/${line.id}/destinations/${destination.id}`;
  const address = context.mayChange ? destination.url : addressInAudit(destination.url);
  const kinds = JSON.parse(destination.events) as EventKind[];
  return (
    <div class="destination">
      <div class="cluster">
        <Health destination={destination} />
        {destination.origin === 'token' && <Badge tone="info">{t('Added through the API')}</Badge>}
      </div>
      <p>
        <code class="destination-url">{address}</code>
      </p>
      <Facts
        columns={isHeldBack(destination) ? undefined : 2}
        facts={[
          ...pauseFacts(destination),
          isHeldBack(destination)
            ? [t('Held back'), <HeldBack context={context} destination={destination} waiting={waiting} />]
            : [
                t('To be delivered'),
                waiting?.count
                  ? t('{shown} {count, plural, one {event} other {events}}', {
                      shown: upToMost(waiting.count),
                      count: waiting.count,
                    })
                  : t('nothing'),
              ],
          [t('Receives'), kinds.map((kind) => kindWords()[kind].label).join(', ')],
          [t('Sent as'), modeWords()[destination.mode].label],
          ...(destination.quiet_seconds === null
            ? []
            : [[t('Waits for a pause'), pauseText(destination.quiet_seconds)] as [string, string]]),
          ...(destination.expires_at === null
            ? []
            : [[t('Ends'), <Time at={destination.expires_at} />] as [string, VNode]]),
        ]}
      />
      {context.mayChange && (
        <div class="actions">
          {isHeldBack(destination) && <TryNow context={context} destination={destination} from="line" />}
          <Form context={context} action={`${base}/test`} class="inline">
            <Submit tone="plain">{t('Send test event')}</Submit>
          </Form>
          {destination.paused_at === null ? (
            <Form context={context} action={`${base}/pause`} class="inline">
              <Submit tone="plain">{t('Pause')}</Submit>
            </Form>
          ) : (
            <Form context={context} action={`${base}/resume`} class="inline">
              <Submit>{t('Resume')}</Submit>
            </Form>
          )}
          <a class="button plain" href={base}>
            {t.rich('Filter, headers, secret<more> of {url}</more>', {
              url: destination.url,
              more: (parts) => <span class="sr-only">{parts}</span>,
            })}
          </a>
          <Confirm
            context={context}
            id={`remove-${destination.id}`}
            action={`${base}/remove`}
            button={t('Remove')}
            tone="danger"
            title={t('Remove this destination?')}
            confirm={t('Remove it')}
          >
            <p>
              {waiting?.count
                ? t.rich(
                    'No more events go to <code>{url}</code>. {waiting} that wait for it are canceled. This cannot be undone.',
                    { url: destination.url, waiting: upToMost(waiting.count) },
                  )
                : t.rich('No more events go to <code>{url}</code>. This cannot be undone.', {
                    url: destination.url,
                  })}
            </p>
          </Confirm>
        </div>
      )}
    </div>
  );
}

function Health({ destination }: { destination: DestinationRow }): VNode {
  if (destination.paused_at !== null) return <Badge tone="warn">{t.of('destination', 'Paused')}</Badge>;
  if (destination.failing_since !== null) return <Badge tone="bad">{t.of('destination', 'Failing')}</Badge>;
  return <Badge tone="good">{t.of('destination', 'Active')}</Badge>;
}

/** Since when it is paused, and why. */
function pauseFacts({ paused_at: pausedAt, paused_because: because }: DestinationRow): [string, VNode][] {
  return [
    ...(pausedAt === null
      ? []
      : [
          [
            t.of('destination', 'Paused'),
            <>
              <Time at={pausedAt} />
              {because && <> · {told(because)}</>} {t('Its events are kept until it goes on.')}
            </>,
          ] as [string, VNode],
        ]),
  ];
}
