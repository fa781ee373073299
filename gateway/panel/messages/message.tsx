import { type VNode } from 'preact';
import { contactNames } from '../../messages/contact-names';
import { messageFailure, REACHED, type MessageState } from '../../messages/message-record';
import { inOrderOf } from '../../primitives/in-order-of';
import { eventIdBefore } from '../../store/event-id';
import { type EventSearch, type ListedEvent } from '../../store/reports/event-list';
import { type SentMessage } from '../../store/reports/message-list';
import { type EventRow } from '../../store/tables/events';
import { type MessageRow } from '../../store/tables/messages';
import { isoTime, MINUTE } from '../../time';
import { StateBadge } from '../log/delivery-words';
import { contactText } from '../ui/contact';
import { eventWord, messageKind, messageWord } from '../ui/words/kind-words';
import { MessageBadge } from '../chat/message-badge';
import { Said } from '../languages/said';
import { t } from '../languages/t';
import { readableJson } from '../ui/json';
import { Live } from '../ui/live';
import { Card, Facts, Id, Notice, PageHead, Time } from '../ui/parts';
import { pageNotFound } from '../ui/frame/error-page';
import { page, type PanelResponse } from '../outcome';
import { pageRoute, type PanelRoute } from '../panel-route';
import { type UserContext } from '../request-context';
import { templateName, templatesOf, type Templates } from '../../messages/sent-words';
import {
  conversationHref,
  sentEntry,
  sentSummary,
  Thread,
  writtenEntry,
  type ThreadEntry,
} from '../chat/thread';
import { messagePane } from './message-pane';
import { listOf } from './filter';
import { toldOf } from './messages';

/** One message: its statuses, and the conversation around it. */
export const messagePages: PanelRoute[] = [
  pageRoute('messages.read', '/messages/:line/:wamid', showMessage, { live: true }),
];

/** Names the contact, if the name is known. */
function titleOf({ contact }: MessageRow, name: string | undefined): string {
  if (contact === null) return t('Message to an unknown contact');
  return t('Message to {contact}', { contact: name ?? contactText(contact) });
}

async function showMessage(context: UserContext): Promise<PanelResponse> {
  const { deps, params } = context;
  const lineId = /^\d{1,9}$/.test(params.line ?? '') ? Number(params.line) : 0;
  const [message] = await deps.store.messageList.byId([lineId], params.wamid ?? '');
  if (!message) throw pageNotFound();
  await context.looked('message', [message]);
  const line = deps.lines.byId(lineId);
  const template = templateName(message);
  const events = await eventsOf(context, message);
  const { templates, writers } = await toldOf(context, [message]);
  const [name] = writers.values();
  return page(
    <PageHead title={titleOf(message, name)} back={{ href: listOf(context.query), label: t('Messages') }} />,
    <>
      {await messagePane(context, message)}
      <Live id="message">
        <div class="stack">
          <SaidMessage message={message} templates={templates} />
          <Failure message={message} />
          <div class="columns">
            <Card title={t('Timeline')} actions={<MessageBadge message={message} />}>
              <Way message={message} />
            </Card>
            <Card title={t('Details')}>
              <Facts
                facts={[
                  [
                    t('Line'),
                    line ? (
                      <a href={`/panel/lines/${line.id}`}>{line.name}</a>
                    ) : (
                      t('Line {id}', { id: lineId })
                    ),
                  ],
                  [
                    t('Type'),
                    message.type === null
                      ? t('Not known: it was not sent through the gateway')
                      : messageKind(message.type),
                  ],
                  ...(template ? [[t('Template'), template] as [string, string]] : []),
                  [
                    t('Contact'),
                    message.contact === null ? (
                      '–'
                    ) : (
                      <a href={conversationHref(lineId, message.contact)}>{contactText(message.contact)}</a>
                    ),
                  ],
                  ...(message.client_ref === null
                    ? []
                    : [[t('Your reference'), message.client_ref] as [string, string]]),
                  [t('Message ID'), <Id id="message-id" text={message.wamid} label={t('Message ID')} />],
                ]}
              />
            </Card>
          </div>
          {events.length > 0 && <ItsEvents rows={events} />}
        </div>
      </Live>
      <Live id="conversation">
        <Card
          title={t('Its conversation')}
          actions={
            message.contact !== null && (
              <a class="button plain small" href={conversationHref(lineId, message.contact)}>
                {t('Open conversation')}
              </a>
            )
          }
        >
          <Conversation entries={await conversation(context, message)} message={message} />
        </Card>
      </Live>
    </>,
  );
}

/** Most event rows of one message; each event has a row per destination. */
const MOST_EVENTS = 50;

/**
 * The platform's status events for the message, oldest first. Searches the contact's events since the message
 * was sent.
 */
async function eventsOf({ deps }: UserContext, message: MessageRow): Promise<ListedEvent[]> {
  if (message.contact === null) return [];
  const first = message.accepted_at ?? message.sent_at;
  const search: EventSearch = {
    contacts: await contactNames(deps.store, message.contact),
    wamid: message.wamid,
    subjects: ['echo', 'messageStatus'],
    ...(first !== null && { from: eventIdBefore(Date.parse(first) - MINUTE) }),
  };
  return (await deps.store.eventList.page(search, null, MOST_EVENTS, true)).rows;
}

