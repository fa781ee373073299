import { Fragment, type ComponentChildren, type VNode } from 'preact';
import { useContext } from 'preact/hooks';
import { type SentMessage } from '../../store/reports/message-list';
import { type MessageRow } from '../../store/tables/messages';
import { type EventRow } from '../../store/tables/events';
import { sentOffer } from '../../cloud-api/sent-text';
import { inside, parsed } from '../../cloud-api/json/json-value';
import {
  fileIn,
  fileOf,
  groupOf,
  isFormIn,
  writerName,
  writerOf,
  writtenText,
} from '../../cloud-api/written-text';
import { inOrderOf } from '../../primitives/in-order-of';
import { contactText } from '../ui/contact';
import { LookContext } from '../ui/frame/look';
import { inSentence, messageKind, writtenKind } from '../ui/words/kind-words';
import { MessageTicks } from './message-badge';
import { Hour, inZone } from '../ui/parts';
import { formatted } from '../ui/formatted-text';
import { Picture } from './picture';
import { sentFooter, sentWords, templateName, type Templates } from '../../messages/sent-words';
import { t } from '../languages/t';

export const messageHref = ({ line_id: line, wamid }: Pick<MessageRow, 'line_id' | 'wamid'>): string =>
  `/panel/messages/${line}/${encodeURIComponent(wamid)}`;

/** The filter of the list from which a conversation was opened. */
export interface ListOfConversations {
  /** Only conversations of the same line. */
  isOfLine: boolean;
  /** Only conversations whose contact waits for a reply. */
  waits: boolean;
  /** The filter by customer; empty for all. */
  customer: string;
}

const queryOf = (line: number, { isOfLine, waits, customer }: ListOfConversations): string => {
  const query = new URLSearchParams({
    ...(customer && { customer }),
    ...(isOfLine && { line: String(line) }),
    ...(waits && { waits: 'yes' }),
  });
  return query.size ? `?${query}` : '';
};

/** The filter as a form value. */
export const wordOf = ({ isOfLine, waits, customer }: ListOfConversations): string =>
  `conversation${isOfLine ? '-line' : ''}${waits ? '-waits' : ''}${customer && `-of-${customer}`}`;

/** Parses a form value; null if the form was not opened from a conversation. */
export function listIn(word: string): ListOfConversations | null {
  const [whole, line, waits, customer = ''] =
    /^conversation(-line)?(-waits)?(?:-of-(none|[1-9]\d{0,8}))?$/.exec(word) ?? [];
  return whole === undefined ? null : { isOfLine: Boolean(line), waits: Boolean(waits), customer };
}

export const conversationsHref = (line: number, of: ListOfConversations): string =>
  `/panel/conversations${queryOf(line, of)}`;

const ALL: ListOfConversations = { isOfLine: false, waits: false, customer: '' };

/** @param of filter of the list for the way back */
export const conversationHref = (line: number, contact: string, of = ALL): string =>
  `/panel/conversations/${line}/${encodeURIComponent(contact)}${queryOf(line, of)}`;

/** A message in a conversation, sent or received. */
export interface ThreadEntry {
  key: string;
  at: string;
  href: string;
  isOurs: boolean;
  /** The writer, in a group. */
  writer?: string | null;
  content: ComponentChildren;
  /** Whether `content` describes the message instead of showing its text. */
  isSummary: boolean;
  /** Whether the text of a sent message is not stored. */
  isUnkept: boolean;
  message?: MessageRow;
  /** A badge if a received message was not forwarded, or not yet. */
  forwarded?: VNode;
}

