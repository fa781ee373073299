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
import { upToMost } from '../ui/counts';
import { KIND_WORDS, MODE_WORDS, pauseText } from './line-words';

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
        {destination.origin === 'token' && <Badge tone="info">Added through the API</Badge>}
      </div>
      <p>
        <code class="destination-url">{address}</code>
      </p>
      <Facts
        columns={isHeldBack(destination) ? undefined : 2}
        facts={[
          ...pauseFacts(destination),
          isHeldBack(destination)
            ? ['Held back', <HeldBack context={context} destination={destination} waiting={waiting} />]
            : ['To be delivered', waiting?.count ? `${upToMost(waiting.count)} events` : 'nothing'],
          ['Receives', kinds.map((kind) => KIND_WORDS[kind].label).join(', ')],
          ['Sent as', MODE_WORDS[destination.mode].label],
          ...(destination.quiet_seconds === null
            ? []
            : [['Waits for a pause', pauseText(destination.quiet_seconds)] as [string, string]]),
          ...(destination.expires_at === null
            ? []
            : [['Ends', <Time at={destination.expires_at} />] as [string, VNode]]),
        ]}
      />
      {context.mayChange && (
        <div class="actions">
          {isHeldBack(destination) && <TryNow context={context} destination={destination} from="line" />}
          <Form context={context} action={`${base}/test`} class="inline">
            <Submit tone="plain">Send test event</Submit>
          </Form>
          {destination.paused_at === null ? (
            <Form context={context} action={`${base}/pause`} class="inline">
              <Submit tone="plain">Pause</Submit>
            </Form>
          ) : (
            <Form context={context} action={`${base}/resume`} class="inline">
              <Submit>Resume</Submit>
            </Form>
          )}
          <a class="button plain" href={base}>
            Filter, headers, secret<span class="sr-only"> of {destination.url}</span>
          </a>
          <Confirm
            context={context}
            id={`remove-${destination.id}`}
            action={`${base}/remove`}
            button="Remove"
            tone="danger"
            title="Remove this destination?"
            confirm="Remove it"
          >
            <p>
              No more events go to <code>{destination.url}</code>.
              {waiting?.count ? ` ${upToMost(waiting.count)} that wait for it are canceled.` : ''} This cannot
              be undone.
            </p>
          </Confirm>
        </div>
      )}
    </div>
  );
}

function Health({ destination }: { destination: DestinationRow }): VNode {
  if (destination.paused_at !== null) return <Badge tone="warn">Paused</Badge>;
  if (destination.failing_since !== null) return <Badge tone="bad">Failing</Badge>;
  return <Badge tone="good">Active</Badge>;
}

/** Since when it is paused, and why. */
function pauseFacts({ paused_at: pausedAt, paused_because: because }: DestinationRow): [string, VNode][] {
  return [
    ...(pausedAt === null
      ? []
      : [
          [
            'Paused',
            <>
              <Time at={pausedAt} />
              {because && <> · {because}</>} Its events are kept until it goes on.
            </>,
          ] as [string, VNode],
        ]),
  ];
}
