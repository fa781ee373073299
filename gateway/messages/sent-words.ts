import { inside, isObject, objects, parsed, type Json } from '../cloud-api/json/json-value';
import { sentText } from '../cloud-api/sent-text';
import { PLACEHOLDER, readComponents, templateParts } from '../cloud-api/template';
import { type Store } from '../store/store';

/** The current texts of templates. */
export type Templates = ReadonlyMap<string, { header: string; body: string; footer: string | null }>;

interface Sent {
  line_id: number;
  /** The body of the send request, if it is stored. */
  body?: string | null;
  template_name?: string | null;
  template_language?: string | null;
}

/** The templates that these messages use. */
export async function templatesOf({ templates }: Pick<Store, 'templates'>, sent: Sent[]): Promise<Templates> {
  const named = new Map(
    sent.flatMap((message) => {
      const one = templateIn(message);
      return one ? [[one.key, { ...one, lineId: message.line_id }] as const] : [];
    }),
  );
  const found = await Promise.all(
    [...named.values()].map(async ({ key, lineId, name, language }) => {
      const row = await templates.find(lineId, name, language);
      if (!row) return [];
      const { header, body, footer } = templateParts(readComponents(JSON.parse(row.components)));
      return [[key, { header: header?.text ?? '', body, footer }] as const];
    }),
  );
  return new Map(found.flat());
}

/** The text of a sent message, with a template's values filled in; null if unknown. */
export function sentWords(message: Sent, templates: Templates): string | null {
  const sent = templateIn(message);
  const template = sent && templates.get(sent.key);
  if (!template) return sentText(message.body ?? '');
  const text = (part: 'header' | 'body') => filled(template[part], valuesOf(sent.part, part));
  return [text('header'), text('body')].filter(Boolean).join('\n') || sentText(message.body ?? '');
}

/** The footer of the message's template; null if there is none. */
export const sentFooter = (message: Sent, templates: Templates): string | null =>
  templates.get(templateIn(message)?.key ?? '')?.footer ?? null;

/** Name and language of the message's template. For older messages, only the body contains them. */
export function templateName(message: Sent): string | null {
  const { template_name: name, template_language: language } = message;
  const sent = name && language ? { name, language } : templateIn(message);
  return sent && `${sent.name} (${sent.language})`;
}

function templateIn({ line_id: line, body }: Sent) {
  const read = parsed(body ?? '');
  if (!isObject(read) || read.type !== 'template') return null;
  const part = inside(read, 'template');
  const { code: language } = inside(part, 'language');
  if (typeof part.name !== 'string' || typeof language !== 'string') return null;
  return { key: `${line} ${part.name} ${language}`, name: part.name, language, part };
}

/** Values by placeholder name; unnamed ones are numbered from 1. */
function valuesOf(template: Json, part: string): Map<string, string> {
  const component = objects(template.components).find(({ type }) => String(type).toLowerCase() === part);
  return new Map(
    objects(component?.parameters).flatMap(({ parameter_name: name, text }, index) =>
      typeof text === 'string' ? [[typeof name === 'string' ? name : String(index + 1), text]] : [],
    ),
  );
}

const filled = (text: string, values: Map<string, string>): string =>
  text
    .split(PLACEHOLDER)
    .map((part, index) => (index % 2 ? (values.get(part.replace(/[{}\s]/g, '')) ?? part) : part))
    .join('');