function ItsEvents({ rows }: { rows: ListedEvent[] }): VNode {
  const events = Map.groupBy(rows, ({ event_id: id }) => id);
  return (
    <Card title={t('Events')} flush>
      <ul class="hits">
        {[...events].map(([id, [event, ...others]]) => (
          <li key={id}>
            <a class="row-link" href={`/panel/events/${id}`}>
              {event && eventWord(event)}
            </a>
            <span class="cluster">
              {[event, ...others].map(
                (one) =>
                  one?.state && (
                    <StateBadge
                      key={one.destination_id}
                      of={{ state: one.state, paused_at: one.paused_at }}
                    />
                  ),
              )}
            </span>
            <span class="quiet small">{event && <Time at={event.received_at} />}</span>
          </li>
        ))}
      </ul>
    </Card>
  );
}

function SaidMessage({ message, templates }: { message: SentMessage; templates: Templates }): VNode {
  const { content, isUnkept } = sentEntry(message, templates, '');
  return (
    <Card title={t('What was sent')}>
      {isUnkept ? (
        <p class="quiet small">{sentSummary(message)}</p>
      ) : (
        <div class="bubble said sent">
          <div dir="auto">{content}</div>
        </div>
      )}
    </Card>
  );
}

function Failure({ message }: { message: MessageRow }): VNode | null {
  const failure = messageFailure(message);
  if (!failure) return null;
  const { code, reason, action, errors } = failure;
  return (
    <Notice tone="bad">
      <p>
        <strong>
          <Said>{reason}</Said>
        </strong>
        {code !== null && <span> {t('(the platform’s code {code})', { code })}</span>}
      </p>
      <p>{t.rich('What to do: {action}', { action: <Said>{action}</Said> })}</p>
      {errors.length > 0 && (
        <details class="more">
          <summary>{t('What the platform said')}</summary>
          <pre class="code" tabIndex={0} role="region" aria-label={t('What the platform said')}>
            <code>{readableJson(errors)}</code>
          </pre>
        </details>
      )}
    </Notice>
  );
}

const whatHappened = (step: MessageState): string =>
  ({
    accepted: t('WhatsApp accepted the message.'),
    sent: t('WhatsApp sent it to the contact.'),
    delivered: t('It reached the contact’s phone.'),
    read: t('The contact opened it.'),
    played: t('The contact listened to it.'),
    failed: t('Could not be delivered.'),
  })[step];

/**
 * Sorted by rank, not by time. The platform's times are whole seconds, so "sent" could seem earlier than
 * "accepted". A failure has no rank and is sorted by time.
 */
function wayOf(message: MessageRow): { step: MessageState; at: string }[] {
  const way = REACHED.flatMap((step): { step: MessageState; at: string }[] => {
    const { [`${step}_at` as const]: at } = message;
    return at === null ? [] : [{ step, at }];
  });
  const { failed_at: failedAt } = message;
  if (failedAt === null) return way;
  const arrived = way.findIndex(({ step, at }) => !['accepted', 'sent'].includes(step) && at > failedAt);
  return way.toSpliced(arrived < 0 ? way.length : arrived, 0, { step: 'failed', at: failedAt });
}

function Way({ message }: { message: MessageRow }): VNode {
  return (
    <ol class="way">
      {wayOf(message).map(({ step, at }) => (
        <li key={step} data-tone={step === 'failed' ? 'bad' : 'good'}>
          <strong>{messageWord(step)}</strong>
          <span class="quiet small">{whatHappened(step)}</span>
          <span class="small">
            <Time at={at} />
          </span>
        </li>
      ))}
    </ol>
  );
}

/** Conversation entries before and after the message. */
const AROUND = 4;

async function conversation({ deps }: UserContext, message: SentMessage): Promise<ThreadEntry[]> {
  if (message.contact === null) return [];
  const { store } = deps;
  const { line_id: line, wamid } = message;
  const contacts = await contactNames(store, message.contact);
  const told = message.accepted_at ?? message.sent_at ?? message.delivered_at ?? message.failed_at;
  const at = told ?? isoTime(deps.clock());
  const id = eventIdBefore(Date.parse(at));
  const [earlier, later, sentEarlier, sentLater] = await Promise.all([
    store.messageList.written(line, contacts, id, AROUND),
    store.messageList.written(line, contacts, id, AROUND, true),
    store.messageList.sent(line, contacts, at, AROUND),
    // One more, because the result includes the message itself.
    store.messageList.sent(line, contacts, at, AROUND + 1, true),
  ]);
  const others = sentLater.filter((one) => one.wamid !== wamid);
  const templates = await templatesOf(store, [...sentEarlier, message, ...others]);
  const written = (event: EventRow) => writtenEntry(line, event);
  const sent = (one: SentMessage) => sentEntry(one, templates, at);
  const entries = [
    ...[...earlier.map(written), ...sentEarlier.map(sent)].toReversed(),
    sent(message),
    ...later.map(written),
    ...others.map(sent),
  ].toSorted((one, other) => inOrderOf(one.at, other.at));
  const here = entries.findIndex(({ key }) => key === wamid);
  return entries.slice(Math.max(here - AROUND, 0), here + AROUND + 1).toReversed();
}

function Conversation({ entries, message }: { entries: ThreadEntry[]; message: MessageRow }): VNode {
  if (message.contact === null) return <p>{t('The recipient of this message is unknown.')}</p>;
  return (
    <>
      <p class="hint">
        {t('Messages from {contact} are shown in full. Sent text appears only if this line stores it.', {
          contact: contactText(message.contact),
        })}
      </p>
      <Thread contact={message.contact} entries={entries} current={message.wamid} />
    </>
  );
}