/** A received message. */
export function writtenEntry(lineId: number, event: EventRow): ThreadEntry {
  const { body } = event;
  const text = writtenText(body);
  const file = fileOf(body);
  const kind = writtenKind(event);
  const summary = () => (body === '' ? t('{kind}, no longer stored', { kind }) : kind);
  // The contact did not type this text (for example a button's title), so its kind is shown.
  const isLabelled = text !== null && (['edit', 'order'].includes(event.kind) || isFormIn(body));
  return {
    key: event.id,
    at: event.received_at,
    href: `/panel/events/${event.id}`,
    isOurs: false,
    writer: groupOf(body) === null ? null : (writerName(body) ?? contactText(writerOf(body) ?? '')),
    content: (
      <>
        {isLabelled && <span class="offer-part quiet small">{kind}</span>}
        {file && <File lineId={lineId} file={file} />}
        {text === file?.name ? null : (marked(text) ?? (file ? null : summary()))}
      </>
    ),
    isSummary: text === null,
    isUnkept: false,
  };
}

/** A sent message. @param at time of a message that was not sent through the gateway */
export function sentEntry(message: SentMessage, templates: Templates, at: string): ThreadEntry {
  const text = sentWords(message, templates);
  const isFromApp = message.sent_from === 'app';
  // Messages of the phone app are stored in the platform's format, and their files can be downloaded.
  const file = isFromApp ? fileIn(inside({ read: parsed(message.body ?? '') }, 'read')) : null;
  return {
    key: message.wamid,
    at: message.accepted_at ?? at,
    href: messageHref(message),
    isOurs: true,
    content: (
      <>
        {file && <File lineId={message.line_id} file={file} isOurs />}
        {text === file?.name ? null : (
          <Offering of={message.body ?? ''}>{marked(text) ?? (file ? null : sentKind(message))}</Offering>
        )}
        <Footer>{sentFooter(message, templates)}</Footer>
        <Footer>{isFromApp ? t('Sent from the phone app') : null}</Footer>
      </>
    ),
    isSummary: text === null,
    isUnkept: typeof message.body !== 'string',
    message,
  };
}

const Footer = ({ children }: { children: string | null }): VNode | null =>
  children === null ? null : <span class="offer-part quiet small">{children}</span>;

/** The text of a message; for an interactive message, with header, footer and choices. */
function Offering({ of: body, children }: { of: string; children: ComponentChildren }): VNode {
  const offer = sentOffer(body);
  if (offer === null) return <>{children}</>;
  return (
    <>
      {offer.header !== null && <strong class="offer-part">{offer.header}</strong>}
      {children}
      <Footer>{offer.footer}</Footer>
      {offer.choices.length > 0 && (
        <span class="offer-part choices-sent">
          {offer.choices.map((choice, index) => (
            <span key={index}>{choice}</span>
          ))}
        </span>
      )}
    </>
  );
}

/** A text with WhatsApp formatting: *bold*, _italic_. */
export const marked = (text: string | null): ComponentChildren =>
  text === null ? null : formatted(text, (part) => [part]);

type Summed = Pick<SentMessage, 'line_id' | 'type' | 'body'> &
  Partial<Pick<SentMessage, 'template_name' | 'template_language'>>;

/** The kind of a message, with the name for a template. */
export function sentKind(message: Summed, place?: 'in a sentence'): string {
  const { type } = message;
  if (type === null) return t('Type: not known');
  const kind = place ? inSentence(messageKind(type)) : messageKind(type);
  const template = templateName(message);
  return template === null ? kind : t('{kind} {template}', { kind, template });
}

/** Stands in for a missing text: the kind, and "(not stored)" if nothing else is known. */
export function sentSummary(message: Summed, place?: 'in a sentence'): string {
  const kind = sentKind(message, place);
  const isKnown = typeof message.body === 'string' || message.type === null || templateName(message) !== null;
  return isKnown ? kind : t('{kind} (not stored)', { kind });
}

const PICTURES = ['image', 'sticker'];

/** Shows a picture, or a link for other files. The platform stores files for a limited time. */
function File({
  lineId,
  file: { id, kind, name },
  isOurs = false,
}: {
  lineId: number;
  file: NonNullable<ReturnType<typeof fileOf>>;
  isOurs?: boolean;
}): VNode {
  const href = `/panel/conversations/${lineId}/files/${encodeURIComponent(id)}`;
  return PICTURES.includes(kind) ? (
    <Picture
      class="thread-picture"
      id={id}
      href={href}
      alt={isOurs ? t('Picture') : t('A picture that the contact sent')}
    />
  ) : (
    <a class="button plain small" href={href} download="">
      <span>{name === null ? savesKind(kind) : t.rich('Save {name}', { name: <bdi>{name}</bdi> })}</span>
    </a>
  );
}

