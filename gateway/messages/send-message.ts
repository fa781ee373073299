import { type AcceptedMessage, type CloudApi, type SendingCredentials } from '../cloud-api/client';
import {
  normalizedRecipient,
  recipientOf,
  type MarkAsRead,
  type MessageRequest,
} from '../cloud-api/message-request';
import { type Store } from '../store/database';
import { parseExactly } from '../cloud-api/exact-json';
import { isoTime, type Clock } from '../time';

export interface SendingLine extends SendingCredentials {
  id: number;
}

/**
 * Hands a judged message to upstream and records that it was accepted.
 * @param raw the body as received: forwarded byte for byte where nothing of it has to be put into upstream's form
 * @param onUnrecorded told when upstream has accepted the message and the database has not taken it: the customer is
 *   answered all the same, because an error would make him send it twice
 */
export async function sendMessage(
  { store, cloudApi, clock }: { store: Store; cloudApi: CloudApi; clock: Clock },
  line: SendingLine,
  request: MessageRequest,
  raw: Buffer,
  onUnrecorded: (error: unknown, wamid: string) => void,
): Promise<AcceptedMessage> {
  const accepted = await cloudApi.sendMessage(line, forUpstream(request, raw));
  const contact = accepted.contacts?.[0];
  const message = {
    line_id: line.id,
    contact: contact?.wa_id ?? contact?.user_id ?? recipientOf(request),
    type: request.type,
    client_ref: request.biz_opaque_callback_data ?? null,
    accepted_at: isoTime(clock()),
  };
  for (const { id: wamid } of accepted.messages) {
    await store
      .write({ kind: 'message', message: { ...message, wamid } })
      .catch((error: unknown) => onUnrecorded(error, wamid));
  }
  if (!request.to || !accepted.contacts) return accepted;
  return { ...accepted, contacts: accepted.contacts.map((one) => ({ ...one, input: request.to as string })) };
}

export const markAsRead = (
  cloudApi: CloudApi,
  line: SendingLine,
  request: MarkAsRead,
  raw: Buffer,
): Promise<void> =>
  cloudApi.markAsRead(line, request.messaging_product === 'whatsapp' ? raw : inUpstreamsWord(raw));

/** The body as upstream wants it: its own product word, and the phone number in digits. */
function forUpstream(request: MessageRequest, raw: Buffer): Buffer | string {
  const to = request.to ? normalizedRecipient(request.to) : request.to;
  if (request.messaging_product === 'whatsapp' && to === request.to) return raw;
  return inUpstreamsWord(raw, to ? { to } : {});
}

/** All else stays as it was written, to the last digit of a number. */
const inUpstreamsWord = (raw: Buffer, changed: { to?: string } = {}): string =>
  JSON.stringify({
    ...(parseExactly(new TextDecoder().decode(raw)) as object),
    ...changed,
    messaging_product: 'whatsapp',
  });
