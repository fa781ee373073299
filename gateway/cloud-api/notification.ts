import { isUtf8 } from 'node:buffer';
import { createHash } from 'node:crypto';
import { parseExactly } from './json/exact-json';
import { depthOf } from './json/json-depth';
import { isObject, objects, type Json } from './json/json-value';
import { replyIn, type MessageReply } from './written-text';

/**
 * Parses a notification: the body of a POST from the platform, with one or more events of one or more lines.
 * Nothing in it is trusted; unknown content becomes an `account` event and is forwarded.
 * Format: developers.facebook.com/docs/whatsapp/cloud-api/webhooks/components.
 */
export interface NotificationEvent {
  /** `echo`: a message that the business sent from its phone app. */
  subject: 'message' | 'echo' | 'messageStatus' | 'account';
  /**
   * Message type (`text`, `interactive`, …), message status (`sent`, `read`, …, or `payment_failed` for a
   * payment) or field of an account event.
   */
  kind: string;
  /** Deduplication key: the same for every repeat of this event by the platform. */
  identity: string;
  /** Null for account events. */
  phoneNumberId: string | null;
  /** The business account, `entry[].id`. */
  wabaId: string | null;
  /** The sender or recipient: a phone number in digits, a user ID, or a group ID. */
  contact: string | null;
  /**
   * Identities whose customer service window this event opens or extends: phone number, user ID, parent user
   * ID. Empty if it opens none.
   */
  opensWindowOf: string[];
  /** Names that belong to one person: phone numbers and user IDs, including earlier ones. */
  people: string[][];
  /** The platform's message ID; for a status, of its message. */
  wamid: string | null;
  /** The platform's timestamp in milliseconds. */
  occurredAt: number | null;
  /** The platform's errors in a `failed` status, as received. */
  errors: unknown[] | null;
  /** `biz_opaque_callback_data` of the message that the status belongs to. */
  clientRef: string | null;
  /** The `pricing` of a status, as received; undefined if it has none. */
  pricing?: unknown;
  /** A contact's message, read as an answer to a question; null for any other event. */
  reply: MessageReply | null;
  /** The event alone in the platform's envelope: the bytes to forward. */
  body: string;
}

/**
 * The deepest nesting allowed, far beyond the platform's own. Thousands of levels would overflow the stack.
 */
const DEEPEST = 256;

/** Ten times the platform's limit for one notification. */
const MOST_EVENTS = 10_000;
/** The most contacts included with an event if none is known to belong to it. */
const MOST_UNTOLD = 10;
/**
 * The most characters of all events together. Each event repeats the shared parts, which can be as long as
 * the whole notification.
 */
const MOST_REBUILT = 32 * 1024 * 1024;

/** Longer than any ID of the platform. PostgreSQL allows 2,704 bytes in an index. */
const LONGEST_ID = 256;
const LONGEST_IDENTITY = 512;

/** Thrown if the body is not a JSON object, so that nothing can be stored. */
export class NotANotification extends Error {
  override name = 'NotANotification';
}

/** Thrown if the body would take too much memory. */
export class TooMuchAtOnce extends Error {
  override name = 'TooMuchAtOnce';
}

/** Lists in a change's value whose items are separate events, with their subject. */
const LISTS = { messages: 'message', message_echoes: 'echo', statuses: 'messageStatus' } as const;
const LIST_NAMES = Object.keys(LISTS) as (keyof typeof LISTS)[];

interface Found {
  entry: Json;
  /** Null if the entry has no readable change. */
  change: Json | null;
  /**
   * The event's place in the change's value, and the `contacts` that belong to it; null if the whole value is
   * one event.
   */
  place: { list: keyof typeof LISTS; item: Json; contacts: () => Json[] } | null;
}

/**
 * @throws NotANotification
 * @throws TooMuchAtOnce with the number of events in its message
 */
export function readNotification(raw: Buffer): NotificationEvent[] {
  if (!isUtf8(raw)) throw new NotANotification('The body is not UTF-8');
  const text = raw.toString('utf8');
  const found = eventsIn(parse(text));
  // A single event is forwarded byte for byte. Several are rebuilt, with exact numbers, so that long IDs keep
  // all digits.
  if (found.length <= 1) return found.map((only) => eventOf(only, text));
  const exact = parseExactly(text) as Json;
  const exactly = eventsIn(exact);
  const rebuilt = boundedJson();
  return found.map((one, index) => eventOf(one, rebuilt(envelope(exact, exactly[index] ?? one))));
}

