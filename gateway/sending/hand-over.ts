import { type SendResponse, type CloudApi } from '../cloud-api/client';
import { type SendingCredentials } from '../cloud-api/call';
import { withMember } from '../cloud-api/json/exact-json';
import {
  isToGroup,
  normalizedRecipient,
  recipientOf,
  type MarkAsRead,
  type MessageRequest,
} from '../cloud-api/validate/message-request';
import { type CustomerServiceWindows } from '../messages/customer-service-window';
import { type Store } from '../store/store';
import { isoTime, type Clock } from '../time';
import { type SendKey } from './idempotent-send';

export interface HandOverDeps {
  store: Store;
  cloudApi: CloudApi;
  windows: CustomerServiceWindows;
  clock: Clock;
}

/** A message that passed every check. */
interface Judged<Answer> {
  from: SendingCredentials & { id: number };
  message: MessageRequest;
  /** The body as received, forwarded byte for byte unless a field needs the platform's form. */
  raw: Buffer;
  key: SendKey | null;
  /** Whether the body is stored, so that users can read the sent message. */
  isKept: boolean;
  /** The id of the question in the message. */
  asks: string | undefined;
  /** Creates the response that is returned and stored under the key. */
  answerOf(accepted: SendResponse): Answer;
  /**
   * Called if the platform accepted the message but the database could not store it. The sender still gets the
   * response, because after an error it would send again.
   */
  onUnrecorded(error: unknown, wamid: string): void;
}

/**
 * Sends a message to the platform and stores its acceptance, the contact's identities in the platform's response and,
 * under a key, the response for repeated requests. @returns the response
 * @throws the database's error before sending, if the database is known to refuse writes
 */
export async function handOver<Answer extends object>(
  { store, cloudApi, windows, clock }: HandOverDeps,
  { from, message: request, raw, key, isKept, asks, answerOf, onUnrecorded }: Judged<Answer>,
): Promise<Answer> {
  // Otherwise the send could succeed and leave no record. With a key, the write of the key has just shown that the
  // database works.
  const trying = key ? undefined : store.canWrite();
  if (trying) await trying;
  const accepted = await cloudApi.sendMessage(from, forUpstream(request, raw));
  const isGroup = isToGroup(request);
  const answer = answerOf(isGroup ? accepted : echoing(accepted, request.to));
  const answered = key ? { line_id: key.lineId, key: key.key, answer: JSON.stringify(answer) } : undefined;
  const recipient = recipientOf(request);
  const [contact] = accepted.contacts ?? [];
  const reportedAs = isGroup
    ? recipient
    : [contact?.wa_id, contact?.user_id].find((identity) => typeof identity === 'string');
  const message = {
    line_id: from.id,
    contact: reportedAs ?? recipient,
    type: request.type,
    template_name: request.template?.name ?? null,
    template_language: request.template?.language.code ?? null,
    client_ref: request.biz_opaque_callback_data ?? null,
    accepted_at: isoTime(clock()),
  };
  const body = isKept ? new TextDecoder().decode(raw) : null;
  const { line_id, accepted_at } = message;
  const aliases = isGroup ? [] : windows.aliases.newIn(from.id, recipient, accepted.contacts);
  await Promise.all(
    accepted.messages.map(({ id: wamid }) =>
      store
        .write({
          kind: 'message',
          message: { ...message, wamid },
          aliases,
          answered,
          asks,
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

/** The response with `to` as the customer wrote it, if the platform normalised it. */
function echoing(accepted: SendResponse, to: string | null | undefined): SendResponse {
  if (!to || !accepted.contacts) return accepted;
  const isTo = (input: unknown) =>
    typeof input !== 'string' || normalizedRecipient(input) === normalizedRecipient(to);
  const contacts = accepted.contacts.map((one) => (isTo(one.input) ? { ...one, input: to } : one));
  return { ...accepted, contacts };
}

export const markAsRead = (
  cloudApi: CloudApi,
  from: SendingCredentials,
  request: MarkAsRead,
  raw: Buffer,
): Promise<void> =>
  cloudApi.markAsRead(from, request.messaging_product === 'whatsapp' ? raw : inUpstreamsWord(raw));

/** The body in the platform's form: its product name, and the phone number in digits. */
function forUpstream(request: MessageRequest, raw: Buffer): Buffer | string {
  const to = request.to ? recipientOf(request) : request.to;
  if (request.messaging_product === 'whatsapp' && to === request.to) return raw;
  const text = inUpstreamsWord(raw);
  return to ? withMember(text, 'to', JSON.stringify(to)) : text;
}

/** Replaces only the product name; all other bytes stay. */
const inUpstreamsWord = (raw: Buffer): string =>
  withMember(new TextDecoder().decode(raw), 'messaging_product', '"whatsapp"');
