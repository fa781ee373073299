import { isRecipient } from '../cloud-api/validate/message-request';
import { textOfMessage } from '../cloud-api/message-text';
import { type NotificationEvent } from '../cloud-api/notification';
import { type Line } from '../lines/line';
import { hearOptOuts } from '../messages/opt-outs';
import { type Store } from '../store/store';

/** Kinds of messages that can contain an opt-out word. */
const KINDS = ['text', 'button', 'interactive'];

/** Stores the opt-outs and opt-ins in these messages. @param now milliseconds */
export async function noteOptOuts(
  store: Pick<Store, 'optOuts' | 'windows'>,
  placed: { event: NotificationEvent; lines: Line[] }[],
  now: number,
): Promise<void> {
  for (const { event, lines } of placed) {
    const { subject, kind, contact, people, body, occurredAt } = event;
    const line = lines.find(({ optOutWords }) => optOutWords?.out.length);
    if (!line || subject !== 'message' || contact === null || !isRecipient(contact) || !KINDS.includes(kind))
      continue;
    const text = textOfMessage(body);
    const identities = people.flat();
    if (text !== null)
      await hearOptOuts({ store }, { line, contact, identities, text, at: Math.min(occurredAt ?? now, now) });
  }
}
