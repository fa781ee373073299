/**
 * A contact's tap on a message of the line: a button, a list row, a template's quick reply, or a flow.
 * https://developers.facebook.com/documentation/business-messaging/whatsapp/webhooks/reference/messages/interactive
 * and …/button
 */
import { type Phone, type Written } from './written';
import { objectOf } from '../control/body';
import { ControlRefusal } from '../control/refusal';
import { type ConversationMessage } from './conversations';
import { isObject, type JsonObject } from '../platform/json';
import { type Tap } from './accepted-message';

export function tapButton(phone: Phone, value: unknown, repliesTo: string | undefined): Written {
  if (isObject(value)) return tapped(buttonFromObject(value), repliesTo);
  const { tap, message } = resolve(phone, value, repliesTo, 'button', ['button', 'template_button']);
  return tapped(tap, message.id);
}

export function chooseRow(phone: Phone, value: unknown, repliesTo: string | undefined): Written {
  if (isObject(value)) return tapped(rowFromObject(value), repliesTo);
  const { tap, message } = resolve(phone, value, repliesTo, 'row', ['row']);
  return tapped(tap, message.id);
}

function tapped(tap: Tap, repliesTo: string | undefined): Written {
  if (tap.kind === 'template_button') {
    return { type: 'button', content: { payload: tap.payload, text: tap.text }, repliesTo };
  }
  if (tap.kind === 'button') {
    const reply = { id: tap.id, title: tap.title };
    return { type: 'interactive', content: { type: 'button_reply', button_reply: reply }, repliesTo };
  }
  const reply = { id: tap.id, title: tap.title, ...(tap.description && { description: tap.description }) };
  return { type: 'interactive', content: { type: 'list_reply', list_reply: reply }, repliesTo };
}

/** Submits a flow as the reply to the given message; defaults to the newest message that opens a flow. */
export function fillFlow(phone: Phone, value: unknown, repliesTo: string | undefined): Written {
  const answers = objectOf(value, 'flow');
  const message = repliesTo ?? newestFlow(phone)?.id;
  const reply = { response_json: JSON.stringify(answers), body: 'Sent', name: 'flow' };
  return {
    type: 'interactive',
    content: { type: 'nfm_reply', nfm_reply: reply },
    ...(message !== undefined && { repliesTo: message }),
  };
}

const newestFlow = ({ conversations, line, contact }: Phone): ConversationMessage | undefined =>
  conversations
    .between(line.phoneNumberId, contact)
    .findLast(
      ({ direction, content }) => direction === 'to_contact' && isObject(content) && content.type === 'flow',
    );

/**
 * Builds a tap on a message that the sandbox has forgotten: {id, title} for a button, {payload, text} for a
 * template.
 */
function buttonFromObject(value: JsonObject): Tap {
  const { id, title, payload, text } = value;
  if (typeof id === 'string' && typeof title === 'string') return { kind: 'button', id, title };
  if (typeof payload === 'string' && typeof text === 'string')
    return { kind: 'template_button', payload, text };
  throw new ControlRefusal(
    'A button given as an object has "id" and "title", or, for the quick reply of a template, "payload" and "text".',
  );
}

function rowFromObject(value: JsonObject): Tap {
  const { id, title, description } = value;
  if (typeof id === 'string' && typeof title === 'string') {
    return { kind: 'row', id, title, ...(typeof description === 'string' && { description }) };
  }
  throw new ControlRefusal('A row given as an object has "id", "title" and perhaps "description".');
}

/**
 * Finds the tapped button or row by ID or title, on the given message or on the newest one that has it. An ID
 * wins over a title, and an exact title over one in other capitals.
 */
function resolve(
  phone: Phone,
  value: unknown,
  repliesTo: string | undefined,
  what: 'button' | 'row',
  kinds: Tap['kind'][],
): { tap: Tap; message: ConversationMessage } {
  if (typeof value !== 'string' || value === '') {
    throw new ControlRefusal(
      `"${what}" is the id or the title of the ${what}, or an object that describes it.`,
    );
  }
  const tapsOf = (message: ConversationMessage) => message.taps.filter((tap) => kinds.includes(tap.kind));
  const message = repliesTo
    ? messageAnswered(phone, repliesTo, what)
    : phone.conversations
        .between(phone.line.phoneNumberId, phone.contact)
        .findLast((each) => each.direction === 'to_contact' && tapsOf(each).length > 0);
  if (!message) {
    throw new ControlRefusal(
      `No message with a ${what} was sent to ${phone.contact} since the sandbox was started. ` +
        byObject(what),
    );
  }
  const taps = tapsOf(message);
  const tap =
    taps.find((each) => idOf(each) === value) ??
    taps.find((each) => titleOf(each) === value) ??
    taps.find((each) => titleOf(each).toLowerCase() === value.toLowerCase());
  if (!tap) {
    const there = taps.map((each) => `"${titleOf(each)}" (${idOf(each)})`).join(', ');
    throw new ControlRefusal(
      `The message ${message.id} has no ${what} "${value}". ` +
        (there ? `It has ${there}.` : `It has no ${what} at all.`),
    );
  }
  return { tap, message };
}

function messageAnswered(phone: Phone, id: string, what: 'button' | 'row'): ConversationMessage {
  const message = phone.conversations.find(id);
  if (!message) {
    throw new ControlRefusal(
      `The sandbox does not know the message ${id}; it forgets them when it is restarted. ` + byObject(what),
    );
  }
  if (message.contact !== phone.contact || message.line !== phone.line.phoneNumberId) {
    throw new ControlRefusal(
      `The message ${id} is not one of line ${phone.line.phoneNumberId} to ${phone.contact}.`,
    );
  }
  return message;
}

const byObject = (what: 'button' | 'row'): string =>
  `To answer an older message give the ${what} as an object: {"${what}": {"id": "…", "title": "…"}, "message": "wamid.…"}.`;

const idOf = (tap: Tap): string => (tap.kind === 'template_button' ? tap.payload : tap.id);
const titleOf = (tap: Tap): string => (tap.kind === 'template_button' ? tap.text : tap.title);
