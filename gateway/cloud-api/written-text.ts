import { DEEPEST, depthOf } from './json/json-depth';
import { entries, inside, isObject, objects, parsed, textOf, type Json } from './json/json-value';

/**
 * Returns the text of a message from a contact or from the business's phone app. Nothing in the event is
 * trusted.
 * @returns null if there is no readable text
 */
export const writtenText = (body: string): string | null => saidIn(messageIn(body));

/** Returns the writer's profile name; null if missing. */
export function writerName(body: string): string | null {
  const [contact] = objects(valueIn(body).contacts);
  const { name } = inside(contact, 'profile');
  return isText(name) ? withoutDirections(name).slice(0, LONGEST_NAME).trim() || null : null;
}

/** Returns the group ID of a message; null for a message outside groups. */
export function groupOf(body: string): string | null {
  return textOf(messageIn(body).group_id) || null;
}

/** Returns the writer's number or user ID; in a group, identifies the participant. */
export function writerOf(body: string): string | null {
  const { from, from_user_id: userId } = messageIn(body);
  return textOf(from) || textOf(userId) || null;
}

/** Texts that people remember and search for: the message's text and its sender's name. */
export const rememberedTexts = (body: string): string[] =>
  [writtenText(body), writerName(body)].filter(isText);

/** Returns ID, type and name of a message's file; null if it has none. */
export function fileOf(body: string): { id: string; kind: string; name: string | null } | null {
  return fileIn(messageIn(body));
}

export function fileIn(message: Json): { id: string; kind: string; name: string | null } | null {
  for (const kind of FILES) {
    const { id, filename } = inside(message, kind);
    if (isText(id)) return { id, kind, name: fileName(filename) };
  }
  return null;
}

/**
 * Returns details beyond the message type: which interactive or system message, or that a reaction was
 * removed.
 * @returns null if the type has no subtypes or the message is not stored
 */
export function subtypeOf(body: string): string | null {
  const message = messageIn(body);
  const part = inside(message, textOf(message.type));
  if (message.type === 'reaction')
    return isObject(message.reaction) && !isText(part.emoji) ? 'removed' : null;
  if (part.type === 'nfm_reply') return textOf(inside(part, 'nfm_reply').name) || 'flow';
  if (part.type === 'call_permission_reply')
    return `call_permission_${textOf(inside(part, 'call_permission_reply').response) || 'reply'}`;
  return textOf(part.type) || null;
}

/** Whether the message answers a flow or an address request. */
export const isFormIn = (body: string): boolean =>
  inside(messageIn(body), 'interactive').type === 'nfm_reply';

/** Returns the text of a sent or received message, according to its type. */
export function saidIn(message: Json): string | null {
  const type = textOf(message.type);
  const part = inside(message, type);
  const own = Object.hasOwn(TEXTS, type) ? TEXTS[type]?.(message) : undefined;
  const said = own ?? [part.body, part.text, part.caption, fileName(part.filename), part.title, part.name];
  const text = said.filter(isText)[0];
  return text?.slice(0, LONGEST) ?? null;
}

/** Returns the message in the platform's envelope; empty if there is none. */
export function messageIn(body: string): Json {
  const { messages, message_echoes: echoes } = valueIn(body);
  return [...objects(messages), ...objects(echoes)][0] ?? {};
}

/** Returns the value of the first change in the platform's envelope. */
function valueIn(body: string): Json {
  const [entry] = objects(inside({ read: parsed(body) }, 'read').entry);
  const [change] = objects(entry?.changes);
  return inside(change, 'value');
}

const LONGEST = 4_096;
const LONGEST_NAME = 200;

const FILES = ['image', 'video', 'audio', 'document', 'sticker'] as const;

/** Possible texts of types that keep their text elsewhere; the first non-empty one is used. */
const TEXTS: Record<string, (message: Json) => unknown[]> = {
  // The platform's own sentence, not a contact's text.
  system: () => [],
  reaction: ({ reaction }) => [inside({ reaction }, 'reaction').emoji],
  interactive: ({ interactive }) => {
    const part = isObject(interactive) ? interactive : {};
    const { response_json: answers, body } = inside(part, 'nfm_reply');
    return [
      ...Object.values(part).map((reply) => (isObject(reply) ? reply.title : null)),
      linesOf(isText(answers) && depthOf(answers) <= DEEPEST ? parsed(answers) : null),
      body,
      inside(part, 'body').text,
    ];
  },
  location: ({ location }) => [placeOf(inside({ location }, 'location'))],
  contacts: ({ contacts }) => [objects(contacts).map(cardOf).filter(Boolean).join('\n')],
  order: ({ order }) => {
    const { text, product_items: items } = inside({ order }, 'order');
    return [[text, ...objects(items).map(itemOf)].filter(isText).join('\n')];
  },
  edit: ({ edit }) => [saidIn(inside(inside({ edit }, 'edit'), 'message'))],
};

