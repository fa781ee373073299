import { type ComponentChildren } from 'preact';
import { sentText } from '../../cloud-api/sent-text';
import { writerName, writtenText } from '../../cloud-api/written-text';
import { findMessage } from '../../messages/find-message';
import { sentTextSearch, textSearch } from '../../messages/text-search';
import { partsBy, wordsOf } from '../../primitives/words';
import { type ListedEvent } from '../../store/reports/event-list';
import { t } from '../languages/t';
import { contactText } from '../ui/contact';
import { formatted } from '../ui/chat/formatted-text';
import { messageHref } from '../ui/chat/thread';
import { eventWord, messageKind } from '../ui/words/kind-words';
import { joined, MOST_SHOWN, type Asked, type Group } from './asked';

/** An event is listed once for each destination: so many rows are looked at for the events. */
const MOST_ROWS = 10 * MOST_SHOWN;

/** The message or the event that has this id. */
export async function idsFound({ context, q, isNumber, lineName }: Asked): Promise<Group[]> {
  const { store, lines } = context.deps;
  const [message, event] = await Promise.all([
    /\s/.test(q) || isNumber ? { sent: [], received: [] } : findMessage(store, lines.all(), q),
    /^evt_[0-9a-z]{1,60}$/.test(q) ? store.eventList.page({ eventId: q }, null, 1) : { rows: [] },
  ]);
  const named = (contact: string | null) =>
    contact === null ? t('an unknown contact') : contactText(contact);
  return [
    {
      title: t('Messages'),
      kind: t('Message'),
      hits: [
        ...message.sent.map((row) => ({
          key: `sent ${row.line_id}`,
          href: messageHref(row),
          label: t('Message to {contact}', { contact: named(row.contact) }),
          about: lineName(row.line_id),
          at: row.accepted_at,
        })),
        ...message.received.map(({ id, contact }) => ({
          key: id,
          href: `/panel/events/${id}`,
          label: t('Message from {contact}', { contact: named(contact) }),
        })),
      ],
    },
    {
      title: t('Events'),
      kind: t('Event'),
      hits: event.rows.map((row) => ({
        key: row.event_id,
        href: `/panel/events/${row.event_id}`,
        label: row.event_id,
        about: joined(eventWord(row), row.contact && contactText(row.contact)),
        at: row.received_at,
      })),
    },
  ];
}

/** The list has an event once for each destination. */
const eachOnce = (rows: ListedEvent[]): ListedEvent[] =>
  [...new Map(rows.map((row) => [row.event_id, row])).values()].slice(0, MOST_SHOWN);

/** Messages in which these words stand. */
export async function wordsFound({ context, q, hasWords, lineName }: Asked): Promise<Group[]> {
  const { eventList, messageList } = context.deps.store;
  const [written, sent] = hasWords
    ? await Promise.all([
        eventList.page({ text: textSearch(q), subjects: ['message'] }, null, MOST_ROWS),
        messageList.withText({ text: sentTextSearch(q) }, null, MOST_SHOWN),
      ])
    : [{ rows: [] }, { rows: [] }];
  const query = encodeURIComponent(q);
  return [
    {
      title: t('What contacts wrote lately'),
      kind: t('Message'),
      hits: eachOnce(written.rows).map(
        ({ event_id: id, line_id: line, body, kind, contact, received_at: at }) => ({
          key: id,
          href: `/panel/events/${id}`,
          label: wordsAround(writtenText(body ?? ''), q) ?? messageKind(kind),
          about: joined(writerName(body ?? ''), contact && contactText(contact), lineName(line)),
          at,
        }),
      ),
      more: { href: `/panel/events?q=${query}`, label: t('In the events') },
    },
    {
      title: t('What was sent lately'),
      kind: t('Message'),
      hits: sent.rows.map((row) => ({
        key: row.wamid,
        href: messageHref(row),
        label: wordsAround(sentText(row.body ?? ''), q),
        about: joined(
          row.contact && t('To {contact}', { contact: contactText(row.contact) }),
          lineName(row.line_id),
        ),
        at: row.accepted_at,
      })),
      more: { href: `/panel/messages?q=${query}`, label: t('In the messages') },
    },
  ];
}

/** How much of a message is shown, and how much of that stands before what was found in it. */
const MOST_WORDS = 200;
const MOST_BEFORE = 60;

/** A part of a message as its reader sees it, with what was found marked. */
function wordsAround(text: string | null, q: string): ComponentChildren {
  if (text === null) return null;
  const words = wordsOf(q);
  const [first] = partsBy(text, words);
  const at = first && !first.isWord ? first.text.length : 0;
  const from = at > MOST_BEFORE && at < text.length ? text.lastIndexOf(' ', at - MOST_BEFORE) + 1 : 0;
  const shown = text.slice(from, from + MOST_WORDS).replace(/\s+/g, ' ');
  return (
    <>
      {from > 0 && '… '}
      {formatted(shown, (part) =>
        partsBy(part, words).map(({ text: some, isWord }) => (isWord ? <mark>{some}</mark> : some)),
      )}
    </>
  );
}
