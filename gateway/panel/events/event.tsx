import { type VNode } from 'preact';
import { replayDelivery } from '../../forwarding/replay';
import { shownAddress } from './shown-address';
import { Form, Submit } from '../ui/form';
import { Live } from '../ui/live';
import { Badge, Card, Facts, Left, Notice, PageHead, Time } from '../ui/parts';
import { pageNotFound } from '../ui/error-page';
import {
  operatorAction,
  viewerPage,
  page,
  seeOther,
  type Outcome,
  type PanelRoute,
  type UserContext,
} from '../request-context';
import { hostOf, isHeldBack, nextTryOf, Since, triedNow } from '../ui/held-back';
import { counted } from '../ui/counts';
import { conversationHref } from '../ui/thread';
import { causeWord, CAUSE_WORDS, eventWord, isCause, stateOf, StateBadge } from './delivery-words';

/** One event: what it is, to whom it went, and every attempt. */
export const eventPages: PanelRoute[] = [
  viewerPage('/events/:id', showEvent, { live: true }),
  operatorAction('/events/:id/replay', replayOne),
];

type Found = NonNullable<Awaited<ReturnType<UserContext['deps']['store']['deliveryList']['event']>>>;
type Delivery = Found['deliveries'][number];
type Attempt = Found['attempts'][number];

async function found(context: UserContext): Promise<Found> {
  const one = await context.deps.store.deliveryList.event(context.params.id ?? '');
  if (!one) throw pageNotFound();
  return one;
}

async function showEvent(context: UserContext): Promise<Outcome> {
  const { event, deliveries, attempts } = await found(context);
  const { lines } = context.deps;
  const line = event.line_id === null ? null : lines.byId(event.line_id);
  const isMessage = event.wamid !== null && event.line_id !== null && event.subject === 'messageStatus';
  return page(
    eventWord(event),
    <>
      <PageHead title={eventWord(event)} back={{ href: '/panel/events', label: 'Events and deliveries' }} />
      <Card title="What came in">
        <Facts
          facts={[
            ['Came in', <Time at={event.received_at} />],
            [
              'Line',
              line ? <a href={`/panel/lines/${line.id}`}>{line.name}</a> : 'None of this gateway, or several',
            ],
            [
              'Contact',
              event.contact === null ? (
                '–'
              ) : (
                <a
                  href={
                    line
                      ? conversationHref(line.id, event.contact)
                      : `/panel/messages?contact=${encodeURIComponent(event.contact)}`
                  }
                >
                  {event.contact}
                </a>
              ),
            ],
            ...(event.wamid === null
              ? []
              : [
                  [
                    'Message',
                    isMessage ? (
                      <a href={`/panel/messages/${event.line_id}/${encodeURIComponent(event.wamid)}`}>
                        {event.wamid}
                      </a>
                    ) : (
                      event.wamid
                    ),
                  ] as [string, VNode | string],
                ]),
            ['Event id', <code>{event.id}</code>],
          ]}
        />
      </Card>
      <Live id="deliveries">
        <div class="stack">
          {deliveries.length === 0 && (
            <Notice tone="info">
              <p>
                No destination asked for this event, so it was passed on to nobody.{' '}
                {line && <a href={`/panel/lines/${line.id}`}>Where {line.name} sends its events</a>}
              </p>
            </Notice>
          )}
          {deliveries.map((delivery) => (
            <DeliveryCard
              key={delivery.destination_id}
              context={context}
              delivery={delivery}
              attempts={attempts.filter((one) => one.destination_id === delivery.destination_id)}
              found={{
                id: event.id,
                body: event.body,
                phoneNumberId: lines.byId(delivery.line_id)?.phoneNumberId ?? '',
              }}
            />
          ))}
        </div>
      </Live>
      <Card title="The event as it was received">
        {event.body === '' ? (
          <p>
            Its text is no longer kept: it was removed after the time that the gateway keeps such texts for.
            It cannot be sent again.
          </p>
        ) : (
          <pre class="code" tabIndex={0} role="region" aria-label="The event as it was received">
            <code>{readable(event.body)}</code>
          </pre>
        )}
      </Card>
    </>,
  );
}

