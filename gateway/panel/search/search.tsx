import { type ComponentChildren, type VNode } from 'preact';
import { contactsOf } from '../../cloud-api/phone-spellings';
import { sentText } from '../../cloud-api/sent-text';
import { writerName, writtenText } from '../../cloud-api/written-text';
import { contactNames } from '../../messages/contact-names';
import { findMessage } from '../../messages/find-message';
import { sentTextSearch, textSearch } from '../../messages/text-search';
import { type ListedEvent } from '../../store/reports/event-list';
import { type SentMessage } from '../../store/reports/message-list';
import { linesLike } from '../ui/line-field';
import { formatted } from '../ui/chat/formatted-text';
import { conversationHref, messageHref } from '../ui/chat/thread';
import { Card, Empty, PageHead, Time } from '../ui/parts';
import { page, type Outcome } from '../outcome';
import { viewerPage, type PanelRoute } from '../panel-route';
import { type UserContext } from '../request-context';
import { t } from '../languages/t';
import { contactText } from '../ui/contact';
import { eventWord, messageKind } from '../ui/kind-words';

/** Everything at once: lines, contacts, messages, events and templates by whatever somebody has of them. */
export const searchPages: PanelRoute[] = [viewerPage('/search', showFound)];

/** Of each kind. */
const MOST_SHOWN = 8;
/** An event is listed once for each destination: so many rows are looked at for the events. */
const MOST_ROWS = 10 * MOST_SHOWN;
/** Where all templates are asked for. */
const MOST_TEMPLATES = 500;

interface Hit {
  key: string;
  href: string;
  /** What was found. */
  label: ComponentChildren;
  /** What tells it from others. */
  about?: string;
  at?: string | null;
}

interface Group {
  title: string;
  hits: Hit[];
  /** Where all of them are. */
  more?: { href: string; label: string };
}

async function showFound(context: UserContext): Promise<Outcome> {
  const q = (context.query.get('q') ?? '').trim().slice(0, 500);
  const groups = q ? (await foundBy(context, q)).filter(({ hits }) => hits.length) : [];
  return page(
    <PageHead tab={t('Search')} title={q ? t('Search: {q}', { q }) : t('Search')}>
      {t(
        'Contacts and numbers in any spelling, words of messages, ids of messages and events, templates, lines.',
      )}
    </PageHead>,
    <>
      {groups.map((group) => (
        <Found key={group.title} group={group} />
      ))}
      {!groups.length && (
        <Card>
          <Empty title={q ? t('Nothing was found') : t('Look for anything')}>
            <p>
              {t(
                'A number is found by its beginning, with country code, as +1 202 555; an id by the whole of it; words among the latest messages: what contacts wrote, and what was sent by lines that keep its text.',
              )}
            </p>
          </Empty>
        </Card>
      )}
    </>,
  );
}

const Found = ({ group: { title, hits, more } }: { group: Group }): VNode => (
  <Card
    title={title}
    flush
    actions={
      more && (
        <a class="button plain small" href={more.href}>
          {more.label}
        </a>
      )
    }
  >
    <ul class="hits">
      {hits.map(({ key, href, label, about, at }) => (
        <li key={key}>
          <a class="row-link long" href={href}>
            {label}
          </a>
          <span class="quiet small">{about}</span>
          {at && (
            <span class="quiet small">
              <Time at={at} to="minute" />
            </span>
          )}
        </li>
      ))}
    </ul>
  </Card>
);

/** Whoever goes by that name, or by a number that begins so; under each name by which something came of him. */
async function contactsLike(store: UserContext['deps']['store'], q: string, isNumber: boolean) {
  const [digits = ''] = contactsOf(q);
  const begun = isNumber ? await store.search.beginningWith(digits, MOST_SHOWN) : [];
  const names = await Promise.all([...begun, q].map((one) => contactNames(store, one)));
  return store.search.contacts([...new Set(names.flat())], MOST_SHOWN);
}

/** The list has an event once for each destination. */
const eachOnce = (rows: ListedEvent[]): ListedEvent[] =>
  [...new Map(rows.map((row) => [row.event_id, row])).values()].slice(0, MOST_SHOWN);

const templatesLike = ({ deps, query }: UserContext, q: string) =>
  deps.store.search.templates(q, query.get('all') === 'templates' ? MOST_TEMPLATES : MOST_SHOWN + 1);

function templatesFound(
  { query }: UserContext,
  q: string,
  templates: Awaited<ReturnType<typeof templatesLike>>,
  lineName: (id: number) => string | undefined,
): Group {
  const isAll = query.get('all') === 'templates';
  return {
    title: t('Templates'),
    hits: templates
      .slice(0, isAll ? MOST_TEMPLATES : MOST_SHOWN)
      .map(({ line_id: line, name, language }) => ({
        key: `${line} ${name} ${language}`,
        href: `/panel/templates?${new URLSearchParams({ line: String(line), q: name })}`,
        label: name,
        about: [language, lineName(line)].join(' · '),
      })),
    more:
      templates.length > MOST_SHOWN && !isAll
        ? {
            href: `/panel/search?${new URLSearchParams({ q, all: 'templates' })}`,
            label: t('All templates found'),
          }
        : undefined,
  };
}