/** Formats name, address and coordinates, one per line. */
function placeOf({ name, address, latitude, longitude }: Json): string {
  const coordinates = [latitude, longitude].map(textOf).filter(Boolean).join(', ');
  return [name, address, coordinates].filter(isText).join('\n');
}

/** Formats the name on a contact card, with phone numbers and email addresses. */
function cardOf({ name, phones, emails, org }: Json): string {
  const { formatted_name: whole, first_name: first, last_name: last } = inside({ name }, 'name');
  const named = isText(whole) ? whole : [first, last].filter(isText).join(' ');
  const reached = [
    ...objects(phones).map(({ phone, wa_id: id }) => textOf(phone) || textOf(id)),
    ...objects(emails).map(({ email }) => email),
  ].filter(isText);
  const { company } = inside({ org }, 'org');
  return [named || (isText(company) ? company : ''), reached.join(', ')].filter(Boolean).join(': ');
}

/** Formats an item as `2 × sku-7, 10.5 BRL`. */
function itemOf({ product_retailer_id: id, quantity, item_price: price, currency }: Json): string {
  const cost = [price, currency].map(textOf).filter(Boolean).join(' ');
  return [[textOf(quantity), textOf(id)].filter(Boolean).join(' × '), cost].filter(Boolean).join(', ');
}

/** Formats the fields of a form, one per line, without fields for programs. */
function linesOf(answers: unknown): string {
  if (!isObject(answers)) return entries(answers).map(valueText).filter(Boolean).join('\n');
  return Object.entries(answers)
    .filter(([name]) => !['flow_token', 'saved_address_id'].includes(name))
    .map(([name, value]) => {
      // An address consists of several fields.
      if (isObject(value)) return linesOf(value);
      const text = valueText(value);
      return text && `${name.replaceAll('_', ' ')}: ${text}`;
    })
    .filter(Boolean)
    .join('\n');
}

const valueText = (value: unknown): string => {
  if (Array.isArray(value)) return value.map(valueText).filter(Boolean).join(', ');
  return isObject(value) ? linesOf(value) : String(value ?? '').trim();
};

const fileName = (name: unknown): string | null => (isText(name) && withoutDirections(name)) || null;

/** Characters that change the text direction: `\u202egpj.exe` looks like `exe.jpg`. */
export const DIRECTIONS = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

export const withoutDirections = (text: string): string => text.replace(DIRECTIONS, '');

const isText = (value: unknown): value is string => typeof value === 'string' && value.trim() !== '';

/** Kinds of message that can answer a question. */
export const ANSWER_KINDS = [
  'text',
  'button',
  'list',
  'image',
  'audio',
  'video',
  'document',
  'location',
  'contacts',
] as const;
export type AnswerKind = (typeof ANSWER_KINDS)[number];

/** A contact's message, read as an answer. */
export interface MessageReply {
  /** Null if this kind cannot be an answer; the message can still quote a question. */
  kind: AnswerKind | null;
  /** The ID of the tapped button or row; null without a tap. */
  choice: string | null;
  /** The ID of the tapped or quoted message. */
  to: string | null;
}

/** Types that never answer or quote a question. */
const NO_REPLIES: unknown[] = ['reaction', 'system'];

/** @returns null if the message cannot be a reply of one contact */
export function replyIn(message: Json): MessageReply | null {
  const { type, group_id: group } = message;
  if (NO_REPLIES.includes(type) || group !== undefined) return null;
  const to = textOf(inside(message, 'context').id) || null;
  const tap = tapIn(message);
  if (tap) return { ...tap, to };
  // Taps are excluded here, because `tapIn` reads them.
  const kind = ANSWER_KINDS.find((one) => one === type && one !== 'button' && one !== 'list') ?? null;
  return kind === null && to === null ? null : { kind, choice: null, to };
}

/** Reads a tap on a template's button, a reply button or a list row. */
function tapIn(message: Json): Pick<MessageReply, 'kind' | 'choice'> | null {
  if (message.type === 'button')
    return { kind: 'button', choice: textOf(inside(message, 'button').payload) || null };
  if (message.type !== 'interactive') return null;
  const { button_reply: tapped, list_reply: row } = inside(message, 'interactive');
  if (isObject(tapped)) return { kind: 'button', choice: textOf(tapped.id) || null };
  return isObject(row) ? { kind: 'list', choice: textOf(row.id) || null } : null;
}
