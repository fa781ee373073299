import { Fragment, type ComponentChildren, type VNode } from 'preact';
import { useContext } from 'preact/hooks';
import { type SentMessage } from '../../../store/reports/message-list';
import { type MessageRow } from '../../../store/tables/messages';
import { type EventRow } from '../../../store/tables/events';
import { sentText } from '../../../cloud-api/sent-text';
import { fileOf, writtenText } from '../../../cloud-api/written-text';
import { inOrderOf } from '../../../primitives/in-order-of';
import { contactText } from '../contact';
import { LookContext } from '../frame/look';
import { messageKind } from '../kind-words';
import { MessageBadge } from '../message-badge';
import { Hour, inZone } from '../parts';
import { formatted } from './formatted-text';
import { Picture } from './picture';
import { t } from '../../languages/t';

export const messageHref = ({ line_id: line, wamid }: Pick<MessageRow, 'line_id' | 'wamid'>): string =>
  `/panel/messages/${line}/${encodeURIComponent(wamid)}`;

export const conversationHref = (line: number, contact: string): string =>
  `/panel/conversations/${line}/${encodeURIComponent(contact)}`;

/** What was said on either side, once. */
export interface ThreadEntry {
  key: string;
  at: string;
  href: string;
  isOurs: boolean;
  content: ComponentChildren;
  /** The content is not what was said, but tells what is known of it. */
  isSummary: boolean;
  message?: MessageRow;
}

/** What a contact wrote. */
export function writtenEntry(lineId: number, event: EventRow): ThreadEntry {
  const text = writtenText(event.body);
  const file = fileOf(event.body);
  const summary = () =>
    event.body === ''
      ? t('{kind}, no longer kept', { kind: messageKind(event.kind) })
      : messageKind(event.kind);
  return {
    key: event.id,
    at: event.received_at,
    href: `/panel/events/${event.id}`,
    isOurs: false,
    content: (
      <>
        {file && <File lineId={lineId} file={file} />}
        {text === file?.name ? null : (marked(text) ?? (file ? null : summary()))}
      </>
    ),
    isSummary: text === null,
  };
}

/** What was sent: its text where the line keeps it. @param at of a message that was not sent through the gateway */
export const sentEntry = (message: SentMessage, at: string): ThreadEntry => ({
  key: message.wamid,
  at: message.accepted_at ?? at,
  href: messageHref(message),
  isOurs: true,
  content: marked(sentText(message.body ?? '')) ?? typeOf(message),
  isSummary: sentText(message.body ?? '') === null,
  message,
});

/** With the signs of a messenger: *bold*, _italic_. */
const marked = (text: string | null): ComponentChildren =>
  text === null ? null : formatted(text, (part) => [part]);

const typeOf = ({ type }: SentMessage): string => (type === null ? t('Type: not known') : messageKind(type));

const PICTURES = ['image', 'sticker'];

/** A picture is shown, all else is to be saved: by way of the gateway, from the platform, which keeps it for a while. */
function File({
  lineId,
  file: { id, kind, name },
}: {
  lineId: number;
  file: NonNullable<ReturnType<typeof fileOf>>;
}): VNode {
  const href = `/panel/conversations/${lineId}/files/${encodeURIComponent(id)}`;
  return PICTURES.includes(kind) ? (
    <Picture class="thread-picture" id={id} href={href} alt={t('A picture that the contact sent')} />
  ) : (
    <a class="button plain small" href={href} download="">
      {name === null ? savesKind(kind) : t('Save {name}', { name })}
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
  /** The newest of either side first. */
  entries: ThreadEntry[];
  /** The key of the one that the page is about. */
  current?: string;
}

/** Both sides of a conversation, the oldest first. */
export function Thread({ contact, entries, current }: ThreadProps): VNode {
  const { zone = 'UTC' } = useContext(LookContext);
  const dayOf = (entry: ThreadEntry) => inZone(entry.at, zone, 'day');
  const inOrder = entries.toReversed().toSorted((one, other) => inOrderOf(one.at, other.at));
  return (
    <ol class="conversation" aria-label={t('Conversation with {contact}', { contact: contactText(contact) })}>
      {inOrder.map((entry, index) => {
        const before = inOrder[index - 1];
        return (
          <Fragment key={entry.key}>
            {(!before || dayOf(before) !== dayOf(entry)) && (
              <li class="chat-day">
                <time dateTime={entry.at}>{dayOf(entry)}</time>
              </li>
            )}
            <li class={entry.isOurs ? 'ours' : 'theirs'}>
              <div class="bubble" data-this={entry.key === current ? '' : undefined}>
                <p class="sr-only">
                  {entry.isOurs
                    ? t('Sent by you')
                    : t('Written by {contact}', { contact: contactText(contact) })}
                </p>
                <div class={entry.isSummary ? 'said quiet' : 'said'}>{entry.content}</div>
                <div class="cluster small">
                  {entry.key === current && <strong>{t('This message')}</strong>}
                  <a class="row-link" href={entry.href}>
                    <Hour at={entry.at} />
                  </a>
                  {entry.message && <MessageBadge message={entry.message} />}
                </div>
              </div>
            </li>
          </Fragment>
        );
      })}
    </ol>
  );
}
