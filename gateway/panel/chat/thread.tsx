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

/** The filter of the list in which a conversation was opened. */
export interface ListOfConversations {
  /** Only conversations of its line. */
  isOfLine: boolean;
  /** Only conversations whose contact waits for a reply. */
  waits: boolean;
}

const queryOf = (line: number, { isOfLine, waits }: ListOfConversations): string => {
  const query = new URLSearchParams({
    ...(isOfLine && { line: String(line) }),
    ...(waits && { waits: 'yes' }),
  });
  return query.size ? `?${query}` : '';
};

/** The filter as the value of a form's field. */
export const wordOf = ({ isOfLine, waits }: ListOfConversations): string =>
  `conversation${isOfLine ? '-line' : ''}${waits ? '-waits' : ''}`;

/** Null if the form was opened elsewhere. */
export function listIn(word: string): ListOfConversations | null {
  const [whole, line, waits] = /^conversation(-line)?(-waits)?$/.exec(word) ?? [];
  return whole === undefined ? null : { isOfLine: Boolean(line), waits: Boolean(waits) };
}

export const conversationsHref = (line: number, of: ListOfConversations): string =>
  `/panel/conversations${queryOf(line, of)}`;

const ALL: ListOfConversations = { isOfLine: false, waits: false };

/** @param of the filter of the list that the page leads back to */
export const conversationHref = (line: number, contact: string, of = ALL): string =>
  `/panel/conversations/${line}/${encodeURIComponent(contact)}${queryOf(line, of)}`;

/** One message of either side. */
export interface ThreadEntry {
  key: string;
  at: string;
  href: string;
  isOurs: boolean;
  /** In a group, the writer. */
  writer?: string | null;
  content: ComponentChildren;
  /** Whether `content` describes the message instead of quoting it. */
  isSummary: boolean;
  /** Whether it was sent and its text was not stored. */
  isUnkept: boolean;
  message?: MessageRow;
  /** Whether a message of the contact was not forwarded, or not yet. */
  forwarded?: VNode;
}

/** A message of the contact. */
export function writtenEntry(lineId: number, event: EventRow): ThreadEntry {
  const { body } = event;
  const text = writtenText(body);
  const file = fileOf(body);
  const kind = writtenKind(event);
  const summary = () => (body === '' ? t('{kind}, no longer stored', { kind }) : kind);
  // Text that the contact did not type, as of a button, is shown with its kind.
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

/** A sent message, with its text if stored. @param at the time of a message that was not sent through the gateway */
export function sentEntry(message: SentMessage, templates: Templates, at: string): ThreadEntry {
  const text = sentWords(message, templates);
  const isFromApp = message.sent_from === 'app';
  // In the platform's format, with a file that can be downloaded.
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

/** The text of a message; of an interactive one with its header, footer and choices. */
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

/** Text with WhatsApp's marks: *bold*, _italic_. */
export const marked = (text: string | null): ComponentChildren =>
  text === null ? null : formatted(text, (part) => [part]);

type Summed = Pick<SentMessage, 'line_id' | 'type' | 'body'> &
  Partial<Pick<SentMessage, 'template_name' | 'template_language'>>;

/** The kind of a message; of a template also its name. */
export function sentKind(message: Summed, place?: 'in a sentence'): string {
  const { type } = message;
  if (type === null) return t('Type: not known');
  const kind = place ? inSentence(messageKind(type)) : messageKind(type);
  const template = templateName(message);
  return template === null ? kind : t('{kind} {template}', { kind, template });
}

/**
 * Replaces the text of a message without one: its kind and, if nothing else is known, that the text is not
 * stored.
 */
export function sentSummary(message: Summed, place?: 'in a sentence'): string {
  const kind = sentKind(message, place);
  const isKnown = typeof message.body === 'string' || message.type === null || templateName(message) !== null;
  return isKnown ? kind : t('{kind} (not stored)', { kind });
}

const PICTURES = ['image', 'sticker'];

/** A picture is shown, any other file is a link. The gateway fetches it from the platform, which stores it for a while. */
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
  /** Both sides, the newest first. */
  entries: ThreadEntry[];
  /** The key of the message that the page is about. */
  current?: string;
  /** Why texts are not stored, shown beneath the last such message. */
  note?: VNode;
}

/** Both sides of a conversation, the oldest first. Consecutive sent messages without stored text are grouped. */
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

/** Groups consecutive sent messages without stored text; any other message is alone. */
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
