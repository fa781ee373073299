import { type ComponentChildren, type VNode } from 'preact';
import { messageFailure } from '../../messages/message-record';
import { callbackOf } from '../../forwarding/answers';
import { headersOf } from '../../forwarding/deliver';
import { isHeldBack, isOfQuestions } from '../../forwarding/destination';
import { replayDelivery } from '../../forwarding/replay';
import { WAITS } from '../../forwarding/retry-schedule';
import { traceOfEvent } from '../../http/trace-context';
import { eventTime } from '../../store/event-id';
import { isoTime } from '../../time';
import { writerName, writtenText } from '../../cloud-api/written-text';
import { Breakable } from '../languages/breakable';
import { leftText } from '../languages/numbers';
import { t } from '../languages/t';
import { Said } from '../languages/said';
import { saidOfPause } from '../../forwarding/failures';
import { contactText } from '../ui/contact';
import { shortAddress, shownAddress } from '../ui/shown-address';
import { causeWord, causeWords, isCause } from '../ui/words/causes';
import { ActionButton } from '../ui/form';
import { eventWord } from '../ui/words/kind-words';
import { Live } from '../ui/live';
import { Badge, Card, Copy, CopyButton, Facts, Id, joined, Left, Notice, PageHead, Time } from '../ui/parts';
import { pageNotFound } from '../ui/frame/error-page';
import { page, seeOther, type PanelResponse } from '../outcome';
import { actionRoute, pageRoute, type PanelRoute } from '../panel-route';
import { type UserContext } from '../request-context';
import { attemptWord, failureWord, NextTry, nextTryOf, Resume, Since } from '../destination/held-back';
import { json, readableJson } from '../ui/json';
import { outcomeOf, toldOutcome } from '../destination/try-outcome';
import { sentWords, templatesOf } from '../../messages/sent-words';
import { conversationHref, marked, messageHref } from '../chat/thread';
import { stateOf, StateBadge } from '../log/delivery-words';
import { hasContent, isMessage, ToPrevious } from '../log/event-table';
import { eventPane } from './event-pane';
import { addressOf, cursorOf, filterOf } from './filter';
import { useRequest } from '../ui/page-request';

/** One event: its content, its destinations, and every attempt. */
export const eventPages: PanelRoute[] = [
  pageRoute('events.read', '/events/:id', showEvent, { live: true }),
  actionRoute('deliveries.replay', '/events/:id/replay', replayOne),
];

type Found = NonNullable<Awaited<ReturnType<UserContext['deps']['store']['deliveryList']['event']>>>;
type Delivery = Found['deliveries'][number];
type Attempt = Found['attempts'][number];

async function found(context: UserContext): Promise<Found> {
  const one = await context.deps.store.deliveryList.event(context.params.id ?? '');
  if (!one) throw pageNotFound();
  return one;
}

/** The list from which the event was opened. The event's address contains the list's filter. */
const listOf = ({ query }: UserContext): string => addressOf(filterOf(query), cursorOf(query));

/** An address at or below the event's, with the filter of the list. */
const addressIn = (context: UserContext, path: string): string =>
  listOf(context).replace('/panel/events', `/panel/events/${path}`);

