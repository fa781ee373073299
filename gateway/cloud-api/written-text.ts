import { DEEPEST, depthOf } from './json/json-depth';
import { entries, inside, isObject, objects, parsed, textOf, type Json } from './json/json-value';

/**
 * The text of an event's message, from a contact or from the phone app of the business. Nothing in it is
 * trusted.
 * @returns null if it has no readable text
 */
export const writtenText = (body: string): string | null => saidIn(messageIn(body));

/** The name of who wrote it, as that person has given it; null if it holds none. */
export function writerName(body: string): string | null {
  const [contact] = objects(valueIn(body).contacts);
  const { name } = inside(contact, 'profile');
  return isText(name) ? withoutDirections(name).slice(0, LONGEST_NAME).trim() || null : null;
}

/** The group in which it was written; null if it was written to the line alone. */
export function groupOf(body: string): string | null {
  return textOf(messageIn(body).group_id) || null;
}

/** Who wrote it, by number or user id: in a group, one of many. */
export function writerOf(body: string): string | null {
  const { from, from_user_id: userId } = messageIn(body);
  return textOf(from) || textOf(userId) || null;
}

/** What a person may remember of it: the text, and the name of its sender. */
export const rememberedTexts = (body: string): string[] =>
  [writtenText(body), writerName(body)].filter(isText);

/** The id, the type and the name of the file of a message; null if it has none. */
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
 * What a message is beyond its type: which interactive or system message, and whether a reaction was taken
 * back.
 * @returns null if the type says it all, or the message is not kept
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

/** Whether it is the answer to a form: a flow, or an address. */
export const isFormIn = (body: string): boolean =>
  inside(messageIn(body), 'interactive').type === 'nfm_reply';

/** What a message says, in whichever way its type says it; sent or received. */
export function saidIn(message: Json): string | null {
  const type = textOf(message.type);
  const part = inside(message, type);
  const own = Object.hasOwn(TEXTS, type) ? TEXTS[type]?.(message) : undefined;
  const said = own ?? [part.body, part.text, part.caption, fileName(part.filename), part.title, part.name];
  const text = said.filter(isText)[0];
  return text?.slice(0, LONGEST) ?? null;
}

/** The message in the platform's envelope; empty if there is none. */
export function messageIn(body: string): Json {
  const { messages, message_echoes: echoes } = valueIn(body);
  return [...objects(messages), ...objects(echoes)][0] ?? {};
}

/** The text of the first change in the platform's envelope. */
function valueIn(body: string): Json {
  const [entry] = objects(inside({ read: parsed(body) }, 'read').entry);
  const [change] = objects(entry?.changes);
  return inside(change, 'value');
}

const LONGEST = 4_096;
const LONGEST_NAME = 200;

const FILES = ['image', 'video', 'audio', 'document', 'sticker'] as const;

/** For types whose text is not in the part under their own name: the first of these that is a text. */
const TEXTS: Record<string, (message: Json) => unknown[]> = {
  // The platform's own sentence about a contact.
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

/** Names, address and coordinates, each on a line. */
function placeOf({ name, address, latitude, longitude }: Json): string {
  const coordinates = [latitude, longitude].map(textOf).filter(Boolean).join(', ');
  return [name, address, coordinates].filter(isText).join('\n');
}

/** The name on a contact card, and how that person is reached. */
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

/** As `2 × sku-7, 10.5 BRL`. */
function itemOf({ product_retailer_id: id, quantity, item_price: price, currency }: Json): string {
  const cost = [price, currency].map(textOf).filter(Boolean).join(' ');
  return [[textOf(quantity), textOf(id)].filter(Boolean).join(' × '), cost].filter(Boolean).join(', ');
}

/** What a form was filled in with, each field on a line; without what only programs read. */
function linesOf(answers: unknown): string {
  if (!isObject(answers)) return entries(answers).map(valueText).filter(Boolean).join('\n');
  return Object.entries(answers)
    .filter(([name]) => !['flow_token', 'saved_address_id'].includes(name))
    .map(([name, value]) => {
      // For an address, its parts.
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

/** The characters that turn the direction of what follows them: `\u202egpj.exe` looks like `exe.jpg`. */
export const DIRECTIONS = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

export const withoutDirections = (text: string): string => text.replace(DIRECTIONS, '');

const isText = (value: unknown): value is string => typeof value === 'string' && value.trim() !== '';

/** The kinds of message by which a contact may answer a question. */
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

/** What a message of a contact says as an answer. */
export interface MessageReply {
  /** Null for a message that answers nothing by its kind; it may still quote a question. */
  kind: AnswerKind | null;
  /** For a tap: the id of the button or row. */
  choice: string | null;
  /** The message that was tapped or quoted. */
  to: string | null;
}

/** These are never about a question: they are no answer, and quote nothing. */
const NO_REPLIES: unknown[] = ['reaction', 'system'];

/** @returns null if it is no reply of one contact */
export function replyIn(message: Json): MessageReply | null {
  const { type, group_id: group } = message;
  if (NO_REPLIES.includes(type) || group !== undefined) return null;
  const to = textOf(inside(message, 'context').id) || null;
  const tap = tapIn(message);
  if (tap) return { ...tap, to };
  // Its own type is a tap, which is read above.
  const kind = ANSWER_KINDS.find((one) => one === type && one !== 'button' && one !== 'list') ?? null;
  return kind === null && to === null ? null : { kind, choice: null, to };
}

/** A tap on a button of a template, on a button, or on a row of a list. */
function tapIn(message: Json): Pick<MessageReply, 'kind' | 'choice'> | null {
  if (message.type === 'button')
    return { kind: 'button', choice: textOf(inside(message, 'button').payload) || null };
  if (message.type !== 'interactive') return null;
  const { button_reply: tapped, list_reply: row } = inside(message, 'interactive');
  if (isObject(tapped)) return { kind: 'button', choice: textOf(tapped.id) || null };
  return isObject(row) ? { kind: 'list', choice: textOf(row.id) || null } : null;
}
