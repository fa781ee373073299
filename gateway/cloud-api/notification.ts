import { isUtf8 } from 'node:buffer';
import { createHash } from 'node:crypto';
import { parseExactly } from './json/exact-json';
import { depthOf } from './json/json-depth';
import { isObject, objects, type Json } from './json/json-value';
import { replyIn, type MessageReply } from './written-text';

/**
 * Reads one notification: the body of a POST from the platform, with one or many events, of one or many
 * lines. Nothing in it is trusted: everything unknown becomes an `account` event and is forwarded.
 *
 * Shape: developers.facebook.com/docs/whatsapp/cloud-api/webhooks/components.
 */
export interface NotificationEvent {
  /** `echo`: a message that the business sent from its phone app. */
  subject: 'message' | 'echo' | 'messageStatus' | 'account';
  /**
   * Message type (`text`, `interactive`, …), message status (`sent`, `read`, …; `payment_failed` where the status is that
   * of a payment) or the field of an account event.
   */
  kind: string;
  /** The same for every repeat that the platform sends of this event. */
  identity: string;
  /** Null for account events. */
  phoneNumberId: string | null;
  /** The business account, `entry[].id`. */
  wabaId: string | null;
  /**
   * The sender or the recipient: a phone number in digits or a user id of the platform. In a group, the
   * group's id.
   */
  contact: string | null;
  /**
   * The identities for which this event opens the customer service window, or extends it: phone number, user
   * id, parent user id, as far as the event has them. Empty if it opens none.
   */
  opensWindowOf: string[];
  /** Names that the event gives for one person: phone numbers, user ids, and earlier ones. */
  people: string[][];
  /** The platform id of the message, or of the message whose status this is. */
  wamid: string | null;
  /** The platform's own time in milliseconds. */
  occurredAt: number | null;
  /** For a `failed` status: the platform's errors, as received. */
  errors: unknown[] | null;
  /** `biz_opaque_callback_data` of the message whose status this is. */
  clientRef: string | null;
  /** A contact's message as the answer to a question; null for anything else. */
  reply: MessageReply | null;
  /** The event in the platform's envelope, alone: the bytes to forward. */
  body: string;
}

/** Far deeper than the platform nests. Thousands of levels would overflow the stack. */
const DEEPEST = 256;

/** Ten times what the platform puts into one notification. */
const MOST_EVENTS = 10_000;
/** Contacts that are sent with an event although none clearly belongs to it. */
const MOST_UNTOLD = 10;
/**
 * Characters of all its events together: each contains the shared parts, which may be as long as the whole
 * notification.
 */
const MOST_REBUILT = 32 * 1024 * 1024;

/** No id of the platform is nearly as long, and PostgreSQL takes no more than 2,704 bytes into an index. */
const LONGEST_ID = 256;
const LONGEST_IDENTITY = 512;

/** Thrown if the body is not a JSON object: nothing of it can be stored. */
export class NotANotification extends Error {
  override name = 'NotANotification';
}

/** Thrown if the body would take too much memory. */
export class TooMuchAtOnce extends Error {
  override name = 'TooMuchAtOnce';
}

/** The lists in a change's value whose items are separate events, and the subject of these. */
const LISTS = { messages: 'message', message_echoes: 'echo', statuses: 'messageStatus' } as const;

interface Found {
  entry: Json;
  /** Null if the entry has none that can be read. */
  change: Json | null;
  /**
   * The place of the event in the change's value, with the entries of the value's `contacts` that belong to
   * it; null if the whole value is the event.
   */
  place: { list: keyof typeof LISTS; item: Json; contacts: () => Json[] } | null;
}

/**
 * @throws NotANotification
 * @throws TooMuchAtOnce its message has the number of events
 */
export function readNotification(raw: Buffer): NotificationEvent[] {
  if (!isUtf8(raw)) throw new NotANotification('The body is not UTF-8');
  const text = raw.toString('utf8');
  const found = eventsIn(parse(text));
  // One event alone goes out byte for byte as it came. What has to be rebuilt is read again with its numbers kept as
  // written, so that no digit of a long id is lost.
  if (found.length <= 1) return found.map((only) => eventOf(only, text));
  const exact = parseExactly(text) as Json;
  const exactly = eventsIn(exact);
  const rebuilt = boundedJson();
  return found.map((one, index) => eventOf(one, rebuilt(envelope(exact, exactly[index] ?? one))));
}

/** Writes JSON in the platform's format, up to a total size. */
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
 * Cuts a notification to the part of one line: byte for byte unchanged if it has nothing else.
 * @returns a function of a predicate, which says whether an event of a phone number (null: of the whole
 * account) belongs to the line
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

/** The place of a change. */
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

/** The messages and statuses of a change. Echoes are known by their list: the platform sends them in fields of their own. */
function itemsIn({ field, value }: Json): Item[] {
  if (!isObject(value)) return [];
  return (Object.keys(LISTS) as (keyof typeof LISTS)[])
    .filter((list) => field === 'messages' || list === 'message_echoes')
    .flatMap((list) => objects(value[list]).map((item) => ({ list, item })));
}

