import { inside, isObject, objects, parsed, type Json } from './json/json-value';

/**
 * What a message says that was sent: its text, the caption of a file, or a template's name with the values that were put
 * into it.
 * @param body of the request, as received
 * @returns null where it says nothing that can be read
 */
export function sentText(body: string): string | null {
  const read = parsed(body);
  const message = isObject(read) ? read : {};
  const part = inside(message, String(message.type));
  if (message.type === 'template')
    return [part.name, ...valuesIn(part)].filter(isText).join(' \u00b7 ') || null;
  const said = [
    part.body,
    inside(part, 'body').text,
    part.caption,
    part.emoji,
    part.name,
    part.filename,
    part.link,
  ];
  return said.find(isText) ?? null;
}

/** Of a template, in the order of its parts. */
const valuesIn = (template: Json): unknown[] =>
  objects(template.components).flatMap((component) =>
    objects(component.parameters).map(({ text, payload }) => text ?? payload),
  );

const isText = (value: unknown): value is string => typeof value === 'string' && value.trim() !== '';
