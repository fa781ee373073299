import { type ComponentChildren } from 'preact';
import { sentText } from '../../cloud-api/sent-text';
import { writerName, writtenText } from '../../cloud-api/written-text';
import { findMessage } from '../../messages/find-message';
import { sentTextSearch, textSearch } from '../../messages/text-search';
import { partsBy, wordsOf } from '../../primitives/words';
import { type ListedEvent } from '../../store/reports/event-list';
import { type SentMessage } from '../../store/reports/message-list';
import { t } from '../languages/t';
import { contactText } from '../ui/contact';
import { formatted } from '../ui/formatted-text';
import { messageHref, sentSummary } from '../chat/thread';
import { eventWord, writtenKind } from '../ui/words/kind-words';
import { joined } from '../ui/parts';
import { MOST_SHOWN, type Asked, type Group } from './asked';

/** Rows to read for `MOST_SHOWN` events, because an event has a row per destination. */
const MOST_ROWS = 10 * MOST_SHOWN;

/** Messages and events with this id. */
export async function idsFound(asked: Asked): Promise<Group[]> {
  const { context, reading, q, isNumber, lineName } = asked;
  if (!context.may('messages.read')) return [];
  const { store, lines } = reading;
  const [message, event] = await Promise.all([
    /\s/.test(q) || isNumber ? { sent: [], received: [] } : findMessage(store, lines.all(), q),
    /^evt_[0-9a-z]{1,60}$/.test(q) ? store.eventList.page({ eventId: q }, null, 1) : { rows: [] },
  ]);
  asked.shown.push(...message.sent, ...event.rows);
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

/** Messages that contain the words. */
export async function wordsFound(asked: Asked): Promise<Group[]> {
  const { context, reading, q, hasWords } = asked;
  if (!hasWords || !context.may('messages.read')) return [];
  const { eventList, messageList } = reading.store;
  const [written, sent] = await Promise.all([
    eventList.page({ text: textSearch(q), subjects: ['message'] }, null, MOST_ROWS),
    messageList.withText({ text: sentTextSearch(q) }, null, MOST_SHOWN),
  ]);
  return [
    { ...writtenGroup(asked, written.rows, MOST_SHOWN), title: t('Latest messages from contacts') },
    { ...sentGroup(asked, sent.rows), title: t('Latest sent messages') },
  ];
}

/** Most messages per direction in a search for a number. */
const MOST_SAID = 5;
/** If part of a number matches more contact names, no messages are shown. */
const MOST_NAMES = 20;

/** The latest messages from and to contacts, by all their names. */
export async function saidFound(asked: Asked, contacts: string[]): Promise<Group[]> {
  if (!asked.isNumber || !contacts.length || contacts.length > MOST_NAMES) return [];
  const { eventList, messageList } = asked.reading.store;
  const [written, sent] = await Promise.all([
    eventList.page({ contacts, subjects: ['message'] }, null, MOST_ROWS),
    messageList.page({ contacts }, null, MOST_SAID),
  ]);
  return [
    { ...writtenGroup(asked, written.rows, MOST_SAID), title: t('Their messages') },
    { ...sentGroup(asked, sent.rows), title: t('Messages to them') },
  ];
}

/** Removes repeated rows: the list has an event once per destination. */
const eachOnce = (rows: ListedEvent[]): ListedEvent[] => [
  ...new Map(rows.map((row) => [row.event_id, row])).values(),
];

function writtenGroup(
  { q, lineName, shown }: Asked,
  rows: ListedEvent[],
  most: number,
): Omit<Group, 'title'> {
  const found = eachOnce(rows).slice(0, most);
  shown.push(...found);
  return {
    kind: t('Message'),
    hits: found.map(({ event_id: id, line_id: line, body, kind, contact, received_at: at }) => ({
      key: id,
      href: `/panel/events/${id}`,
      label: wordsAround(writtenText(body ?? ''), q) ?? writtenKind({ kind, body }),
      about: joined(writerName(body ?? ''), contact && contactText(contact), lineName(line)),
      at,
    })),
    more: { href: `/panel/events?${new URLSearchParams({ q })}`, label: t('In the events') },
  };
}

function sentGroup({ q, lineName, shown }: Asked, rows: SentMessage[]): Omit<Group, 'title'> {
  shown.push(...rows);
  return {
    kind: t('Message'),
    hits: rows.map((row) => ({
      key: `${row.line_id} ${row.wamid}`,
      href: messageHref(row),
      label: wordsAround(sentText(row.body ?? ''), q) ?? sentSummary(row),
      about: joined(
        row.contact && t('To {contact}', { contact: contactText(row.contact) }),
        lineName(row.line_id),
      ),
      at: row.accepted_at,
    })),
    more: { href: `/panel/messages?${new URLSearchParams({ q })}`, label: t('In the messages') },
  };
}

/** Most characters of a message to show, in total and before the match. */
const MOST_WORDS = 200;
const MOST_BEFORE = 60;

/** An excerpt of a formatted message, with the match marked. */
function wordsAround(text: string | null, q: string): ComponentChildren {
  if (text === null) return null;
  const words = wordsOf(q);
  const [first] = partsBy(text, words);
  const at = first && !first.isWord ? first.text.length : 0;
  const from = at > MOST_BEFORE && at < text.length ? text.lastIndexOf(' ', at - MOST_BEFORE) + 1 : 0;
  const shown = text.slice(from, from + MOST_WORDS).replace(/\s+/g, ' ');
  return (
    <bdi>
      {from > 0 && '… '}
      {formatted(shown, (part) =>
        partsBy(part, words).map(({ text: some, isWord }) => (isWord ? <mark>{some}</mark> : some)),
      )}
    </bdi>
  );
}
