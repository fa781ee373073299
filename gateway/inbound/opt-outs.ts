import { isRecipient } from '../cloud-api/validate/message-request';
import { textOfMessage } from '../cloud-api/message-text';
import { type Line } from '../lines/line';
import { hearOptOuts } from '../messages/opt-outs';
import { type Store } from '../store/store';
import { type PlacedEvent } from './lines-of-event';

/** Kinds of messages that can contain an opt-out word. */
const KINDS = ['text', 'button', 'interactive'];

type Placed = Pick<PlacedEvent, 'event' | 'lines'>;

const lineWithWords = ({ lines }: Placed): Line | undefined =>
  lines.find(({ optOutWords }) => optOutWords?.out.length);

/** Stores the opt-outs and opt-ins in these messages. @param now milliseconds */
export function noteOptOuts(
  store: Pick<Store, 'optOuts' | 'windows'>,
  placed: Placed[],
  now: number,
): Promise<void> | void {
  if (placed.some(lineWithWords)) return noteAll(store, placed, now);
}

async function noteAll(
  store: Pick<Store, 'optOuts' | 'windows'>,
  placed: Placed[],
  now: number,
): Promise<void> {
  for (const one of placed) {
    const { subject, kind, contact, people, body, occurredAt } = one.event;
    const line = lineWithWords(one);
    if (!line || subject !== 'message' || contact === null || !isRecipient(contact) || !KINDS.includes(kind))
      continue;
    const text = textOfMessage(body);
    const identities = people.flat();
    if (text !== null)
      await hearOptOuts({ store }, { line, contact, identities, text, at: Math.min(occurredAt ?? now, now) });
  }
}