async function showEvent(context: UserContext): Promise<PanelResponse> {
  const { event, deliveries, attempts } = await found(context);
  const { lines } = context.deps;
  const line = event.line_id === null ? null : lines.byId(event.line_id);
  const callback = deliveries.some(isOfQuestions) ? await callbackOf(context.deps, event.id) : null;
  const nameOf = namesOf(context, deliveries, callback);
  const text = isMessage(event) ? writtenText(event.body) : null;
  const title = titleOf(event, text);
  const ofSent = await sentOf(context, event);
  const isHidden = !mayRead(context, event, deliveries);
  if (!isHidden && hasContent(event)) await context.looked('event', [event]);
  const pane = await eventPane(context, { event, deliveries });
  return page(
    <PageHead
      title={title}
      tab={eventWord(event)}
      back={{ href: `${listOf(context)}#${event.id}`, label: t('Events and deliveries') }}
    >
      {leadOf(event, title)}
    </PageHead>,
    <>
      <CameIn event={event} text={text === title ? null : text} sent={ofSent} isHidden={isHidden} />
      <Live id="deliveries">
        <div class="stack">
          {deliveries.length === 0 && (
            <Notice tone="info">
              <p>
                {t("No destination subscribes to this event, so it wasn't forwarded.")}{' '}
                {line && (
                  <a href={`/panel/lines/${line.id}`}>
                    {t('Where {name} sends its events', { name: line.name })}
                  </a>
                )}
              </p>
            </Notice>
          )}
          {deliveries
            .toSorted((one, other) => Number(isDone(one)) - Number(isDone(other)))
            .map((delivery) => (
              <DeliveryCard
                key={delivery.destination_id}
                delivery={delivery}
                name={nameOf(delivery)}
                attempts={attempts.filter((one) => one.destination_id === delivery.destination_id)}
                found={{
                  event,
                  isHidden,
                  phoneNumberId: lines.byId(delivery.line_id)?.phoneNumberId ?? '',
                  callback: isOfQuestions(delivery) ? callback : null,
                }}
              />
            ))}
        </div>
      </Live>
      {pane}
    </>,
  );
}

/** Whether the user may see the event's contact and content: for its line, or for a destination that received it. */
const mayRead = (
  { may }: UserContext,
  { line_id: lineId }: Found['event'],
  deliveries: Delivery[],
): boolean =>
  may('messages.read', lineId) ||
  (lineId === null && deliveries.some((one) => may('messages.read', one.line_id)));

/** Whether the event is about a sent message, which has its own page. */
const isOfSent = (subject: Found['event']['subject']): boolean =>
  subject === 'messageStatus' || subject === 'echo';

/**
 * The sent message of a status event: its text, why it failed, and its page. Null if the message is unknown.
 */
async function sentOf(
  { deps }: UserContext,
  { subject, kind, line_id: lineId, wamid }: Found['event'],
): Promise<{ words: string | null; failure: ReturnType<typeof messageFailure>; href: string } | null> {
  if (subject !== 'messageStatus' || lineId === null || wamid === null) return null;
  const [row] = await deps.store.messageList.byId([lineId], wamid);
  if (!row) return null;
  return {
    words: sentWords(row, await templatesOf(deps.store, [row])),
    failure: kind === 'failed' ? messageFailure(row) : null,
    href: messageHref(row),
  };
}

interface CameInProps extends Pick<Found, 'event'> {
  /** The contact's text, if it is longer than the heading. */
  text: string | null;
  sent: Awaited<ReturnType<typeof sentOf>>;
  /** Whether the user may not see the contact and the content. */
  isHidden: boolean;
}

function CameIn({ event, text, sent, isHidden }: CameInProps): VNode {
  const { lines } = useRequest().deps;
  const line = event.line_id === null ? null : lines.byId(event.line_id);
  return (
    <Card title={t('Event')}>
      {text !== null && (
        <p class="bubble said" dir="auto">
          {text}
        </p>
      )}
      {sent?.failure && (
        <p class="reason">
          <Said>{sent.failure.reason}</Said>{' '}
          {sent.failure.code !== null && t('(the platform’s code {code})', { code: sent.failure.code })}
        </p>
      )}
      {sent?.words && (
        <p class="reason">
          {t.rich('About: {words}', {
            words: (
              <a href={sent.href}>
                <bdi>{marked(sent.words)}</bdi>
              </a>
            ),
          })}
        </p>
      )}
      <Facts
        columns={2}
        facts={[
          [t('Received'), <Time at={event.received_at} />],
          [
            t('Line'),
            line ? <a href={`/panel/lines/${line.id}`}>{line.name}</a> : t('None, or several lines'),
          ],
          [
            t('Contact'),
            event.contact === null ? (
              '–'
            ) : (
              <a
                href={
                  line
                    ? conversationHref(line.id, event.contact)
                    : `/panel/messages?q=${encodeURIComponent(event.contact)}`
                }
              >
                {contactText(event.contact)}
              </a>
            ),
          ],
        ]}
      />
      {isHidden && (
        <p class="quiet">
          {t('Contact and content are hidden from editors. Viewers, agents, developers and admins see them.')}
        </p>
      )}
      {event.body === '' && !isHidden && (
        <p class="quiet">
          {t("Its text is no longer stored, because its retention period is over. It can't be resent.")}
        </p>
      )}
      <div class="cluster side-folds">
        {event.body !== '' && <Payload body={event.body} />}
        <details class="more">
          <summary>{t('IDs')}</summary>
          <Facts
            columns={2}
            facts={[
              [t('Message'), <MessageId of={event} />],
              [t('Event ID'), <Id id="event-id" text={event.id} label={t('Event ID')} />],
            ]}
          />
        </details>
      </div>
    </Card>
  );
}

