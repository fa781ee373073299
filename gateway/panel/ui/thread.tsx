import { type ComponentChildren, type VNode } from 'preact';
import { type SentMessage } from '../../store/reports/message-list';
import { type MessageRow } from '../../store/tables/messages';
import { messageState, type MessageState } from '../../messages/message-record';
import { type EventRow } from '../../store/tables/events';
import { sentText } from '../../cloud-api/sent-text';
import { fileOf, writtenText } from '../../cloud-api/written-text';
import { inOrderOf } from '../../primitives/in-order-of';
import { Badge, Time, type Tone } from './parts';

export const MESSAGE_WORDS: Record<MessageState, { word: string; tone: Tone }> = {
  accepted: { word: 'Accepted', tone: 'info' },
  sent: { word: 'Sent', tone: 'info' },
  delivered: { word: 'Delivered', tone: 'good' },
  read: { word: 'Read', tone: 'good' },
  played: { word: 'Played', tone: 'good' },
  failed: { word: 'Failed', tone: 'bad' },
};

export function MessageBadge({ message }: { message: MessageRow }): VNode {
  const { word, tone } = MESSAGE_WORDS[messageState(message)];
  return <Badge tone={tone}>{word}</Badge>;
}

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
  const words =
    text ?? (file ? null : `Type: ${event.kind}${event.body === '' ? ' (its text is no longer kept)' : ''}`);
  return {
    key: event.id,
    at: event.received_at,
    href: `/panel/events/${event.id}`,
    isOurs: false,
    content: (
      <>
        {file && <File lineId={lineId} file={file} />}
        {words}
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
  content: sentText(message.body ?? '') ?? `Type: ${message.type ?? 'not known'}`,
  isSummary: sentText(message.body ?? '') === null,
  message,
});

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
    <a class="thread-picture" href={href}>
      <img src={href} alt="A picture that the contact sent" loading="lazy" />
    </a>
  ) : (
    <a class="button plain small" href={href} download="">
      Save {name ?? `the ${kind}`}
    </a>
  );
}

interface ThreadProps {
  contact: string;
  /** The newest of either side first. */
  entries: ThreadEntry[];
  /** The key of the one that the page is about. */
  current?: string;
}

/** Both sides of a conversation, the oldest first. */
export function Thread({ contact, entries, current }: ThreadProps): VNode {
  return (
    <ol class="conversation" aria-label={`Conversation with ${contact}`}>
      {entries
        .toReversed()
        .toSorted((one, other) => inOrderOf(one.at, other.at))
        .map((entry) => (
          <li key={entry.key} class={entry.isOurs ? 'ours' : 'theirs'}>
            <div class="bubble" data-this={entry.key === current ? '' : undefined}>
              <p class="sr-only">{entry.isOurs ? 'Sent by you' : `Written by ${contact}`}</p>
              <div class={entry.isSummary ? 'said quiet' : 'said'}>{entry.content}</div>
              <div class="cluster small">
                {entry.key === current ? (
                  <strong>This message</strong>
                ) : (
                  <a class="row-link" href={entry.href}>
                    <Time at={entry.at} />
                  </a>
                )}
                {entry.message && <MessageBadge message={entry.message} />}
              </div>
            </div>
          </li>
        ))}
    </ol>
  );
}
