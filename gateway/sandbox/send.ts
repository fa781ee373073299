/**
 * `POST /{phone number id}/messages`: sends a message, or marks a contact's message as read.
 * https://developers.facebook.com/documentation/business-messaging/whatsapp/reference/whatsapp-business-phone-number/message-api
 */
import { type SandboxLine } from './account';
import { parameterMissing, parameterNotText, valueInvalid } from './graph-errors';
import { isObject, type JsonObject } from './json';
import { judgeMessage, judgeProduct } from './judge-message';
import { judgeMediaId } from './media';
import { newWamid } from './wamid';
import { type World } from './world';

/** Upstream's answer; `body` is undefined where it was no JSON. */
export function acceptSend(world: World, line: SandboxLine, body: unknown): JsonObject {
  const request = isObject(body) ? body : {};
  if (request.status !== undefined) return markRead(world, line, request);

  const accepted = judgeMessage(request, world.templates);
  judgeMediaId(world.media, line, accepted);
  const message = {
    id: newWamid(accepted.contact, 'to_contact'),
    line: line.phoneNumberId,
    contact: accepted.contact,
    direction: 'to_contact' as const,
    at: world.now(),
    type: accepted.type,
    content: accepted.content,
    shown: accepted.shown,
    taps: accepted.taps,
    repliesTo: accepted.repliesTo,
    statuses: [],
  };
  world.conversations.remember(message);
  world.journeys.start(line, message, accepted);
  return {
    messaging_product: 'whatsapp',
    contacts: [{ input: accepted.input, wa_id: accepted.contact }],
    messages: [{ id: message.id, ...(accepted.type === 'template' && { message_status: 'accepted' }) }],
  };
}

/** A message that the line does not have, or that is forgotten, is accepted too: nothing would come of refusing it. */
function markRead(world: World, line: SandboxLine, request: JsonObject): JsonObject {
  judgeProduct(request);
  if (request.status !== 'read') throw valueInvalid("Param status must be 'read'");
  const id = request.message_id;
  if (id === undefined || id === null || id === '') throw parameterMissing('message_id');
  if (typeof id !== 'string') throw parameterNotText('message_id');
  if (!id.startsWith('wamid.')) throw valueInvalid('Param message_id is not the id of a message');
  const message = world.conversations.find(id);
  if (message?.direction === 'from_contact' && message.line === line.phoneNumberId)
    message.statuses.push({ messageStatus: 'read', at: world.now() });
  return { success: true };
}
