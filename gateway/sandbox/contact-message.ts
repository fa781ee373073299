/**
 * What a contact does with its phone: writes a text, taps a button, chooses a row. Each becomes the message that
 * upstream would report. New kinds of message are added to KINDS.
 * https://developers.facebook.com/documentation/business-messaging/whatsapp/webhooks/reference/messages
 */
import { digitsOf, type SandboxLine } from './account';
import { ControlRefusal } from './control-refusal';
import { type ConversationMessage, type Conversations } from './conversations';
import { isObject, type JsonObject } from './json';
import { type Tap } from './judge-message';

/** The message's own part of upstream's object, and the message of the line that it answers, if any. */
export interface Written {
  type: string;
  content: JsonObject;
  repliesTo?: string;
}

interface Phone {
  line: SandboxLine;
  contact: string;
  conversations: Conversations;
}

type Kind = 'text' | 'button' | 'row';

const KINDS: Record<Kind, (phone: Phone, value: unknown, repliesTo: string | undefined) => Written> = {
  text: writeText,
  button: tapButton,
  row: chooseRow,
};

/** What may stand beside the message itself. */
const BESIDE = ['message', 'line', 'name'];

/** The message that `body` describes; refuses, in a sentence, what no contact could do. */
export function writtenBy(phone: Phone, body: JsonObject): Written {
  const kinds = Object.keys(KINDS) as Kind[];
  const unknown = Object.keys(body).find((key) => ![...kinds, ...BESIDE].includes(key));
  if (unknown !== undefined) {
    throw new ControlRefusal(
      `The field "${unknown}" is not known here. A contact's message has one of ${list(kinds)}, ` +
        `and may have ${list(BESIDE)}.`,
    );
  }
  const given = kinds.filter((kind) => body[kind] !== undefined);
  if (given.length !== 1) {
    throw new ControlRefusal(
      `Say what the contact does with exactly one of ${list(kinds)}, for example {"text": "Hello"}.`,
    );
  }
  const repliesTo = body.message;
  if (repliesTo !== undefined && (typeof repliesTo !== 'string' || repliesTo === '')) {
    throw new ControlRefusal('"message" is the id of the message that the contact answers, a text.');
  }
  return KINDS[given[0]](phone, body[given[0]], repliesTo);
}

/** The `context` of an answer, as upstream writes it: the line's own number and the message answered. */
export const contextOf = (line: SandboxLine, repliesTo: string): JsonObject => ({
  from: digitsOf(line),
  id: repliesTo,
});

function writeText(_phone: Phone, value: unknown, repliesTo: string | undefined): Written {
  if (typeof value !== 'string' || value.trim() === '') {
    throw new ControlRefusal('"text" is what the contact writes, a text that is not empty.');
  }
  return { type: 'text', content: { body: value }, repliesTo };
}

function tapButton(phone: Phone, value: unknown, repliesTo: string | undefined): Written {
  if (isObject(value)) return tapped(buttonFromObject(value), repliesTo);
  const { tap, message } = resolve(phone, value, repliesTo, 'button', ['button', 'template_button']);
  return tapped(tap, message.id);
}

function chooseRow(phone: Phone, value: unknown, repliesTo: string | undefined): Written {
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

/** A button of a message that the sandbox has forgotten: of buttons {id, title}, of a template {payload, text}. */
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
 * Finds what is tapped by its id or by what stands on it, on the given message, else on the newest that has such a
 * thing. An id is preferred to a title, an exact title to one that differs in capitals.
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

const list = (names: string[]): string => names.map((name) => `"${name}"`).join(', ');