/** With line breaks where it is JSON, so that a person can read it. */
function readable(text: string): string {
  try {
    return text.length > 200_000 ? text : JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

interface Sent {
  id: string;
  body: string;
  phoneNumberId: string;
}

function DeliveryCard({
  context,
  delivery,
  attempts,
  found: sent,
}: {
  context: UserContext;
  delivery: Delivery;
  attempts: Attempt[];
  found: Sent;
}): VNode {
  const state = stateOf(delivery);
  const isOver = delivery.state === 'delivered' || delivery.state === 'dead';
  const canReplay =
    context.mayChange && (isOver || state === 'waiting') && delivery.removed_at === null && sent.body !== '';
  return (
    <Card
      title={`To ${hostOf(delivery.url)}`}
      actions={
        <>
          <StateBadge of={delivery} />
          {canReplay && (
            <Form context={context} action={`/panel/events/${sent.id}/replay`} class="inline">
              <input type="hidden" name="destination" value={delivery.destination_id} />
              <Submit tone={isOver ? 'plain' : 'primary'}>
                {isOver ? 'Send it again' : 'Try now'}
                <span class="sr-only">: {hostOf(delivery.url)}</span>
              </Submit>
            </Form>
          )}
        </>
      }
    >
      <p class="long">
        <code>POST {shownAddress(context, delivery.url)}</code>
      </p>
      {delivery.removed_at !== null && <p>This destination was removed: nothing is sent there any more.</p>}
      {state === 'waiting' && delivery.removed_at === null && (
        <Waiting context={context} delivery={delivery} />
      )}
      {state === 'in_flight' && <Underway delivery={delivery} now={context.deps.clock()} />}
      {state === 'parked' && (
        <p>
          The destination is paused{delivery.paused_because ? `: ${delivery.paused_because}` : '.'}{' '}
          <a href="/panel/events">Let it go on</a>
        </p>
      )}
      {delivery.state === 'dead' && <Remedy attempts={attempts} />}
      {attempts.length === 0 ? (
        <p class="quiet">No attempt was made yet.</p>
      ) : (
        <ol class="attempts" aria-label={`Attempts, destination ${delivery.destination_id}`}>
          {attempts.toReversed().map((attempt) => (
            <AttemptItem
              key={attempt.number}
              attempt={attempt}
              delivery={delivery}
              sent={sent}
              context={context}
            />
          ))}
        </ol>
      )}
    </Card>
  );
}

/** Why it has not gone out yet, and when it does. */
function Waiting({ context, delivery }: { context: UserContext; delivery: Delivery }): VNode {
  const next = <Left at={nextTryOf(delivery, delivery.due_at)} now={context.deps.clock()} />;
  if (isHeldBack(delivery))
    return (
      <Notice tone="warn">
        <p>
          <strong>Held back:</strong> this destination is not accepting events{' '}
          <Since destination={delivery} />. Next try {next}.
        </p>
      </Notice>
    );
  return <p>{delivery.attempts ? <>The next attempt comes {next}.</> : <>It goes out {next}.</>}</p>;
}

/** A process holds it: it is just being sent, or waits in its memory for the next attempt. */
const Underway = ({
  delivery: { attempts, due_at: dueAt },
  now,
}: {
  delivery: Delivery;
  now: number;
}): VNode =>
  attempts && Date.parse(dueAt) > now ? (
    <p>
      The next attempt comes <Left at={dueAt} now={now} />.
    </p>
  ) : (
    <p>It is being sent.</p>
  );

function Remedy({ attempts }: { attempts: Attempt[] }): VNode {
  const cause = attempts.at(-1)?.outcome ?? '';
  return (
    <Notice tone="bad">
      <p>
        <strong>It was given up after {counted(attempts.length, 'attempt', 'attempts')}.</strong>{' '}
        {isCause(cause) && CAUSE_WORDS[cause].remedy} Then send it again.
      </p>
    </Notice>
  );
}

function AttemptItem({
  attempt,
  delivery,
  sent,
  context,
}: {
  attempt: Attempt;
  delivery: Delivery;
  sent: Sent;
  context: UserContext;
}): VNode {
  const isValid = attempt.outcome === 'delivered';
  return (
    <li>
      <div class="cluster">
        <strong>Attempt {attempt.number}</strong>
        <Badge tone={isValid ? 'good' : 'bad'}>
          {isValid ? `HTTP ${attempt.http_status}` : causeWord(attempt.outcome, attempt.http_status)}
        </Badge>
        <span class="quiet">
          <Time at={attempt.started_at} />, took {attempt.duration_ms.toLocaleString('en')} ms
        </span>
      </div>
      <details class="more">
        <summary>
          Request and answer<span class="sr-only"> of attempt {attempt.number}</span>
        </summary>
        <div class="stack close">
          <h3>Request</h3>
          <pre class="code" tabIndex={0} role="region" aria-label={`Request of attempt ${attempt.number}`}>
            <code>{requestOf(attempt, delivery, sent, context)}</code>
          </pre>
          <p class="hint">
            The body is the event as it was received. Signatures and the values of your own headers are left
            out here; the address is the one that the destination has today.
          </p>
          <h3>{attempt.http_status === null ? 'What went wrong' : 'Answer'}</h3>
          <pre class="code" tabIndex={0} role="region" aria-label={`Answer to attempt ${attempt.number}`}>
            <code>
              {attempt.http_status !== null && `HTTP ${attempt.http_status}\n`}
              {attempt.answer || '(nothing in it)'}
            </code>
          </pre>
        </div>
      </details>
    </li>
  );
}

/** As `forwarding/deliver.ts` sends it, without what is secret. */
function requestOf(attempt: Attempt, delivery: Delivery, sent: Sent, context: UserContext): string {
  const { deps } = context;
  const own =
    delivery.headers_sealed === null
      ? []
      : Object.keys(JSON.parse(deps.vault.open('destinations.headers', delivery.headers_sealed)) as object);
  return [
    `POST ${shownAddress(context, delivery.url)}`,
    ...own.map((name) => `${name}: …`),
    'content-type: application/json',
    ...(sent.body === '' ? [] : [`content-length: ${Buffer.byteLength(sent.body)}`]),
    'user-agent: Messaging-Gateway',
    'x-hub-signature-256: sha256=…',
    `webhook-id: ${sent.id}`,
    `webhook-timestamp: ${Math.floor(Date.parse(attempt.started_at) / 1000)}`,
    'webhook-signature: v1,…',
    `x-gateway-line: ${sent.phoneNumberId}`,
    `x-gateway-attempt: ${attempt.number}`,
  ].join('\n');
}

async function replayOne(context: UserContext): Promise<Outcome> {
  const { event, deliveries } = await found(context);
  const asked = context.form.get('destination');
  const delivery = deliveries.find((one) => String(one.destination_id) === asked);
  if (!delivery || delivery.removed_at !== null) throw pageNotFound();
  const isPending = delivery.state === 'pending';
  const isSent = await replayDelivery(context.deps, context.actor, delivery);
  const sentAgain = isPending ? triedNow() : 'It is sent again.';
  return seeOther(
    `/panel/events/${event.id}`,
    isSent ? sentAgain : 'It was not sent again: it is on its way already, or its text is no longer kept.',
  );
}