/** The message id, linked to the message if the line sent it. */
function MessageId({ of: { wamid, line_id: lineId, subject } }: { of: Found['event'] }): VNode {
  if (wamid === null) return <>–</>;
  const id = <code id="message-id">{wamid}</code>;
  return (
    <>
      {lineId !== null && isOfSent(subject) ? <a href={messageHref({ line_id: lineId, wamid })}>{id}</a> : id}{' '}
      <CopyButton of="message-id" label={t('Message')} />
    </>
  );
}

/** In characters; longer titles are cut off. */
const LONGEST_TITLE = 60;

/** The beginning of the contact's text; without a text, the kind of the event. */
function titleOf(event: Found['event'], text: string | null): string {
  const letters = [...(text?.replace(/\s+/g, ' ').trim() ?? eventWord(event))];
  return letters.length > LONGEST_TITLE ? `${letters.slice(0, LONGEST_TITLE).join('')}…` : letters.join('');
}

/** The contact's name and number, and the kind of event unless the heading shows it. */
const leadOf = (event: Found['event'], title: string): VNode =>
  joined(
    writerName(event.body),
    event.contact && contactText(event.contact),
    title !== eventWord(event) && eventWord(event),
  );

/** Completed deliveries come last. */
const isDone = ({ state }: Delivery): boolean => state === 'delivered' || state === 'canceled';

/** Names the destinations by host, plus the path if the user may see it, plus the id if names are equal. */
function namesOf(
  context: UserContext,
  deliveries: Delivery[],
  callback: Callback,
): (delivery: Delivery) => string {
  const addressOf = (one: Delivery) =>
    shortAddress(context, one.line_id, (isOfQuestions(one) ? callback?.url : null) ?? one.url);
  const addresses = deliveries.map(addressOf);
  return (delivery) => {
    const name = addressOf(delivery);
    return addresses.filter((one) => one === name).length > 1 ? `${name} (${delivery.destination_id})` : name;
  };
}

/** Raw text that scrolls if it is long. */
const Code = ({ label, children }: { label: string; children: ComponentChildren }): VNode => (
  <pre class="code" tabIndex={0} role="region" aria-label={label}>
    <code>{children}</code>
  </pre>
);

/** The event as received. */
const Payload = ({ body }: { body: string }): VNode => (
  <details class="more payload">
    <summary>{t('Payload')}</summary>
    <Copy id="payload" text={body} label={t('Payload')}>
      {readable(body)}
    </Copy>
  </details>
);

/** Formats and colors JSON. */
function readable(text: string): ComponentChildren {
  try {
    return text.length > 200_000 ? text : json(readableJson(JSON.parse(text), '\t'));
  } catch {
    return text;
  }
}

/** The question that the event answers; null if there is none, or if it is no longer stored. */
type Callback = Awaited<ReturnType<typeof callbackOf>>;

interface Sent {
  event: Found['event'];
  /** Whether the user may not see the answers of receivers, which may repeat the event. */
  isHidden: boolean;
  phoneNumberId: string;
  callback: Callback;
}

