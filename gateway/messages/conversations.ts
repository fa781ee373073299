import { spellingsOf } from '../cloud-api/phone-spellings';
import { groupOf, writerName } from '../cloud-api/written-text';
import { inOrderOf } from '../primitives/in-order-of';
import {
  asksForAnswer,
  type ContactOfLine,
  type ConversationSearch,
} from '../store/reports/conversation-list';
import { type MessageCursor } from '../store/reports/message-list';
import { type Store } from '../store/store';

type Lists = Store['conversationList'];
type Written = Awaited<ReturnType<Lists['written']>>['rows'][number];
type Sent = Awaited<ReturnType<Lists['sent']>>['rows'][number];

/** The start of a page in each of the two lists. null: at the newest; `end`: nothing follows. */
export interface ConversationPlace {
  /** An event id. */
  written: string | 'end' | null;
  sent: MessageCursor | 'end' | null;
}

/** A conversation with its last message, from the contact or the line. */
export type Conversation = (Written | Sent) & {
  /** Whether the line sent the last message. */
  isOurs: boolean;
  /** Whether the contact is waiting for a reply. */
  waits: boolean;
  /** The body of the contact's last message if it is stored, which contains the contact's name. */
  written: string | null;
};

/**
 * Conversations by their last message, newest first.
 * @returns `next`: null at the end; before that, a page may have few or no rows
 */
export async function conversationPage(
  { conversationList }: { conversationList: Lists },
  search: ConversationSearch,
  after: ConversationPlace,
  limit: number,
): Promise<{ rows: Conversation[]; next: ConversationPlace | null }> {
  const { waits = false } = search;
  const [written, sent] = await Promise.all([
    filled(after.written, limit, async (place) => {
      const { rows, next } = await conversationList.written(search, place, limit);
      const last = await lastOfAllNames(conversationList, rows, { isOurs: false, onlyWaiting: waits });
      return { looked: rows.length, rows: last, next };
    }),
    // A contact whose last message came from the line is not waiting.
    filled(waits ? 'end' : after.sent, limit, async (place) => {
      const { rows, next } = await conversationList.sent(search, place, limit);
      const last = await lastOfAllNames(conversationList, rows, { isOurs: true, onlyWaiting: false });
      return { looked: rows.length, rows: last, next };
    }),
  ]);
  const rows = [...written.rows, ...sent.rows]
    .sort((one, other) => inOrderOf(other.at, one.at))
    .slice(0, limit);
  const place: ConversationPlace = {
    written: placeAfter(rows, written, after.written),
    sent: placeAfter(rows, sent, waits ? 'end' : after.sent),
  };
  return { rows, next: place.written === 'end' && place.sent === 'end' ? null : place };
}

interface Filled<Row, Place> {
  rows: Row[];
  next: Place | 'end' | null;
}

/** The most pages of one list that are searched to fill a page. */
const MOST_ROUNDS = 5;

async function filled<Row, Place>(
  after: Place | 'end' | null,
  limit: number,
  pageAfter: (place: Place | null) => Promise<{ looked: number; rows: Row[]; next: Place | null }>,
): Promise<Filled<Row, Place>> {
  const rows: Row[] = [];
  let next = after;
  for (let round = 0; round < MOST_ROUNDS && rows.length < limit && next !== 'end'; round++) {
    const page = await pageAfter(next);
    rows.push(...page.rows);
    next = page.next ?? 'end';
    // A search that stopped before the page was full, which is enough for one page.
    if (page.looked < limit) break;
  }
  return { rows, next };
}

/** The start of the next page of a list. */
function placeAfter<Row extends { place: Place }, Place>(
  shown: unknown[],
  { rows, next }: Filled<Row, Place>,
  after: Place | 'end' | null,
): Place | 'end' | null {
  const count = rows.filter((row) => shown.includes(row)).length;
  return count === rows.length ? next : (rows[count - 1]?.place ?? after);
}

