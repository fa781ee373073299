/**
 * Actions of a contact besides writing: send a location, a contact card or an order; react to a message; edit
 * or delete its own message; change its number; send types that the API does not deliver.
 * https://developers.facebook.com/documentation/business-messaging/whatsapp/webhooks/reference/messages/location
 * and its sibling pages
 */
import { isNumber } from '../platform/contact-ids';
import { type Phone, type Written } from './written';
import { objectOf, onlyFields, textOf } from '../control/body';
import { ControlRefusal } from '../control/refusal';
import { type ConversationMessage } from './conversations';
import { isObject } from '../platform/json';
import { type Direction } from '../platform/wamid';

export const TEXT_MOST = 4096;
const CARDS_MOST = 250;

export function sendLocation(_phone: Phone, value: unknown, repliesTo: string | undefined): Written {
  const location = objectOf(value, 'location');
  onlyFields(location, ['latitude', 'longitude', 'name', 'address', 'url']);
  const { latitude, longitude, ...more } = location;
  const texts = Object.entries(more).map(([name, text]) => [name, textOf(text, name, 1000)]);
  return {
    type: 'location',
    content: {
      ...Object.fromEntries(texts),
      latitude: degrees(latitude, 'latitude', 90),
      longitude: degrees(longitude, 'longitude', 180),
    },
    repliesTo,
  };
}

function degrees(value: unknown, name: string, most: number): number {
  if (typeof value === 'number' && Math.abs(value) <= most) return value;
  throw new ControlRefusal(`"${name}" is a number from -${most} to ${most}.`);
}

/** Sends cards in the platform's format. Each needs a `name` with a `formatted_name`. */
export function shareContacts(_phone: Phone, value: unknown, repliesTo: string | undefined): Written {
  const cards = Array.isArray(value) ? value : [value];
  const areCards =
    cards.length >= 1 &&
    cards.length <= CARDS_MOST &&
    cards.every(
      (card) => isObject(card) && isObject(card.name) && typeof card.name.formatted_name === 'string',
    );
  if (areCards) return { type: 'contacts', content: cards, repliesTo };
  throw new ControlRefusal(
    '"contacts" is a list of cards, each with a name and perhaps phones: ' +
      '[{"name": {"formatted_name": "Ana Lima", "first_name": "Ana"}, "phones": [{"phone": "+1 202-555-0163"}]}].',
  );
}

/** Reacts with an emoji, or removes the reaction with "". Defaults to the line's newest message. */
export function react(phone: Phone, value: unknown, message: string | undefined): Written {
  if (typeof value !== 'string' || value.length > 40) {
    throw new ControlRefusal('"reaction" is an emoji; an empty text takes the reaction back.');
  }
  const id = message ?? newest(phone, 'to_contact')?.id;
  if (id === undefined) throw nothingThere(phone, 'the line sent');
  return { type: 'reaction', content: { message_id: id, ...(value !== '' && { emoji: value }) } };
}

const SAMPLE_ORDER = {
  catalog_id: '194836987003835',
  text: '',
  product_items: [
    { product_retailer_id: 'di9ozbzfi4', quantity: 2, item_price: 30, currency: 'USD' },
    { product_retailer_id: 'nqryix03ez', quantity: 1, item_price: 25, currency: 'USD' },
  ],
};

/** Sends an order. `value` is `true` for a sample, or the platform's object. */
export function orderProducts(_phone: Phone, value: unknown, repliesTo: string | undefined): Written {
  const order = value === true ? SAMPLE_ORDER : objectOf(value, 'order');
  const { product_items: items } = order;
  if (!Array.isArray(items) || items.length === 0 || !items.every(isObject)) {
    throw new ControlRefusal(
      '"order" is true for a sample, or an object with "catalog_id" and "product_items".',
    );
  }
  return { type: 'order', content: order, repliesTo };
}

/** Changes the text of the contact's given message; defaults to its newest text. */
export function editText(phone: Phone, value: unknown, message: string | undefined): Written {
  const body = textOf(value, 'edit', TEXT_MOST);
  const id = message ?? newest(phone, 'from_contact', 'text')?.id;
  if (id === undefined) throw nothingThere(phone, 'the contact wrote');
  const edited = { context: { id }, type: 'text', text: { body } };
  return { type: 'edit', content: { original_message_id: id, message: edited } };
}

/** Deletes the contact's given message; defaults to its newest. */
export function deleteMessage(phone: Phone, value: unknown, message: string | undefined): Written {
  if (value !== true)
    throw new ControlRefusal('"delete" is true; "message" is the id of the message to delete.');
  const id = message ?? newest(phone, 'from_contact')?.id;
  if (id === undefined) throw nothingThere(phone, 'the contact wrote');
  return { type: 'revoke', content: { original_message_id: id } };
}

/** Changes the contact's number. The new number, in digits, is another contact for later requests. */
export function changeNumber({ contact, name }: Phone, value: unknown): Written {
  if (typeof value !== 'string' || !isNumber(value) || !isNumber(contact)) {
    throw new ControlRefusal(
      '"number_change" is the new number of a contact that has one, in digits: {"number_change": "12025550199"}.',
    );
  }
  const body = `User ${name} changed from ${contact} to ${value}`;
  return {
    type: 'system',
    content: { body, wa_id: value, type: 'user_changed_number' },
    isOfSystem: true,
  };
}

const UNKNOWN_KIND = 131051;

/** Sends a type that the API does not deliver. `value` is `true` or the name of the type, such as "poll". */
export function sendUnsupported(_phone: Phone, value: unknown): Written {
  const kind = value === true ? undefined : textOf(value, 'unsupported', 40);
  const title = 'Message type unknown';
  const details = 'Message type is currently not supported.';
  const errors = [{ code: UNKNOWN_KIND, title, message: title, error_data: { details } }];
  return { type: 'unsupported', ...(kind !== undefined && { content: { type: kind } }), beside: { errors } };
}

const newest = (
  { conversations, line, contact }: Phone,
  direction: Direction,
  type?: string,
): ConversationMessage | undefined =>
  conversations
    .between(line.phoneNumberId, contact)
    .findLast((each) => each.direction === direction && (type === undefined || each.type === type));

const nothingThere = ({ contact }: Phone, what: string): ControlRefusal =>
  new ControlRefusal(
    `Nothing that ${what} is known of ${contact} since the sandbox was started; say which with "message".`,
  );
