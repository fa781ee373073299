import { inOrderOf } from '../primitives/in-order-of';
import { eventIdBefore } from '../store/event-id';
import { type SentMessage } from '../store/reports/message-list';
import { type Store } from '../store/store';
import { type EventRow } from '../store/tables/events';
import { isoTime } from '../time';

/** One message of a conversation, from the contact or from the line. */
export type ChatMessage = { at: string } & (
  { written: EventRow; sent?: undefined } | { written?: undefined; sent: SentMessage }
);

interface SaidPage {
  /** Newest first. Messages of the same millisecond are always on one page. */
  said: ChatMessage[];
  /** The start of the next page in milliseconds; null on the last page. */
  older: number | null;
  /** The contact's messages, newest first, at most one page. */
  written: EventRow[];
}

/**
 * The last messages of a conversation before a time, in both directions.
 * @param names all names of the contact (`contact-names.ts`)
 * @param before milliseconds
 */
export async function saidBefore(
  { messageList }: Pick<Store, 'messageList'>,
  lineId: number,
  names: string[],
  before: number,
  limit: number,
): Promise<SaidPage> {
  const [written, sent] = await Promise.all([
    messageList.written(lineId, names, eventIdBefore(before), limit + 1),
    messageList.sent(lineId, names, isoTime(before), limit + 1),
  ]);
  const all = [
    ...written.map((event): ChatMessage => ({ at: event.received_at, written: event })),
    ...sent.map((message): ChatMessage => ({ at: message.accepted_at ?? '', sent: message })),
  ].sort((one, other) => inOrderOf(other.at, one.at));
  const first = all.length > limit ? (all[limit - 1]?.at ?? '') : null;
  return {
    said: first === null ? all : all.filter(({ at }) => at >= first),
    older: first === null ? null : Date.parse(first),
    written,
  };
}