function itemsOf({ value }: Json, items: Item[]): Found['place'][] {
  if (!items.length) return [null];
  const contactsOf = contactsIn(isObject(value) ? value.contacts : []);
  return items.map(({ list, item }) => ({ list, item, contacts: () => contactsOf(item) }));
}

/** Gives the contacts that belong to a message or status, found by its ids: a batch has a thousand of each. */
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
 * `type` says what a status is about: the delivery of a message where it is missing or `message`, else something that
 * belongs to the message and moves none of its states, as its payment.
 */
function statusOf(
  item: Json,
  phoneNumberId: string | null,
): Pick<NotificationEvent, 'kind' | 'identity' | 'contact' | 'opensWindowOf' | 'errors' | 'clientRef'> {
  const about = string(item.type) ?? 'message';
  const isOfDelivery = about === 'message';
  const status = string(item.status) ?? 'unknown';
  const kind = isOfDelivery ? status : `${about}_${status}`;
  // A message to a group has the same status once for each who is in it.
  const participant = string(item.recipient_participant_id) ?? string(item.recipient_participant_user_id);
  // Several payments may be tried for one message within a second.
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
  };
}

/**
 * "When a WhatsApp user messages you or calls you, a 24-hour timer called a customer service window starts" (cloud-api
 * send-messages). Reactions, taps on buttons and what the API cannot show (`unsupported`) are messages of the user;
 * `system` is the platform's own word that a number has changed. What is written in a group opens the group's window,
 * not that of each who is in it.
 */
function windowOf(item: Json, writer: string[]): string[] {
  if (item.type === 'system') return [];
  const group = idOf(item.group_id);
  return group === null ? writer : [group];
}

/** The writer of a message. For a system message: the contact whose number or user id changed, with the new one. */
function writerOf({ item, contacts: contactsOf }: NonNullable<Found['place']>, value: Json): string[] {
  const concerned = contactsOf();
  const contacts = concerned.length ? concerned : onlyContact(value);
  const { wa_id: newNumber, user_id: newUserId } = isObject(item.system) ? item.system : {};
  return identities([
    ...[item.from, item.from_user_id, item.from_parent_user_id, newNumber, newUserId],
    ...idsOf(contacts),
  ]);
}

/** The recipient of a message; in a group, the participant whose status it is. */
function receiverOf({ item, contacts }: NonNullable<Found['place']>): string[] {
  const participant = identities([item.recipient_participant_id, item.recipient_participant_user_id]);
  if (participant.length || item.recipient_type === 'group') return participant;
  return identities([
    ...[item.recipient_id, item.recipient_user_id, item.recipient_parent_user_id],
    ...[item.to, item.to_user_id, item.to_parent_user_id],
    // Not the business, which an echo names as its writer.
    ...idsOf(contacts().filter(({ wa_id: number }) => number !== item.from)),
  ]);
}

const idsOf = (contacts: Json[]): unknown[] =>
  contacts.flatMap((contact) => [contact.wa_id, contact.user_id, contact.parent_user_id]);

/** In a value with one message and one contact, that contact is the sender, whatever names the two have. */
function onlyContact({ messages, contacts }: Json): Json[] {
  const isAlone = Array.isArray(messages) && messages.length === 1;
  return isAlone && Array.isArray(contacts) && contacts.length === 1 ? objects(contacts) : [];
}

/** A user who calls opens the window, answered or not; so does one who accepts a call (calling/pricing). */
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

/** Contacts whose user id the platform changed, with the id before and the one since. */
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

/** The platform's envelope around one event: everything else is left out, what stays is unchanged. */
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
    // All of them if none clearly belongs to an event, unless they are many: each event would contain each of
    // them.
    contacts: own.length || areMany ? own : contacts,
    ...Object.fromEntries(Object.keys(LISTS).map((list) => [list, undefined])),
    [place.list]: [place.item],
  });
}

/** JSON as the platform writes it: ASCII only, everything else as `\uXXXX` with lower-case hex. */
export const asciiJson = (value: unknown): string =>
  JSON.stringify(value).replace(
    /[\u0080-\uffff]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );

const string = (value: unknown): string | null =>
  typeof value === 'string' || typeof value === 'number' ? String(value) : null;
/** Longer texts are no ids. */
function idOf(value: unknown): string | null {
  const id = string(value);
  return id !== null && id.length <= LONGEST_ID ? id : null;
}

/** The identity of the event of a message that a contact wrote. */
export const identityOfMessage = (phoneNumberId: string, wamid: string): string =>
  identityOf(['message', phoneNumberId, wamid]);

/** Parts that contain the separator are encoded, so that no two events get the same text. */
function identityOf(parts: (string | null)[]): string {
  const identity = parts
    .map((part) => (/[:%]/.test(part ?? '') ? encodeURIComponent((part ?? '').toWellFormed()) : part))
    .join(':');
  return identity.length <= LONGEST_IDENTITY ? identity : digest(identity);
}

const digest = (text: string): string => createHash('sha256').update(text).digest('hex');

/** The platform writes times as seconds, as text or as a number. */
function seconds(value: unknown): number | null {
  const number = Number(string(value) ?? Number.NaN);
  return number > 0 && number < 1e11 ? number * 1000 : null;
}
