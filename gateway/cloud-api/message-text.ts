import { isObject, objects, type Json } from './json/json-value';

/**
 * Returns the text of a contact's message, or the title of the tapped button; null if there is neither.
 * @param body event with one message, in the platform's envelope
 */
export function textOfMessage(body: string): string | null {
  const notification = JSON.parse(body) as Json;
  const [entry] = objects(notification.entry);
  const [change] = objects(entry?.changes);
  const value = isObject(change?.value) ? change.value : {};
  const [message = {}] = objects(value.messages);
  const { text, button, interactive } = message;
  const reply = isObject(interactive) ? interactive.button_reply : null;
  const said = [
    isObject(text) && text.body,
    isObject(button) && button.text,
    isObject(reply) && reply.title,
  ].find((one) => typeof one === 'string');
  return typeof said === 'string' ? said : null;
}
