import { type ComponentChildren, type VNode } from 'preact';
import { contactsOf } from '../../cloud-api/phone-spellings';
import { sentText } from '../../cloud-api/sent-text';
import { writerName, writtenText } from '../../cloud-api/written-text';
import { contactNames, contactsWithName, contactsWithNumber } from '../../messages/contact-names';
import { conversationPage } from '../../messages/conversations';
import { findMessage } from '../../messages/find-message';
import { sentTextSearch, textSearch, wordSearch } from '../../messages/text-search';
import { partsBy, wordsOf } from '../../primitives/words';
import { type ListedEvent } from '../../store/reports/event-list';
import { type SentMessage } from '../../store/reports/message-list';
import { linesLike } from '../ui/line-field';
import { formatted } from '../ui/chat/formatted-text';
import { lastWords } from '../ui/chat/last-words';
import { templatesOf } from '../ui/chat/sent-templates';
import { conversationHref, messageHref } from '../ui/chat/thread';
import { shownAddress } from '../ui/destination/shown-address';
import { Card, Empty, PageHead, Time } from '../ui/parts';
import { page, type Outcome } from '../outcome';
import { viewerPage, type PanelRoute } from '../panel-route';
import { type UserContext } from '../request-context';
import { t } from '../languages/t';
import { contactText } from '../ui/contact';
import { eventWord, messageKind } from '../ui/words/kind-words';

/** Everything at once: lines, contacts, messages, events and more by whatever somebody has of them. */
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
  about?: ComponentChildren;
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
        'Contacts, numbers in any spelling, words of messages, ids of messages and events, templates, lines, destinations, tokens.',
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
                'A number is found by four digits of it or more; an id by the whole of it; words, in any order, among the latest messages: what contacts wrote, and what was sent by lines that keep its text. In quotation marks, words are found as they stand there.',
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

/** Conversations with whoever goes by that name, that user id, or a number of which this is a piece. */
async function contactsLike({ deps: { store, lines } }: UserContext, q: string, isNumber: boolean) {
  const contacts = isNumber
    ? await contactsWithNumber(store, lines.all(), q)
    : [...(await contactNames(store, q)), ...(await contactsWithName(store, q))];
  if (!contacts.length) return { rows: [], templates: new Map() };
  const { rows } = await conversationPage(store, { contacts }, { written: null, sent: null }, MOST_SHOWN);
  return {
    rows,
    templates: await templatesOf(
      store,
      rows.filter(({ isOurs }) => isOurs),
    ),
  };
}

/** Of what is shown of an address, as whoever looks may know. */
async function destinationsLike(context: UserContext, q: string) {
  const search = wordSearch(q);
  return (await context.deps.store.search.destinations(search))
    .map((row) => ({ ...row, address: shownAddress(context, row.url) }))
    .filter(({ address }) => search.isIn(address))
    .slice(0, MOST_SHOWN);
}

async function tokensLike({ deps }: UserContext, q: string) {
  const search = wordSearch(q);
  return (await deps.store.search.tokens(search))
    .filter(({ name }) => search.isIn(name ?? ''))
    .slice(0, MOST_SHOWN);
}

/** The list has an event once for each destination. */
const eachOnce = (rows: ListedEvent[]): ListedEvent[] =>
  [...new Map(rows.map((row) => [row.event_id, row])).values()].slice(0, MOST_SHOWN);

async function templatesLike({ deps, query }: UserContext, q: string) {
  const search = wordSearch(q);
  const found = (await deps.store.search.templates(search)).filter(({ name }) => search.isIn(name));
  return found.slice(0, query.get('all') === 'templates' ? MOST_TEMPLATES : MOST_SHOWN + 1);
}

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

  const hasWords = q.length >= 3 && !/^\+/.test(q) && wordsOf(q).length > 0;
  const [contacts, message, event, templates, destinations, tokens, written, sent] = await Promise.all([
    contactsLike(context, q, isNumber),
    isId ? findMessage(store, lines, q) : { sent: [], received: [] },
    /^evt_[0-9a-z]{1,60}$/.test(q) ? store.eventList.page({ eventId: q }, null, 1) : { rows: [] },
    hasWords ? templatesLike(context, q) : [],
    hasWords ? destinationsLike(context, q) : [],
    hasWords ? tokensLike(context, q) : [],
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
    contactsFound(contacts, lineName),
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
    ...placesFound(context, destinations, tokens, lineName),
    ...wordsFound(q, written.rows, sent.rows, lineName),
  ];
}

function contactsFound(
  { rows, templates }: Awaited<ReturnType<typeof contactsLike>>,
  lineName: (id: number | null) => string | undefined,
): Group {
  return {
    title: t('Contacts'),
    hits: rows.map((row) => ({
      key: `${row.line_id} ${row.contact}`,
      href: conversationHref(row.line_id, row.contact),
      label: joined(writerName(row.written ?? ''), contactText(row.contact)),
      about: (
        <>
          {lineName(row.line_id)} · {lastWords(row, templates)}
        </>
      ),
      at: row.at,
    })),
  };
}

/** Where events go, and by what the API is used. */
function placesFound(
  { mayChange }: UserContext,
  destinations: Awaited<ReturnType<typeof destinationsLike>>,
  tokens: Awaited<ReturnType<typeof tokensLike>>,
  lineName: (id: number | null) => string | undefined,
): Group[] {
  return [
    {
      title: t('Destinations'),
      hits: destinations.map(({ id, line_id: line, address }) => ({
        key: String(id),
        // Its own page is for operators.
        href: mayChange ? `/panel/lines/${line}/destinations/${id}` : `/panel/events?destination=${id}`,
        label: address.replace(/^https?:\/\//, ''),
        about: lineName(line),
      })),
    },
    {
      title: t('API tokens'),
      hits: tokens.map(({ id, line_id: line, name, revoked_at: revokedAt }) => ({
        key: String(id),
        href: `/panel/tokens?line=${line}`,
        label: name,
        about: joined(lineName(line), revokedAt && t.of('token', 'Revoked')),
      })),
    },
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