function DeliveryCard({
  delivery,
  name,
  attempts,
  found: sent,
}: {
  delivery: Delivery;
  /** The destination's name on this page. */
  name: string;
  attempts: Attempt[];
  found: Sent;
}): VNode {
  const context = useRequest();
  const { may } = context;
  const state = stateOf(delivery);
  const isOver = delivery.state === 'delivered' || delivery.state === 'dead';
  const isAnswer = isOfQuestions(delivery);
  // An untried delivery is due immediately, unless its destination is failing.
  const isDelayed = state === 'waiting' && (delivery.attempts > 0 || isHeldBack(delivery));
  const mayReplay = may('deliveries.replay', delivery.line_id);
  const canReplay =
    mayReplay &&
    (isAnswer ? isDelayed : isOver || isDelayed) &&
    delivery.removed_at === null &&
    sent.event.body !== '';
  return (
    <Card
      title={t.rich('To {destination}', {
        destination:
          mayReplay && delivery.removed_at === null && !isAnswer ? (
            <a href={`/panel/lines/${delivery.line_id}/destinations/${delivery.destination_id}`}>
              <Breakable>{name}</Breakable>
            </a>
          ) : (
            <Breakable>{name}</Breakable>
          ),
      })}
      actions={
        <>
          <StateBadge of={delivery} />
          {canReplay && (
            <ActionButton
              action={addressIn(context, `${sent.event.id}/replay`)}
              fields={{ destination: String(delivery.destination_id) }}
              tone={delivery.state === 'delivered' ? 'plain' : 'primary'}
            >
              {isOver ? t('Resend') : t('Try now')}
              <span class="sr-only">: {name}</span>
            </ActionButton>
          )}
        </>
      }
    >
      {isAnswer && (
        <p>{t('This message answers a question, so it goes to the callback URL of the question.')}</p>
      )}
      {delivery.removed_at !== null && (
        <p>{t('This destination was removed. Nothing is sent to it any more.')}</p>
      )}
      {state === 'waiting' && delivery.removed_at === null && <Waiting delivery={delivery} />}
      {state === 'parked' && (
        <div class="cluster">
          <p>
            {delivery.paused_because
              ? t.rich('The destination is paused: {reason}', {
                  reason: <Said>{saidOfPause(delivery)}</Said>,
                })
              : t('The destination is paused.')}
          </p>
          <Resume
            destination={{ id: delivery.destination_id, line_id: delivery.line_id, url: delivery.url }}
            from={addressIn(context, sent.event.id)}
          />
        </div>
      )}
      {delivery.state === 'dead' && <GivenUp count={attempts.length} isAnswer={isAnswer} />}
      {attempts.length === 0 ? (
        <p class="quiet">
          <NoAttempt delivery={delivery} eventId={sent.event.id} />
        </p>
      ) : (
        <Attempts attempts={attempts} delivery={delivery} sent={sent} />
      )}
    </Card>
  );
}

/** Explains why this event has no attempts: while a destination fails, only one event is tried for all. */
function NoAttempt({ delivery, eventId }: { delivery: Delivery; eventId: string }): VNode {
  const { last_tried_at: triedAt, last_failure: failure } = delivery;
  if (!isHeldBack(delivery) || triedAt === null || Date.parse(triedAt) < eventTime(eventId))
    return <>{t('No attempt was made yet.')}</>;
  return (
    <>
      {t.rich(
        "This event has no attempts. While the destination isn't accepting events, one event is tried for all. Last try {when}: {result}.",
        { when: <Time at={triedAt} />, result: failureWord(failure ?? '') },
      )}
    </>
  );
}

/** Attempts that are always shown. Earlier ones are folded if there are at least two. */
const LATEST_ATTEMPTS = 3;

