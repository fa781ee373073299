import { contactNames, contactsWithName, contactsWithNumber, isOfNumber } from '../../messages/contact-names';
import { type MessagePages } from '../../messages/export-messages';
import { MESSAGE_STATES, messageState, type MessageState } from '../../messages/message-record';
import { sentTextSearch } from '../../messages/text-search';
import { type MessageCursor, type MessageSearch, type SentMessage } from '../../store/reports/message-list';
import { type PanelDeps } from '../dependencies';
import { messageCursorOf, messageCursorText } from '../log/message-cursor';
import { chosenLine } from '../ui/line-field';
import { momentOf } from '../ui/moment-field';

type Deps = Pick<PanelDeps, 'store' | 'lines'>;

/** The filter, as in the query of the address. */
export interface MessageFilter {
  /** A phone number in any format, words of a message, or a message id. */
  q: string;
  state: MessageState | null;
  line: string;
  /** As in the context, which applies it. */
  customer: string;
  /** ISO times; empty if not set. */
  from: string;
  to: string;
}

export function filterOf(values: URLSearchParams | FormData): MessageFilter {
  const text = (name: string) => {
    const value = values.get(name);
    return typeof value === 'string' ? value.trim().slice(0, 500) : '';
  };
  return {
    q: text('q'),
    state: MESSAGE_STATES.find((state) => state === text('state')) ?? null,
    line: text('line'),
    customer: text('customer'),
    from: momentOf(text('from')),
    to: momentOf(text('to')),
  };
}

export const isFiltered = (filter: MessageFilter): boolean => Object.values(filter).some(Boolean);

/** Reads the matching messages; null if the filter's line is unknown. */
export function pagesOf(deps: Deps, { q, state, line: asked, from, to }: MessageFilter): MessagePages | null {
  const { line } = chosenLine(deps.lines.all(), asked);
  if (asked && !line) return null;
  const search: MessageSearch = {
    ...(state && { state }),
    ...(line && { lineId: line.id }),
    ...(from && { from }),
    ...(to && { to }),
  };
  return (after, limit) => found(deps, q, search, after, limit);
}

/** An error code, to find messages that failed with it. */
const CODE = /^[1-9]\d{2,6}$/;

/** Decides what `q` is, and finds the messages. */
async function found(
  { store, lines }: Deps,
  q: string,
  search: MessageSearch,
  after: MessageCursor | null,
  limit: number,
): ReturnType<MessagePages> {
  const { messageList } = store;
  const ofContacts = (contacts: string[]) => messageList.page({ ...search, contacts }, after, limit);
  const withText = async (words: string) => {
    const texts = await messageList.withText({ ...search, text: sentTextSearch(words) }, after, limit);
    if (texts.rows.length || texts.next) return texts;
    // The words are in no text, so they may be a contact's name.
    const named = await contactsWithName(store, words);
    return named.length ? ofContacts(named) : texts;
  };
  if (!q) return messageList.page(search, after, limit);
  if (CODE.test(q) && (search.state ?? 'failed') === 'failed') {
    const ofCode: MessageSearch = { ...search, state: 'failed', code: Number(q) };
    const { rows } = await messageList.page(ofCode, null, 1);
    if (rows.length) return messageList.page(ofCode, after, limit);
  }
  if (isOfNumber(q)) {
    const contacts = await contactsWithNumber(store, lines.all(), q);
    return contacts.length ? ofContacts(contacts) : withText(q);
  }
  if (/[\s"]/.test(q)) return withText(q);
  const lineIds = lines.all().map(({ id }) => id);
  const known = lineIds.length ? await messageList.byId(lineIds, q) : [];
  if (known.length || q.startsWith('wamid.'))
    return { rows: known.filter((row) => isWithin(row, search)), next: null };
  const names = await contactNames(store, q);
  const isContact =
    names.length > 1 || (await messageList.page({ contacts: names }, null, 1)).rows.length > 0;
  return isContact ? ofContacts(names) : withText(q);
}

const isWithin = (row: SentMessage, { lineId, state, from, to }: MessageSearch): boolean =>
  (lineId === undefined || row.line_id === lineId) &&
  (state === undefined || messageState(row) === state) &&
  (from === undefined || (row.accepted_at ?? '') >= from) &&
  (to === undefined || (row.accepted_at ?? '') < to);

/** The query of the current list, which the addresses of its messages repeat. */
export const listOf = (query: URLSearchParams): string =>
  addressOf(filterOf(query), messageCursorOf(query.get('after')));

export const queryOf = (filter: Partial<MessageFilter>): URLSearchParams =>
  new URLSearchParams(Object.entries(filter).flatMap(([name, value]) => (value ? [[name, value]] : [])));

/** The address of the list at this place. */
export function addressOf(filter: Partial<MessageFilter>, after: MessageCursor | null = null): string {
  const query = queryOf(filter);
  if (after) query.set('after', messageCursorText(after));
  return `/panel/messages${query.size ? `?${query}` : ''}`;
}
