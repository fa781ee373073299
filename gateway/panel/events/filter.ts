import { contactsOf } from '../../cloud-api/phone-spellings';
import { contactNames, contactsWithNumber, isOfNumber } from '../../messages/contact-names';
import { findMessage } from '../../messages/find-message';
import { textSearch } from '../../messages/text-search';
import { eventIdBefore } from '../../store/event-id';
import { LISTED_STATES, type DeliveryCursor, type ListedState } from '../../store/reports/delivery-list';
import { type EventSearch } from '../../store/reports/event-list';
import { type EventTable } from '../../store/schema';
import { isCause } from '../ui/words/causes';
import { chosenLine } from '../ui/line-field';
import { momentOf } from '../ui/moment-field';
import { type PanelDeps } from '../dependencies';

/** The filter, as in the query of the address. */
export interface Filter {
  /** A phone number in any format, words of a message, a message id or an event id. */
  q: string;
  line: string;
  /** As in the context, which applies it. */
  customer: string;
  destination: string;
  state: ListedState | null;
  cause: string;
  about: About | null;
  /** ISO times; empty if not set. */
  from: string;
  to: string;
}

/** Deliveries per page. */
export const PAGE = 50;

export const ABOUT = ['messages', 'echoes', 'statuses', 'account'] as const;
export type About = (typeof ABOUT)[number];

const SUBJECTS: Record<About, EventTable['subject'][]> = {
  messages: ['message'],
  echoes: ['echo'],
  statuses: ['messageStatus'],
  account: ['account'],
};

export function filterOf(values: URLSearchParams | FormData): Filter {
  const text = (name: string) => {
    const value = values.get(name);
    return typeof value === 'string' ? value.trim().slice(0, 500) : '';
  };
  return {
    q: text('q'),
    line: text('line'),
    customer: text('customer'),
    destination: /^\d{1,9}$/.test(text('destination')) ? text('destination') : '',
    state: LISTED_STATES.find((state) => state === text('state')) ?? null,
    cause: isCause(text('cause')) ? text('cause') : '',
    about: ABOUT.find((about) => about === text('about')) ?? null,
    from: momentOf(text('from')),
    to: momentOf(text('to')),
  };
}

export const isFiltered = (filter: Filter): boolean => Object.values(filter).some(Boolean);

export const queryOf = (filter: Partial<Filter>): URLSearchParams =>
  new URLSearchParams(Object.entries(filter).flatMap(([name, value]) => (value ? [[name, value]] : [])));

const cursorText = ({ dueAt, eventId, destinationId }: DeliveryCursor) =>
  `${dueAt}~${eventId}~${destinationId}`;

/** Parses the place in the list; null, the start, for any other text. */
export function cursorOf(query: URLSearchParams): DeliveryCursor | null {
  const [, dueAt = '', eventId = '', id = ''] =
    /^([\d\-T:.Z]*)~(evt_\w{1,60})~(\d{1,10})$/.exec(query.get('after') ?? '') ?? [];
  return eventId ? { dueAt, eventId, destinationId: Number(id) } : null;
}

/** The address of the list at this place. */
export function addressOf(filter: Partial<Filter>, after: DeliveryCursor | null = null): string {
  const query = queryOf(filter);
  if (after) query.set('after', cursorText(after));
  return `/panel/events${query.size ? `?${query}` : ''}`;
}

/** The ids of the chosen destination, or of all destinations of the chosen line; null without a choice. */
export async function destinationIdsOf(
  { store, lines }: Pick<PanelDeps, 'store' | 'lines'>,
  { line: asked, destination }: Filter,
): Promise<number[] | null> {
  if (destination) return [Number(destination)];
  if (!asked) return null;
  const { line } = chosenLine(lines.all(), asked);
  return line ? store.destinations.idsOf(line.id, null) : [];
}

/**
 * @param limit most destinations of a line, latest first; null: all
 * @returns null if nothing can match
 */
export async function searchOf(
  { store, lines }: Pick<PanelDeps, 'store' | 'lines'>,
  filter: Filter,
  limit: number | null,
): Promise<EventSearch | null> {
  const { q, destination, state, cause, about, from, to } = filter;
  const { line } = chosenLine(lines.all(), filter.line);
  if (filter.line && !line) return null;
  const asked = await askedFor({ store, lines }, q);
  if (!asked) return null;
  const only = destination ? await store.destinations.find(Number(destination)) : null;
  if (destination && (!only || (line && only.line_id !== line.id))) return null;
  const search: EventSearch = {
    ...asked,
    ...(only && { destinationIds: [only.id] }),
    ...(state && { state }),
    ...(cause && { cause }),
    ...(about && { subjects: SUBJECTS[about] }),
    ...(from && { from: eventIdBefore(Date.parse(from)) }),
    ...(to && { to: eventIdBefore(Date.parse(to)) }),
  };
  if (!line || only) return search;
  // Deliveries have an index by destination, events have one by line.
  const isOfDeliveries = (state || cause) && !q && !about;
  if (!isOfDeliveries) return { ...search, lineId: line.id };
  const destinationIds = await store.destinations.idsOf(line.id, limit);
  return destinationIds.length ? { ...search, destinationIds } : null;
}

type Asked = Pick<EventSearch, 'eventId' | 'contacts' | 'wamid' | 'text'>;

/** Decides what `q` is: event id, phone number, contact name, message id or text. */
async function askedFor(
  { store, lines }: Pick<PanelDeps, 'store' | 'lines'>,
  q: string,
): Promise<Asked | null> {
  if (!q) return {};
  if (/^evt_[0-9a-z]{1,60}$/.test(q)) return { eventId: q };
  if (isOfNumber(q)) {
    const contacts = await contactsWithNumber(store, lines.all(), q);
    return contacts.length ? { contacts } : { text: textSearch(q) };
  }
  if (/[\s"]/.test(q)) return { text: textSearch(q) };
  const names = await contactNames(store, q);
  if (names.length > 1 || (await store.eventList.knows(q))) return { contacts: names };
  const { sent, received } = await findMessage(store, lines.all(), q);
  const contacts = [...sent, ...received].flatMap(({ contact }) =>
    contact === null ? [] : contactsOf(contact),
  );
  if (contacts.length) return { contacts: [...new Set(contacts)], wamid: q };
  return q.startsWith('wamid.') ? null : { text: textSearch(q) };
}
