import { identityOfMessage } from '../cloud-api/notification';
import { type Store } from '../store/store';
import { type MessageRow } from '../store/tables/messages';

/** The objects with a platform message id. */
export interface FoundMessage {
  /** Sent messages: one, unless several lines know the id. */
  sent: MessageRow[];
  /** Events of received messages. */
  received: { id: string; contact: string | null }[];
}

export async function findMessage(
  { messageList, eventList }: Pick<Store, 'messageList' | 'eventList'>,
  lines: { id: number; phoneNumberId: string }[],
  wamid: string,
): Promise<FoundMessage> {
  if (!lines.length) return { sent: [], received: [] };
  const [sent, received] = await Promise.all([
    messageList.byId(
      lines.map(({ id }) => id),
      wamid,
    ),
    eventList.byIdentity(lines.map(({ phoneNumberId }) => identityOfMessage(phoneNumberId, wamid))),
  ]);
  return { sent, received };
}
