/**
 * `POST /{phone number id}/messages`: sends a message, or marks a contact's message as read.
 * https://developers.facebook.com/documentation/business-messaging/whatsapp/reference/whatsapp-business-phone-number/message-api
 */
import { digitsOf, type SandboxLine } from '../platform/account';
import { type AcceptedMessage } from '../contacts/accepted-message';
import { type Contact } from '../contacts/contact-store';
import { isUserId } from '../platform/contact-ids';
import { refusalOf } from '../platform/documented-errors';
import { type Failure, failureOfNumber } from '../faults/failure-scripts';
import { parameterMissing, parameterNotText, valueInvalid } from '../platform/errors';
import { isMissing, isObject, type JsonObject } from '../platform/json';
import { validateMessage, validateProduct } from './validate-message';
import { validateMediaId } from './media';
import { TransportFault } from '../faults/transport-fault';
import { directionOf, newWamid } from '../platform/wamid';
import { type SandboxDeps } from '../dependencies';

const RECIPIENT_IS_SENDER = 131021;
const USER_ID_NOT_SUPPORTED = 131062;
const RECIPIENT_BLOCKED = 130403;

/** Returns the platform's answer; `body` is undefined if the request was not JSON. */
export async function acceptSend(deps: SandboxDeps, line: SandboxLine, body: unknown): Promise<JsonObject> {
  const refused = deps.lineStates.refusal(line);
  if (refused) throw refused;
  const request = isObject(body) ? body : {};
  if (request.status !== undefined) return markRead(deps, line, request);

  const accepted = validateMessage(request, deps.templates.of(line.wabaId));
  validateMediaId(deps.media, line, accepted);
  const contact = deps.contacts.at(accepted.address);
  validateRecipient(line, contact, accepted);
  if (deps.managed.of(line.phoneNumberId).blocked.includes(contact.waId ?? ''))
    throw refusalOf(RECIPIENT_BLOCKED);
  const failure =
    failureOfNumber(accepted.address) ?? deps.failures.next('sends', [line.phoneNumberId], contact.id);
  failAtOnce(failure);

  const message = {
    id: newWamid(contact.id, 'to_contact'),
    line: line.phoneNumberId,
    contact: contact.id,
    direction: 'to_contact' as const,
    at: deps.now(),
    type: accepted.type,
    content: accepted.content,
    shown: accepted.shown,
    card: accepted.card,
    taps: accepted.taps,
    repliesTo: accepted.repliesTo,
    statuses: [],
  };
  deps.conversations.remember(message);
  const path =
    failure?.as === 'status'
      ? { name: 'failed' as const, error: failure.error }
      : deps.paths.take(contact.id);
  await deps.timelines.start(line, message, accepted, contact, path);
  if (failure?.as === 'fault') throw new TransportFault(failure.fault);
  return {
    messaging_product: 'whatsapp',
    contacts: [{ input: accepted.input, ...contactIds(contact, accepted) }],
    messages: [{ id: message.id, ...(accepted.type === 'template' && { message_status: 'accepted' }) }],
  };
}

function validateRecipient(line: SandboxLine, contact: Contact, accepted: AcceptedMessage): void {
  if (contact.waId === digitsOf(line)) throw refusalOf(RECIPIENT_IS_SENDER);
  if (isUserId(accepted.address) && accepted.category === 'AUTHENTICATION')
    throw refusalOf(USER_ID_NOT_SUPPORTED);
}

/**
 * Throws immediate failures. A silent failure is thrown later, because the message is still sent and only the
 * answer is missing.
 */
function failAtOnce(failure: Failure | undefined): void {
  if (failure?.as === 'answer') throw refusalOf(failure.error.code);
  if (failure?.as === 'fault' && failure.fault !== 'silent') throw new TransportFault(failure.fault);
}

/** The contact's ID in the answer: the user ID if the request used it, otherwise the WhatsApp ID. */
const contactIds = (contact: Contact, { address }: AcceptedMessage): JsonObject =>
  isUserId(address) ? { user_id: address } : { wa_id: contact.waId };

/**
 * Accepts any well-formed message ID: the sandbox forgets messages on restart, and clients may still mark
 * them as read.
 */
function markRead(deps: SandboxDeps, line: SandboxLine, request: JsonObject): JsonObject {
  validateProduct(request);
  if (request.status !== 'read') throw valueInvalid("Param status must be 'read'");
  const id = request.message_id;
  if (isMissing(id)) throw parameterMissing('message_id');
  if (typeof id !== 'string') throw parameterNotText('message_id');
  const message = deps.conversations.find(id);
  if (directionOf(id) !== 'from_contact' || (message && message.line !== line.phoneNumberId))
    throw valueInvalid('Param message_id is not the id of a message that this number received');
  message?.statuses.push({ messageStatus: 'read', at: deps.now() });
  return { success: true };
}