/** The profile names of these contacts in their last messages, if known, by `writerKey`. */
export async function writersOf(
  { conversationList }: { conversationList: Lists },
  contacts: ContactOfLine[],
): Promise<Map<string, string>> {
  const named = await withAllNames(conversationList, [
    ...new Map(contacts.map((one) => [writerKey(one), one])).values(),
  ]);
  const last = await conversationList.lastWrittenOf(named.flatMap(eachName));
  return new Map(
    named.flatMap(({ row, names }) => {
      const [latest] = last
        .filter(({ line_id: line, contact }) => line === row.line_id && names.has(contact))
        .sort((one, other) => inOrderOf(other.id, one.id));
      const body = latest?.body ?? '';
      const name = writerName(body);
      // The writer's name is not the name of a group.
      return name === null || groupOf(body) !== null ? [] : [[writerKey(row), name] as const];
    }),
  );
}

export const writerKey = ({ line_id: line, contact }: ContactOfLine): string => `${line} ${contact}`;

/** Adds the other spellings of the number and the user ids to each row. */
async function withAllNames<Row extends ContactOfLine>(
  conversationList: Lists,
  rows: Row[],
): Promise<{ row: Row; names: Set<string> }[]> {
  const aliases = await conversationList.aliasesOf(
    [...new Set(rows.map(({ line_id: line }) => line))],
    rows.flatMap(({ contact }) => spellingsOf(contact)),
  );
  return rows.map((row) => {
    const names = new Set<string>(spellingsOf(row.contact));
    for (const alias of aliases)
      if (alias.line_id === row.line_id && (names.has(alias.contact) || names.has(alias.identity)))
        [alias.contact, alias.identity].flatMap(spellingsOf).forEach((name) => names.add(name));
    return { row, names };
  });
}

const eachName = ({ row, names }: { row: ContactOfLine; names: Set<string> }): ContactOfLine[] =>
  [...names].map((contact) => ({ line_id: row.line_id, contact }));

/** Drops rows of contacts with a later row under another name: another spelling of the number, or a user id. */
async function lastOfAllNames<Row extends ContactOfLine & { at: string; kind: string | null }>(
  conversationList: Lists,
  rows: Row[],
  { isOurs, onlyWaiting }: { isOurs: boolean; onlyWaiting: boolean },
): Promise<(Row & Pick<Conversation, 'isOurs' | 'waits' | 'written'>)[]> {
  const named = await withAllNames(conversationList, rows);
  const latest = await conversationList.latestOf(named.flatMap(eachName));
  return named.flatMap(({ row, names }) => {
    const ofContact = latest.filter(
      ({ line_id: line, contact }) => line === row.line_id && names.has(contact),
    );
    const isLater = ofContact.some(({ contact, written_at, asked_at: askedAt, sent_at: sentAt }) => {
      const writtenAt = onlyWaiting ? askedAt : written_at;
      const [same, other] = isOurs ? [sentAt, writtenAt] : [writtenAt, sentAt];
      // At the same moment, received wins over sent, then the last name in order.
      return (
        (same ?? '') > row.at ||
        (same === row.at && contact > row.contact) ||
        (other ?? '') > row.at ||
        (isOurs && other === row.at)
      );
    });
    const [last] = ofContact
      .filter(({ written_at: at }) => at !== null)
      .sort((one, other) => inOrderOf(other.written_at ?? '', one.written_at ?? ''));
    // The name in the contact's last message, as the platform spells it.
    const contact = last?.contact ?? row.contact;
    const sentAt =
      ofContact
        .map((one) => one.sent_at ?? '')
        .sort()
        .at(-1) ?? '';
    const waits =
      !isOurs &&
      (asksForAnswer(row.kind ?? '') ||
        ofContact.some(({ asked_at: askedAt }) => askedAt !== null && askedAt >= sentAt));
    return isLater ? [] : [{ ...row, contact, isOurs, waits, written: last?.body ?? null }];
  });
}