/** Returns a writer of JSON in the platform's format, with a limit on the total size. */
function boundedJson(): (value: Json) => string {
  let size = 0;
  return (value) => {
    const text = asciiJson(value);
    size += text.length;
    if (size > MOST_REBUILT) throw new TooMuchAtOnce('32 MB once each event is separate');
    return text;
  };
}

/**
 * Reduces a notification to the part of one line; unchanged if it has no other part.
 * @returns a function that takes a predicate: whether an event of a phone number (null: whole account)
 * belongs to the line
 */
export function notificationCutter(
  raw: Buffer,
): (isOfLine: (of: Pick<NotificationEvent, 'phoneNumberId' | 'wabaId'>) => boolean) => string {
  const text = raw.toString('utf8');
  const exact = parseExactly(text) as Json;
  const rebuilt = boundedJson();
  return (isOfLine) => {
    let isWhole = true;
    const entry = objects(exact.entry).flatMap((one) => {
      const changes = objects(one.changes);
      const own = changes.filter((change) => isOfLine(originOf(one, change)));
      if (own.length < changes.length) isWhole = false;
      return own.length || !changes.length ? [{ ...one, changes: own }] : [];
    });
    return isWhole ? text : rebuilt({ ...exact, entry });
  };
}

/** Returns phone number and business account of a change. */
function originOf(entry: Json, change: Json | null): Pick<NotificationEvent, 'phoneNumberId' | 'wabaId'> {
  const value = isObject(change?.value) ? change.value : {};
  return {
    phoneNumberId: isObject(value.metadata) ? string(value.metadata.phone_number_id) : null,
    wabaId: string(entry.id),
  };
}

function eventsIn(notification: Json): Found[] {
  const entries = objects(notification.entry);
  const found: Found[] = [];
  for (const entry of entries.length ? entries : [{}]) {
    const changes = objects(entry.changes);
    if (!changes.length) found.push({ entry, change: null, place: null });
    for (const change of changes) {
      const items = itemsIn(change);
      if (found.length + items.length > MOST_EVENTS) throw new TooMuchAtOnce('10,000 events');
      found.push(...itemsOf(change, items).map((place) => ({ entry, change, place })));
    }
    if (found.length > MOST_EVENTS) throw new TooMuchAtOnce('10,000 events');
  }
  return found;
}

function parse(text: string): Json {
  if (depthOf(text) > DEEPEST)
    throw new NotANotification(`The body is nested more than ${DEEPEST} levels deep`);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new NotANotification('The body is not JSON', { cause: error });
  }
  if (!isObject(value)) throw new NotANotification('The body is not a JSON object');
  return value;
}

type Item = Pick<NonNullable<Found['place']>, 'list' | 'item'>;

/**
 * Returns the messages and statuses of a change. Echoes are detected by their list, because the platform
 * sends them in various fields.
 */
function itemsIn({ field, value }: Json): Item[] {
  if (!isObject(value)) return [];
  const items: Item[] = [];
  for (const list of LIST_NAMES)
    if (field === 'messages' || list === 'message_echoes')
      for (const item of objects(value[list])) items.push({ list, item });
  return items;
}

function itemsOf({ value }: Json, items: Item[]): Found['place'][] {
  if (!items.length) return [null];
  const contactsOf = contactsIn(isObject(value) ? value.contacts : []);
  return items.map(({ list, item }) => ({ list, item, contacts: () => contactsOf(item) }));
}

/**
 * Returns a look-up of contacts by the IDs of a message or status. An index, because a batch can have a
 * thousand of each.
 */
function contactsIn(list: unknown): (item: Json) => Json[] {
  const contacts = objects(list);
  const indexesById = new Map<unknown, number[]>();
  contacts.forEach((contact, index) => {
    for (const id of [contact.wa_id, contact.user_id].filter((one) => typeof one === 'string')) {
      const indexes = indexesById.get(id);
      if (indexes) indexes.push(index);
      else indexesById.set(id, [index]);
    }
  });
  return (item) => {
    const ids = [
      ...[item.from, item.from_user_id, item.to, item.to_user_id, item.recipient_id, item.recipient_user_id],
      ...[item.recipient_participant_id, item.recipient_participant_user_id],
    ];
    const indexes = new Set(ids.flatMap((id) => indexesById.get(id) ?? []));
    return [...indexes].sort((one, other) => one - other).map((index) => contacts[index] as Json);
  };
}

