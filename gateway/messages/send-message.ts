import { type SendingCredentials } from '../cloud-api/call';
import { type AcceptedMessage, type CloudApi } from '../cloud-api/client';
import {
  isToGroup,
  normalizedRecipient,
  recipientOf,
  type MarkAsRead,
  type MessageRequest,
} from '../cloud-api/validate/message-request';
import { type Store } from '../store/store';
import { withMember } from '../cloud-api/json/exact-json';
import { isoTime, type Clock } from '../time';
import { type CustomerServiceWindows } from './customer-service-window';
import { type SendKey } from './idempotent-send';

export interface SendingDeps {
  store: Store;
  cloudApi: CloudApi;
  windows: CustomerServiceWindows;
  clock: Clock;
}

export interface SendingLine extends SendingCredentials {
  id: number;
}

export interface Sending {
  line: SendingLine;
  request: MessageRequest;
  /** The body as received: forwarded byte for byte where nothing of it has to be put into the platform's form. */
  raw: Buffer;
  key: SendKey | null;
  /** Whether the body is kept, so that people can read what was sent. */
  isKept: boolean;
  /** What the customer is answered. */
  answerOf(accepted: AcceptedMessage): object;
  /**
   * Told when the platform has accepted the message and the database has not taken it: the customer is answered all the
   * same, because an error would make him send it twice.
   */
  onUnrecorded(error: unknown, wamid: string): void;
}

/**
 * Hands a judged message to the platform and records that it was accepted, with what the answer tells of the contact
 * and, where it was sent under a key, the answer to whoever asks again. @returns the answer
 * @throws the database's error, before anything is sent, if the database is known to refuse writes
 */
export async function sendMessage(
  { store, cloudApi, windows, clock }: SendingDeps,
  { line, request, raw, key, isKept, answerOf, onUnrecorded }: Sending,
): Promise<object> {
  // Sending would succeed and leave no record. A key was stored just now, so it has shown that the database can write.
  if (!key) await store.canWrite();
  const accepted = await cloudApi.sendMessage(line, forUpstream(request, raw));
  const isGroup = isToGroup(request);
  const answer = answerOf(isGroup ? accepted : echoing(accepted, request.to));
  const answered = key ? { line_id: key.lineId, key: key.key, answer: JSON.stringify(answer) } : undefined;
  const recipient = recipientOf(request);
  const [contact] = accepted.contacts ?? [];
  const reportedAs = isGroup
    ? recipient
    : [contact?.wa_id, contact?.user_id].find((identity) => typeof identity === 'string');
  const message = {
    line_id: line.id,
    contact: reportedAs ?? recipient,
    type: request.type,
    template_name: request.template?.name ?? null,
    template_language: request.template?.language.code ?? null,
    client_ref: request.biz_opaque_callback_data ?? null,
    accepted_at: isoTime(clock()),
  };
  const body = isKept ? new TextDecoder().decode(raw) : null;
  const { line_id, accepted_at } = message;
  const aliases = isGroup ? [] : windows.aliases.newIn(line.id, recipient, accepted.contacts);
  await Promise.all(
    accepted.messages.map(({ id: wamid }) =>
      store
        .write({
          kind: 'message',
          message: { ...message, wamid },
          aliases,
          answered,
          sent: body === null ? undefined : { line_id, wamid, body, accepted_at },
        })
        .then(
          () => windows.aliases.written(aliases),
          (error: unknown) => onUnrecorded(error, wamid),
        ),
    ),
  );
  return answer;
}

/** The answer with `to` as the customer wrote it, where the platform gives back what it was sent. */
function echoing(accepted: AcceptedMessage, to: string | null | undefined): AcceptedMessage {
  if (!to || !accepted.contacts) return accepted;
  const isTo = (input: unknown) =>
    typeof input !== 'string' || normalizedRecipient(input) === normalizedRecipient(to);
  const contacts = accepted.contacts.map((one) => (isTo(one.input) ? { ...one, input: to } : one));
  return { ...accepted, contacts };
}

export const markAsRead = (
  cloudApi: CloudApi,
  line: SendingLine,
  request: MarkAsRead,
  raw: Buffer,
): Promise<void> =>
  cloudApi.markAsRead(line, request.messaging_product === 'whatsapp' ? raw : inUpstreamsWord(raw));

/** The body as the platform wants it: its own product word, and the phone number in digits. */
function forUpstream(request: MessageRequest, raw: Buffer): Buffer | string {
  const to = request.to ? recipientOf(request) : request.to;
  if (request.messaging_product === 'whatsapp' && to === request.to) return raw;
  const text = inUpstreamsWord(raw);
  return to ? withMember(text, 'to', JSON.stringify(to)) : text;
}

/** All else stays as it was written, to the last digit of a number. */
const inUpstreamsWord = (raw: Buffer): string =>
  withMember(new TextDecoder().decode(raw), 'messaging_product', '"whatsapp"');