const savesKind = (kind: string): string =>
  t(
    '{kind, select, audio {Save the audio} video {Save the video} document {Save the document} other {Save the {kind}}}',
    { kind },
  );

interface ThreadProps {
  contact: string;
  /** Sent and received messages, newest first. */
  entries: ThreadEntry[];
  /** The key of the message that the page shows. */
  current?: string;
  /** Why texts are not stored; shown below the last such message. */
  note?: VNode;
}

/** A conversation, oldest message first. Consecutive sent messages without stored text are grouped. */
export function Thread({ contact, entries, current, note }: ThreadProps): VNode {
  const { zone = 'UTC' } = useContext(LookContext);
  const dayOf = (entry: ThreadEntry) => inZone(entry.at, zone, 'day');
  const inOrder = entries.toReversed().toSorted((one, other) => inOrderOf(one.at, other.at));
  const days = Map.groupBy(inOrder, dayOf);
  const lastUnkept = inOrder.findLast(({ isUnkept }) => isUnkept);
  const bubbleOf = (entry: ThreadEntry) => (
    <Bubble entry={entry} contact={contact} isCurrent={entry.key === current} />
  );
  return (
    <ol class="conversation" aria-label={t('Conversation with {contact}', { contact: contactText(contact) })}>
      {[...days].map(([day, ofDay]) => (
        <Fragment key={day}>
          <li class="chat-day">
            <time dateTime={ofDay[0]?.at}>{day}</time>
          </li>
          {runsOf(ofDay).map((run) => (
            <Fragment key={run[0]?.key}>
              <li class={run[0]?.isOurs ? 'ours' : 'theirs'}>
                {run.length === 1 ? (
                  run.map(bubbleOf)
                ) : (
                  <ul class="run">
                    {run.map((entry) => (
                      <li key={entry.key}>{bubbleOf(entry)}</li>
                    ))}
                  </ul>
                )}
              </li>
              {note && lastUnkept && run.includes(lastUnkept) && <li class="why small">{note}</li>}
            </Fragment>
          ))}
        </Fragment>
      ))}
    </ol>
  );
}

/** Groups consecutive sent messages without stored text. Every other message is a group of its own. */
function runsOf(entries: ThreadEntry[]): ThreadEntry[][] {
  const runs: ThreadEntry[][] = [];
  for (const entry of entries) {
    const run = runs.at(-1);
    if (entry.isUnkept && run?.at(-1)?.isUnkept) run.push(entry);
    else runs.push([entry]);
  }
  return runs;
}

interface BubbleProps {
  entry: ThreadEntry;
  contact: string;
  isCurrent: boolean;
}

const Bubble = ({ entry, contact, isCurrent }: BubbleProps): VNode => (
  <div class={entry.isUnkept ? 'bubble unkept' : 'bubble'} data-this={isCurrent ? '' : undefined}>
    <p class="sr-only">
      {entry.isOurs
        ? t('Sent by you')
        : t('Written by {contact}', { contact: entry.writer ?? contactText(contact) })}
    </p>
    {entry.writer && (
      <p class="writer small" aria-hidden="true">
        <bdi>{entry.writer}</bdi>
      </p>
    )}
    <div class={entry.isSummary ? 'said quiet' : 'said'} dir="auto">
      {entry.content}
    </div>
    <div class="cluster small">
      {isCurrent && <strong>{t('This message')}</strong>}
      <a class="row-link" href={entry.href}>
        <Hour at={entry.at} /> {entry.forwarded}
      </a>
      {entry.message && <MessageTicks message={entry.message} />}
    </div>
  </div>
);
