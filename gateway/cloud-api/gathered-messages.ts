import { parseExactly } from './json/exact-json';
import { entries, isObject, objects, type Json } from './json/json-value';
import { asciiJson } from './notification';

/**
 * Combines messages of one contact into one notification, in order, like the platform does.
 * @param bodies notifications of one message each, all of the same line
 */
export function oneNotificationOf(bodies: string[]): {
  body: string;
  phone_number_id: string | null;
  waba_id: string | null;
} {
  const notifications = bodies.map((body) => parseExactly(body) as Json);
  const values = notifications.map(valueOf);
  const [envelope = {}] = notifications;
  const [value = {}] = values;
  const [entry = {}] = objects(envelope.entry);
  const [change = {}] = objects(entry.changes);
  const metadata = isObject(value.metadata) ? value.metadata : {};
  const together = {
    ...value,
    contacts: contactsOf(values),
    messages: values.flatMap(({ messages }) => entries(messages)),
  };
  const text = (id: unknown) => (typeof id === 'string' ? id : null);
  return {
    body: asciiJson({
      ...envelope,
      entry: [{ ...entry, changes: [{ ...change, value: together }] }],
    }),
    phone_number_id: text(metadata.phone_number_id),
    waba_id: text(entry.id),
  };
}

function valueOf(notification: Json): Json {
  const [entry] = objects(notification.entry);
  const [change] = objects(entry?.changes);
  return isObject(change?.value) ? change.value : {};
}

/** Returns each contact once, with its latest data. */
function contactsOf(values: Json[]): Json[] {
  const told = values.flatMap(({ contacts }) => objects(contacts));
  const byId = new Map(
    told.map((contact) => [`${String(contact.wa_id)} ${String(contact.user_id)}`, contact]),
  );
  return [...byId.values()];
}