async function foundBy(context: UserContext, q: string): Promise<Group[]> {
  const { deps } = context;
  const { store } = deps;
  const lines = deps.lines.all();
  const nameOf = new Map(lines.map(({ id, name }) => [id, name]));
  const lineName = (id: number | null) =>
    id === null ? undefined : (nameOf.get(id) ?? t('Line {id}', { id }));
  const [digits = ''] = contactsOf(q);
  const isNumber = /^\d{3,20}$/.test(digits);
  const isId = !/\s/.test(q) && !isNumber;
  const query = encodeURIComponent(q);

  const hasWords = q.length >= 3 && !isNumber;
  const [contacts, message, event, templates, written, sent] = await Promise.all([
    isNumber || isId ? contactsLike(store, q, isNumber) : [],
    isId ? findMessage(store, lines, q) : { sent: [], received: [] },
    /^evt_[0-9a-z]{1,60}$/.test(q) ? store.eventList.page({ eventId: q }, null, 1) : { rows: [] },
    templatesLike(context, q),
    hasWords
      ? store.eventList.page({ text: textSearch(q), subjects: ['message'] }, null, MOST_ROWS)
      : { rows: [] },
    hasWords ? store.messageList.withText({ text: sentTextSearch(q) }, null, MOST_SHOWN) : { rows: [] },
  ]);

  const foundLines = [
    ...linesLike(lines, q),
    ...lines.filter(({ phoneNumberId, wabaId }) => [phoneNumberId, wabaId].includes(q)),
  ];
  return [
    {
      title: t('Lines'),
      hits: [...new Set(foundLines)].slice(0, MOST_SHOWN).map(({ id, name, phoneNumber }) => ({
        key: String(id),
        href: `/panel/lines/${id}`,
        label: name,
        about: phoneNumber,
      })),
      more:
        foundLines.length > MOST_SHOWN
          ? { href: `/panel/lines?q=${query}`, label: t('All {count, number}', { count: foundLines.length }) }
          : undefined,
    },
    {
      title: t('Contacts'),
      hits: contacts.map(({ contact, line_id: line, received_at: at }) => ({
        key: `${line} ${contact}`,
        href: conversationHref(line, contact),
        label: contactText(contact),
        about: lineName(line),
        at,
      })),
    },
    {
      title: t('Messages'),
      hits: [
        ...message.sent.map((row) => ({
          key: `sent ${row.line_id}`,
          href: messageHref(row),
          label: t('Message to {contact}', {
            contact: row.contact === null ? t('an unknown contact') : contactText(row.contact),
          }),
          about: lineName(row.line_id),
          at: row.accepted_at,
        })),
        ...message.received.map(({ id, contact }) => ({
          key: id,
          href: `/panel/events/${id}`,
          label: t('Message from {contact}', {
            contact: contact === null ? t('an unknown contact') : contactText(contact),
          }),
        })),
      ],
    },
    {
      title: t('Events'),
      hits: event.rows.map((row) => ({
        key: row.event_id,
        href: `/panel/events/${row.event_id}`,
        label: row.event_id,
        about: [eventWord(row), row.contact && contactText(row.contact)].filter(Boolean).join(' · '),
        at: row.received_at,
      })),
    },
    templatesFound(context, q, templates, lineName),
    ...wordsFound(q, written.rows, sent.rows, lineName),
  ];
}

/** Messages in which these words stand. */
function wordsFound(
  q: string,
  written: ListedEvent[],
  sent: SentMessage[],
  lineName: (id: number | null) => string | undefined,
): Group[] {
  const query = encodeURIComponent(q);
  return [
    {
      title: t('What contacts wrote lately'),
      hits: eachOnce(written).map(
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
      hits: sent.map((row) => ({
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

const joined = (...parts: (string | null | undefined)[]): string => parts.filter(Boolean).join(' · ');

/** How much of a message is shown, and how much of that stands before what was found in it. */
const MOST_WORDS = 200;
const MOST_BEFORE = 60;

/** A part of a message as its reader sees it, with what was found marked. */
function wordsAround(text: string | null, q: string): ComponentChildren {
  if (text === null) return null;
  const at = text.toLowerCase().indexOf(q.toLowerCase());
  const from = at > MOST_BEFORE ? text.lastIndexOf(' ', at - MOST_BEFORE) + 1 : 0;
  const shown = text.slice(from, from + MOST_WORDS).replace(/\s+/g, ' ');
  return (
    <>
      {from > 0 && '… '}
      {formatted(shown, (part) => marks(part, q))}
    </>
  );
}

function marks(text: string, q: string): ComponentChildren[] {
  const wanted = q.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  // What was captured stands at every second place.
  return text
    .split(new RegExp(`(${wanted})`, 'i'))
    .map((part, index) => (index % 2 ? <mark>{part}</mark> : part));
}
