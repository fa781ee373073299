import { inside, isObject, objects, parsed, type Json } from './json/json-value';
import { saidIn } from './written-text';

/**
 * The text of a sent message: its text, the caption of a file, or the name of a template with its values.
 * @param body of the request, as received; for messages from the phone app, the message
 * @returns null if it has no readable text
 */
export function sentText(body: string): string | null {
  const read = parsed(body);
  const message = isObject(read) ? read : {};
  const part = inside(message, String(message.type));
  if (message.type === 'template')
    return [part.name, ...valuesIn(part)].filter(isText).join(' \u00b7 ') || null;
  return saidIn(message) ?? (isText(part.link) ? part.link : null);
}

/** What an interactive message holds around its text. */
export interface SentOffer {
  header: string | null;
  footer: string | null;
  /** What its contact can choose: buttons, or the rows of a list. */
  choices: string[];
}

/**
 * The choices of a sent interactive message.
 * @param body of the request, as received
 * @returns null for every other message
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

/** The reply ids of the buttons or rows of a message to be sent; null of a message that has neither. */
export function replyIdsIn(message: object | undefined): string[] | null {
  const { action } = inside({ ...message }, 'interactive');
  const { buttons, sections } = inside({ action }, 'action');
  const ids = [
    ...objects(buttons).map((button) => inside(button, 'reply').id),
    ...objects(sections).flatMap(({ rows }) => objects(rows).map(({ id }) => id)),
  ].filter(isText);
  return ids.length ? ids : null;
}

/** The values of a template, in the order of its parts. */
const valuesIn = (template: Json): unknown[] =>
  objects(template.components).flatMap((component) =>
    objects(component.parameters).map(({ text, payload }) => text ?? payload),
  );

const isText = (value: unknown): value is string => typeof value === 'string' && value.trim() !== '';