function eventOf({ entry, change, place }: Found, body: string): NotificationEvent {
  const value = isObject(change?.value) ? change.value : {};
  const { phoneNumberId, wabaId } = originOf(entry, change);
  const shared = { phoneNumberId, wabaId, body, reply: null };
  if (!place) {
    const told = change === null ? body : JSON.stringify([entry.id, entry.time, change]);
    const callers = callersIn(change);
    return {
      ...shared,
      subject: 'account',
      kind: string(change?.field) ?? 'unknown',
      identity: `account:${digest(told)}`,
      contact: null,
      opensWindowOf: callers.flat(),
      people: [...callers, ...newUserIdsIn(change)],
      wamid: null,
      occurredAt: seconds(entry.time) ?? timeOfCall(change),
      errors: null,
      clientRef: null,
    };
  }
  const { item } = place;
  const subject = LISTS[place.list];
  const wamid = idOf(item.id);
  const common = { ...shared, subject, wamid, occurredAt: seconds(item.timestamp) };
  if (subject === 'messageStatus')
    return { ...common, ...statusOf(item, phoneNumberId), people: [receiverOf(place)] };
  const isWritten = subject === 'message';
  const person = isWritten ? writerOf(place, value) : receiverOf(place);
  const [id, userId] = isWritten ? [item.from, item.from_user_id] : [item.to, item.to_user_id];
  return {
    ...common,
    kind: string(item.type) ?? 'unknown',
    identity: identityOf([subject, phoneNumberId, string(item.id) ?? digest(JSON.stringify(item))]),
    contact: idOf(item.group_id) ?? idOf(id) ?? idOf(userId),
    opensWindowOf: isWritten ? windowOf(item, person) : [],
    people: [person],
    reply: isWritten ? replyIn(item) : null,
    errors: null,
    clientRef: null,
  };
}

/**
 * Reads a status. `type` is missing or `message` for a delivery status; any other type, such as a payment,
 * does not change the message's state.
 */
function statusOf(
  item: Json,
  phoneNumberId: string | null,
): Pick<
  NotificationEvent,
  'kind' | 'identity' | 'contact' | 'opensWindowOf' | 'errors' | 'clientRef' | 'pricing'
> {
  const about = string(item.type) ?? 'message';
  const isOfDelivery = about === 'message';
  const status = string(item.status) ?? 'unknown';
  const kind = isOfDelivery ? status : `${about}_${status}`;
  // A message to a group has each status once per participant.
  const participant = string(item.recipient_participant_id) ?? string(item.recipient_participant_user_id);
  // Several payments can be attempted within a second.
  const when = (isOfDelivery && string(item.timestamp)) || digest(JSON.stringify(item));
  return {
    kind,
    identity: identityOf([
      ...['status', phoneNumberId, string(item.id), kind, when],
      ...(participant ? [participant] : []),
    ]),
    contact:
      idOf(item.recipient_id) ?? idOf(item.recipient_user_id) ?? (isOfDelivery ? null : idOf(item.from)),
    opensWindowOf: [],
    errors: kind === 'failed' && Array.isArray(item.errors) ? item.errors : null,
    clientRef: string(item.biz_opaque_callback_data),
    pricing: item.pricing,
  };
}

/**
 * Returns whose window a message opens. "When a WhatsApp user messages you or calls you, a 24-hour timer
 * called a customer service window starts" (cloud-api send-messages). Reactions, taps and unsupported
 * messages count; `system` messages are from the platform and do not. A message in a group opens the group's
 * window only.
 */
function windowOf(item: Json, writer: string[]): string[] {
  if (item.type === 'system') return [];
  const group = idOf(item.group_id);
  return group === null ? writer : [group];
}

/**
 * Returns the writer's identities. For a system message, they include the contact's new number or user ID.
 */
function writerOf({ item, contacts: contactsOf }: NonNullable<Found['place']>, value: Json): string[] {
  const concerned = contactsOf();
  const contacts = concerned.length ? concerned : onlyContact(value);
  const { wa_id: newNumber, user_id: newUserId } = isObject(item.system) ? item.system : {};
  return identities([
    ...[item.from, item.from_user_id, item.from_parent_user_id, newNumber, newUserId],
    ...idsOf(contacts),
  ]);
}

/** Returns the recipient's identities; in a group, the participant that the status is about. */
function receiverOf({ item, contacts }: NonNullable<Found['place']>): string[] {
  const participant = identities([item.recipient_participant_id, item.recipient_participant_user_id]);
  if (participant.length || item.recipient_type === 'group') return participant;
  return identities([
    ...[item.recipient_id, item.recipient_user_id, item.recipient_parent_user_id],
    ...[item.to, item.to_user_id, item.to_parent_user_id],
    // Excludes the business, which an echo names as its writer.
    ...idsOf(contacts().filter(({ wa_id: number }) => number !== item.from)),
  ]);
}