function Attempts({ attempts, ...of }: { attempts: Attempt[]; delivery: Delivery; sent: Sent }): VNode {
  const latestFirst = attempts.toReversed();
  const shown = attempts.length > LATEST_ATTEMPTS + 1 ? LATEST_ATTEMPTS : attempts.length;
  const earlier = latestFirst.slice(shown);
  const { destination_id: id } = of.delivery;
  return (
    <>
      <ol class="attempts" aria-label={t('Attempts, destination {id}', { id })}>
        {latestFirst.slice(0, shown).map((attempt, index) => (
          <AttemptItem
            key={attempt.number}
            attempt={attempt}
            {...of}
            isOpen={index === 0 && attempt.outcome !== 'delivered'}
          />
        ))}
      </ol>
      {earlier.length > 0 && (
        <details class="more">
          <summary>{t('{count, number} earlier attempts', { count: earlier.length })}</summary>
          <ol class="attempts" aria-label={t('Earlier attempts, destination {id}', { id })}>
            {earlier.map((attempt) => (
              <AttemptItem key={attempt.number} attempt={attempt} {...of} isOpen={false} />
            ))}
          </ol>
        </details>
      )}
    </>
  );
}

const ALL_ATTEMPTS = WAITS.length + 1;

/**
 * The approximate time of the last attempt, because waits vary randomly. @param number of the attempt made at
 * `at`
 */
const givenUpAt = (at: string, number: number): string =>
  isoTime(WAITS.slice(number - 1).reduce((sum, wait) => sum + wait, Date.parse(at)));

/** Why the delivery is waiting, and when it is tried next. */
function Waiting({ delivery }: { delivery: Delivery }): VNode {
  const { deps } = useRequest();
  const nextAt = nextTryOf(delivery, delivery.due_at);
  const next = <Left at={nextAt} now={deps.clock()} />;
  if (isHeldBack(delivery))
    return (
      <Notice tone="warn">
        <p>
          {t.rich('<strong>Held back:</strong> this destination is not accepting events {since}.', {
            since: <Since destination={delivery} />,
          })}{' '}
          <NextTry at={nextAt} />
        </p>
      </Notice>
    );
  const number = delivery.attempts + 1;
  // The schedule of a resent delivery starts again, but its attempt numbers continue.
  if (delivery.attempts && delivery.attempts_before === 0 && number <= ALL_ATTEMPTS)
    return (
      <p>
        {t.rich(
          'Attempt {number} of {all} comes {left}. If none is accepted, it is given up around {when}.',
          {
            ...{ number, all: ALL_ATTEMPTS, left: next },
            when: <Time at={givenUpAt(nextAt, number)} to="minute" />,
          },
        )}
      </p>
    );
  if (delivery.attempts) return <p>{t.rich('The next attempt comes {left}.', { left: next })}</p>;
  return (
    <p>
      {Date.parse(delivery.due_at) > deps.clock()
        ? t.rich('It is sent {left}.', { left: next })
        : t('It is sent now, or after earlier events of the same contact.')}
    </p>
  );
}

const GivenUp = ({ count, isAnswer }: { count: number; isAnswer: boolean }): VNode => (
  <Notice tone="bad">
    <p>
      <strong>
        {t('It was given up after {count, plural, one {# attempt} other {# attempts}}.', { count })}
      </strong>{' '}
      {isAnswer
        ? t('The destinations of the line receive it as a late answer.')
        : t('Fix the cause, then resend it.')}
    </p>
  </Notice>
);

interface AttemptProps {
  attempt: Attempt;
  delivery: Delivery;
  sent: Sent;
  /** True for the latest attempt if it failed, because its answer matters most. */
  isOpen: boolean;
}

