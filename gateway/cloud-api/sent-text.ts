import { inside, isObject, objects, parsed, type Json } from './json/json-value';
import { saidIn } from './written-text';

/**
 * Returns the text of a sent message: its text, a file's caption, or a template's name and values.
 * @param body the request as received; for messages from the phone app, the message
 * @returns null if there is no readable text
 */
export function sentText(body: string): string | null {
  const read = parsed(body);
  const message = isObject(read) ? read : {};
  const part = inside(message, String(message.type));
  if (message.type === 'template')
    return [part.name, ...valuesIn(part)].filter(isText).join(' \u00b7 ') || null;
  return saidIn(message) ?? (isText(part.link) ? part.link : null);
}

/** Texts and choices of an interactive message. */
export interface SentOffer {
  header: string | null;
  footer: string | null;
  /** Titles of its buttons or list rows. */
  choices: string[];
}

/**
 * Returns the choices of a sent interactive message.
 * @param body the request as received
 * @returns null for any other message
 */
export function sentOffer(body: string): SentOffer | null {
  const read = parsed(body);
  if (!isObject(read) || read.type !== 'interactive') return null;
  const { header, footer, action } = inside(read, 'interactive');
  const words = (of: unknown) => (isObject(of) && isText(of.text) ? of.text : null);
  const of = isObject(action) ? action : {};
  const parameters = inside(of, 'parameters');
  const choices = [
    ...objects(of.buttons).map((button) => inside(button, 'reply').title),
    ...objects(of.sections).flatMap(({ rows }) => objects(rows).map(({ title }) => title)),
    parameters.display_text,
    parameters.flow_cta,
  ];
  return { header: words(header), footer: words(footer), choices: choices.filter(isText) };
}

/** Returns the reply IDs of a message's buttons or rows; null if it has neither. */
export function replyIdsIn(message: object | undefined): string[] | null {
  const { action } = inside({ ...message }, 'interactive');
  const { buttons, sections } = inside({ action }, 'action');
  const ids = [
    ...objects(buttons).map((button) => inside(button, 'reply').id),
    ...objects(sections).flatMap(({ rows }) => objects(rows).map(({ id }) => id)),
  ].filter(isText);
  return ids.length ? ids : null;
}

/** Returns the values of a template, in the order of its parts. */
const valuesIn = (template: Json): unknown[] =>
  objects(template.components).flatMap((component) =>
    objects(component.parameters).map(({ text, payload }) => text ?? payload),
  );

const isText = (value: unknown): value is string => typeof value === 'string' && value.trim() !== '';