const idsOf = (contacts: Json[]): unknown[] =>
  contacts.flatMap((contact) => [contact.wa_id, contact.user_id, contact.parent_user_id]);

/** If a value has one message and one contact, the contact is the sender, even if their IDs differ. */
function onlyContact({ messages, contacts }: Json): Json[] {
  const isAlone = Array.isArray(messages) && messages.length === 1;
  return isAlone && Array.isArray(contacts) && contacts.length === 1 ? objects(contacts) : [];
}

/**
 * Returns the callers. A call opens the window whether or not it is answered, and so does accepting one
 * (calling/pricing).
 */
function callersIn(change: Json | null): string[][] {
  if (change?.field !== 'calls' || !isObject(change.value)) return [];
  const { calls, statuses } = change.value;
  const called = objects(calls)
    .filter(({ direction }) => direction === 'USER_INITIATED')
    .map((call) => [call.from, call.from_user_id, call.from_parent_user_id]);
  const accepted = objects(statuses)
    .filter(({ status }) => status === 'ACCEPTED')
    .map((status) => [status.recipient_id, status.recipient_user_id, status.recipient_parent_user_id]);
  return [...called, ...accepted].map(identities);
}

/** Returns contacts with a new user ID, each with its old and new ID. */
function newUserIdsIn(change: Json | null): string[][] {
  if (change?.field !== 'user_id_update' || !isObject(change.value)) return [];
  return objects(change.value.user_id_update).map(({ wa_id: number, user_id, parent_user_id }) =>
    identities([
      number,
      ...[user_id, parent_user_id].flatMap((id) => (isObject(id) ? [id.previous, id.current] : [])),
    ]),
  );
}

function timeOfCall(change: Json | null): number | null {
  if (change?.field !== 'calls' || !isObject(change.value)) return null;
  const [first] = [...objects(change.value.calls), ...objects(change.value.statuses)];
  return seconds(first?.timestamp);
}

const identities = (values: unknown[]): string[] => [
  ...new Set(values.flatMap((value) => idOf(value) || [])),
];

/** Wraps one event in the platform's envelope. Removes all other events and changes nothing else. */
function envelope(notification: Json, { entry, change, place }: Found): Json {
  if (change === null) return { ...notification, entry: [entry] };
  const around = (value: unknown) => ({
    ...notification,
    entry: [{ ...entry, changes: [{ ...change, value }] }],
  });
  if (!place || !isObject(change.value)) return around(change.value);
  const { contacts } = change.value;
  const own = place.contacts();
  const areMany = Array.isArray(contacts) && contacts.length > MOST_UNTOLD;
  return around({
    ...change.value,
    // If no contact clearly belongs to the event, all are included, unless there are too many to repeat in
    // each event.
    contacts: own.length || areMany ? own : contacts,
    ...Object.fromEntries(LIST_NAMES.map((list) => [list, undefined])),
    [place.list]: [place.item],
  });
}

/** Writes JSON like the platform: ASCII only, with lowercase `\uXXXX` escapes. */
export const asciiJson = (value: unknown): string =>
  JSON.stringify(value).replace(
    /[\u0080-\uffff]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );

const string = (value: unknown): string | null =>
  typeof value === 'string' || typeof value === 'number' ? String(value) : null;
/** Returns an ID; null for a text that is too long. */
function idOf(value: unknown): string | null {
  const id = string(value);
  return id !== null && id.length <= LONGEST_ID ? id : null;
}

/** Returns the deduplication key for a contact's message. */
export const identityOfMessage = (phoneNumberId: string, wamid: string): string =>
  identityOf(['message', phoneNumberId, wamid]);

/** Joins the parts. Parts with the separator are encoded, so that keys stay unique. */
function identityOf(parts: (string | null)[]): string {
  const identity = parts
    .map((part) => (/[:%]/.test(part ?? '') ? encodeURIComponent((part ?? '').toWellFormed()) : part))
    .join(':');
  return identity.length <= LONGEST_IDENTITY ? identity : digest(identity);
}

const digest = (text: string): string => createHash('sha256').update(text).digest('hex');

/** Reads a timestamp in seconds, as text or number; returns milliseconds. */
function seconds(value: unknown): number | null {
  const number = Number(string(value) ?? Number.NaN);
  return number > 0 && number < 1e11 ? number * 1000 : null;
}