function AttemptItem({ attempt, delivery, sent, isOpen }: AttemptProps): VNode {
  const context = useRequest();
  const isValid = attempt.outcome === 'delivered';
  return (
    <li>
      <details open={isOpen}>
        <summary>
          <strong>{t('Attempt {number}', { number: attempt.number })}</strong>
          <Badge tone={isValid ? 'good' : 'bad'}>
            {isValid ? `HTTP ${attempt.http_status}` : causeWord(attempt.outcome, attempt.http_status)}
          </Badge>
          <span class="quiet">
            {t.rich('{when}, took {ms, number} ms', {
              when: <Time at={attempt.started_at} />,
              ms: attempt.duration_ms,
            })}
            <ToPrevious at={attempt.started_at} of={delivery} />
          </span>
          <span class="sr-only">{t('Answer and request')}</span>
        </summary>
        <div class="stack close">
          {!isValid && (
            <>
              <h3>{t('What went wrong')}</h3>
              <p>
                {attemptWord(attempt)}. {isCause(attempt.outcome) && causeWords(attempt.outcome).remedy}
              </p>
            </>
          )}
          {!sent.isHidden && (
            <>
              {attempt.http_status !== null && <h3>{t('Answer')}</h3>}
              <Code label={t('Answer to attempt {number}', { number: attempt.number })}>
                {attempt.http_status !== null && `HTTP ${attempt.http_status}\n`}
                {attempt.answer || t('(empty)')}
              </Code>
            </>
          )}
          <details>
            <summary>
              <strong>{t('Request')}</strong>
            </summary>
            <div class="stack close">
              <Code label={t('Request of attempt {number}', { number: attempt.number })}>
                {requestOf(attempt, delivery, sent, context)}
              </Code>
              <p class="hint">
                {t(
                  'The body is the event as received. Signatures and the values of your own headers are omitted. The URL is the destination’s current one.',
                )}
              </p>
            </div>
          </details>
        </div>
      </details>
    </li>
  );
}

/** The request as sent, without secrets. */
function requestOf(
  { number, started_at: startedAt }: Attempt,
  delivery: Delivery,
  { event, phoneNumberId, callback }: Sent,
  context: UserContext,
): string {
  const { id: eventId, body, automation } = event;
  const request = {
    ...{ eventId, attempt: number, line: phoneNumberId },
    isAutomationPaused: automation === 'paused',
    lateAnswerTo: isOfQuestions(delivery) ? null : event.late_answer_to,
  };
  const headers = Object.entries({
    ...headersOf(request, callback?.headers ?? ownHeaders(context, delivery), {
      ...(body !== '' && { 'content-length': String(Buffer.byteLength(body)) }),
      'x-hub-signature-256': 'sha256=…',
      'webhook-id': eventId,
      'webhook-timestamp': String(Math.floor(Date.parse(startedAt) / 1000)),
      'webhook-signature': 'v1,…',
    }),
    traceparent: `00-${traceOfEvent(eventId).id}-…`,
  });
  return [
    `POST ${shownAddress(context, delivery.line_id, callback?.url ?? delivery.url)}`,
    ...headers.map(([name, value]) => `${name}: ${value}`),
  ].join('\n');
}

/** The names of the destination's own headers, with masked values. */
const ownHeaders = ({ deps }: UserContext, { headers_sealed: sealed }: Delivery): Record<string, string> =>
  sealed === null
    ? {}
    : Object.fromEntries(
        Object.keys(JSON.parse(deps.vault.open('destinations.headers', sealed)) as object).map((name) => [
          name,
          '…',
        ]),
      );

async function replayOne(context: UserContext): Promise<PanelResponse> {
  const { event, deliveries } = await found(context);
  const asked = context.form.get('destination');
  const delivery = deliveries.find((one) => String(one.destination_id) === asked);
  if (!delivery || delivery.removed_at !== null) throw pageNotFound();
  const path = addressIn(context, event.id);
  const again = () => replayDelivery(context.deps, context.actor, delivery);
  if (delivery.state === 'pending')
    return toldOutcome(
      path,
      shortAddress(context, delivery.line_id, delivery.url),
      await outcomeOf(context, { ...delivery, id: delivery.destination_id, eventId: event.id }, again),
    );
  if (!(await again()))
    return seeOther(
      path,
      t('It was not resent: it is already being sent, or its text is no longer stored.'),
      'warn',
    );
  return isHeldBack(delivery)
    ? seeOther(path, waitsWords(delivery, context.deps.clock()), 'warn')
    : seeOther(path, t('It is being resent.'));
}

function waitsWords({ next_try_at: nextTryAt }: Delivery, now: number): string {
  const left = nextTryAt === null ? 0 : Date.parse(nextTryAt) - now;
  return left > 0
    ? t("Waiting: this destination isn't accepting events. Next try in {left}.", { left: leftText(left) })
    : t("Waiting: this destination isn't accepting events.");
}
