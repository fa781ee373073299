import { spellingsOf } from '../cloud-api/phone-spellings';
import {
  type ContactOfLine,
  type ConversationSearch,
  type SentLater,
  type UnansweredConversation,
  type WrittenConversation,
} from '../store/reports/conversation-list';
import { inOrderOf } from '../primitives/in-order-of';
import { type MessageCursor } from '../store/reports/message-list';
import { type Store } from '../store/store';

/** Where a page begins in each of the two lists: null at the newest, `end` where nothing follows. */
export interface ConversationPlace {
  /** An event id. */
  written: string | null;
  sent: MessageCursor | 'end' | null;
}

export type Conversation =
  | {
      isAnswered: true;
      at: string;
      last: WrittenConversation;
      /** What was sent since, the last of it. */
      reply: SentLater | null;
    }
  | { isAnswered: false; at: string; last: UnansweredConversation };

const NOTHING = { rows: [], next: null };

/**
 * Conversations, the newest first: those who wrote, by what they last wrote, and those who were written to and never
 * wrote, by what was last sent to them.
 * @returns null as `next` where nothing follows; rows may be few, or none, where it is not
 */
export async function conversationPage(
  { conversationList }: Pick<Store, 'conversationList'>,
  search: ConversationSearch,
  after: ConversationPlace,
  limit: number,
): Promise<{ rows: Conversation[]; next: ConversationPlace | null }> {
  const [written, sent] = await Promise.all([
    after.written === 'end' ? NOTHING : conversationList.written(search, after.written, limit),
    after.sent === 'end' ? NOTHING : neverAnswered(conversationList, search, after.sent, limit),
  ]);
  const rows: Conversation[] = [];
  const shown = { written: 0, sent: 0 };
  while (rows.length < limit) {
    const [one, other] = [written.rows[shown.written], sent.rows[shown.sent]];
    if (one && (!other || one.received_at >= other.accepted_at)) {
      shown.written += 1;
      rows.push({ isAnswered: true, at: one.received_at, last: one, reply: null });
    } else if (other) {
      shown.sent += 1;
      rows.push({ isAnswered: false, at: other.accepted_at, last: other });
    } else break;
  }
  const place: ConversationPlace = {
    written:
      shown.written < written.rows.length
        ? (written.rows[shown.written - 1]?.id ?? after.written)
        : (written.next ?? 'end'),
    sent:
      shown.sent < sent.rows.length
        ? (placeOf(sent.rows[shown.sent - 1]) ?? after.sent)
        : (sent.next ?? 'end'),
  };
  return {
    rows: await withReplies(conversationList, rows),
    next: place.written === 'end' && place.sent === 'end' ? null : place,
  };
}

/** Of those who wrote, what was sent to each since, under whichever name. */
async function withReplies(
  conversationList: Store['conversationList'],
  rows: Conversation[],
): Promise<Conversation[]> {
  const wrote = rows.flatMap(({ isAnswered, last }) => (isAnswered ? [last] : []));
  const spelled = wrote.flatMap(({ contact }) => spellingsOf(contact));
  const lineIds = [...new Set(wrote.map(({ line_id: line }) => line))];
  const aliases = await conversationList.aliasesOf(lineIds, spelled);
  const namesOf = ({ line_id: line, contact }: ContactOfLine) => {
    const names = new Set<string>(spellingsOf(contact));
    for (const alias of aliases)
      if (alias.line_id === line && (names.has(alias.contact) || names.has(alias.identity)))
        [alias.contact, alias.identity].flatMap(spellingsOf).forEach((name) => names.add(name));
    return names;
  };
  const named = wrote.map((row) => ({ row, names: namesOf(row) }));
  const sent = await conversationList.sentLater(
    named.flatMap(({ row, names }) =>
      [...names].map((contact) => ({ line_id: row.line_id, contact, after: row.received_at })),
    ),
  );
  return rows.map((conversation) => {
    if (!conversation.isAnswered) return conversation;
    const names = named.find(({ row }) => row.id === conversation.last.id)?.names;
    const [reply = null] = sent
      .filter(({ line_id, contact }) => line_id === conversation.last.line_id && names?.has(contact))
      .sort((one, other) => inOrderOf(other.accepted_at, one.accepted_at));
    return { ...conversation, reply };
  });
}

const placeOf = (row: UnansweredConversation | undefined): MessageCursor | null =>
  row ? { acceptedAt: row.accepted_at, wamid: row.wamid } : null;

/** Pages of those to whom was sent that are looked through until one is full. */
const MOST_ROUNDS = 5;

/** Without those who wrote under another name, as another spelling of the number. */
async function neverAnswered(
  conversationList: Store['conversationList'],
  search: ConversationSearch,
  after: MessageCursor | null,
  limit: number,
): Promise<{ rows: UnansweredConversation[]; next: MessageCursor | null }> {
  const rows: UnansweredConversation[] = [];
  let next = after;
  for (let round = 0; round < MOST_ROUNDS && rows.length < limit; round++) {
    const page = await conversationList.unanswered(search, next, limit);
    rows.push(...(await silent(conversationList, page.rows)));
    next = page.next;
    if (page.rows.length < limit || next === null) break;
  }
  return { rows, next };
}

async function silent(
  conversationList: Store['conversationList'],
  rows: UnansweredConversation[],
): Promise<UnansweredConversation[]> {
  const keyOf = ({ line_id: line, contact }: ContactOfLine) => `${line} ${spellingsOf(contact)[0]}`;
  const wrote = await conversationList.whoWrote(
    rows.flatMap(({ line_id, contact }) => spellingsOf(contact).map((name) => ({ line_id, contact: name }))),
  );
  const known = new Set(wrote.map(keyOf));
  return rows.filter((row) => !known.has(keyOf(row)));
}
