import { isObject } from './json/json-value';

/**
 * A template as the platform describes it, without its unreadable parts. Shape:
 * developers.facebook.com/docs/whatsapp/business-management-api/message-templates.
 */
export interface UpstreamTemplate {
  id: string | null;
  name: string;
  language: string;
  category: string;
  status: string | null;
  /** Why the platform rejected it, in its word; null if it did not. */
  rejectedReason: string | null;
  parameterFormat: string;
  qualityScore: string | null;
  /** The whole quality score with its date, as JSON; null if it is a word or missing. */
  qualityNode: string | null;
  components: TemplateComponent[];
}

/** One of the platform's `components`, with its other fields. */
export type TemplateComponent = { type: string } & Record<string, unknown>;

export const TEMPLATE_FIELDS = [
  'id',
  'name',
  'language',
  'category',
  'status',
  'parameter_format',
  'quality_score',
  'components',
] as const;

/** What a sync reads: why one was rejected is kept for the panel, and told to programs by the platform itself. */
export const SYNCED_TEMPLATE_FIELDS = [...TEMPLATE_FIELDS, 'rejected_reason'] as const;

/** The node in the platform's own shape: the stored fields, and the platform's default fields. */
export const TEMPLATE_NODE = {
  known: TEMPLATE_FIELDS as readonly string[],
  usual: ['name', 'parameter_format', 'components', 'language', 'status', 'category'],
  named: 'WhatsAppMessageTemplate',
};

export type TemplateState = 'approved' | 'pending' | 'rejected' | 'disabled';
export const TEMPLATE_STATES: readonly TemplateState[] = ['approved', 'pending', 'rejected', 'disabled'];

const STATES: Record<string, TemplateState> = {
  APPROVED: 'approved',
  FLAGGED: 'approved',
  REINSTATED: 'approved',
  PENDING: 'pending',
  IN_APPEAL: 'pending',
  REJECTED: 'rejected',
  PAUSED: 'disabled',
  DISABLED: 'disabled',
  ARCHIVED: 'disabled',
  LIMIT_EXCEEDED: 'disabled',
  PENDING_DELETION: 'disabled',
  DELETED: 'disabled',
};

/** The state for a word of the platform; null for an unknown word (it counts as pending). */
export const templateStateOf = (upstreamStatus: string): TemplateState | null =>
  STATES[upstreamStatus.toUpperCase()] ?? null;

/** The distinct placeholders of a text, in order: `["1", "2"]` of positional ones, names of named ones. */
export const placeholdersOf = (text: string): string[] => [
  ...new Set(Array.from(text.matchAll(/\{\{\s*([\w.-]+)\s*\}\}/g), ([, name]) => name as string)),
];

/** Splits a text at its placeholders, which `placeholdersOf` finds, and keeps them. */
export const PLACEHOLDER = /(\{\{\s*[\w.-]+\s*\}\})/;

/** The platform's own ceiling of a name; a language code has at most ten characters. Longer ones would be no key. */
const LONGEST_NAME = 512;
const LONGEST_LANGUAGE = 64;
const LONGEST_WORD = 256;
const LONGEST_QUALITY = 1024;

/** A carousel, the deepest of components, has ten levels. Much deeper ones would overflow the stack. */
const MOST_LEVELS = 32;

/**
 * One template of the platform's list; null if it has no name and language, by which templates are
 * identified.
 */
export function readTemplate(value: unknown): UpstreamTemplate | null {
  if (!isObject(value)) return null;
  const name = textOf(value.name, LONGEST_NAME);
  const language = textOf(value.language, LONGEST_LANGUAGE);
  if (name === null || language === null) return null;
  const { quality_score: quality } = value;
  const components = readComponents(value.components);
  return {
    id: textOf(value.id, LONGEST_WORD),
    name,
    language,
    category: textOf(value.category, LONGEST_WORD) ?? '',
    status: textOf(value.status, LONGEST_WORD),
    rejectedReason: rejectedReasonOf(value.rejected_reason),
    parameterFormat: textOf(value.parameter_format, LONGEST_WORD) ?? formatOf(components),
    qualityScore: textOf(isObject(quality) ? quality.score : quality, LONGEST_WORD),
    qualityNode: readQualityNode(quality),
    components,
  };
}

/** `NONE`: it was not rejected. */
export function rejectedReasonOf(value: unknown): string | null {
  const word = textOf(value, LONGEST_WORD);
  return word === 'NONE' ? null : word;
}

function readQualityNode(quality: unknown): string | null {
  if (!isObject(quality) || textOf(quality.score, LONGEST_WORD) === null || !isNode(quality)) return null;
  const json = JSON.stringify(quality);
  return json.length > LONGEST_QUALITY ? null : json;
}

/** The readable components: objects with a type. Their content is unchanged. */
export const readComponents = (value: unknown): TemplateComponent[] =>
  Array.isArray(value)
    ? value.filter(
        (one): one is TemplateComponent =>
          isObject(one) && typeof one.type === 'string' && hasAtMost(MOST_LEVELS, one),
      )
    : [];

/** The platform's older versions do not say whether the variables have names or numbers; the body does. */
const formatOf = (components: TemplateComponent[]): string =>
  templateParts(components).bodyVariables.some((name) => !/^\d+$/.test(name)) ? 'NAMED' : 'POSITIONAL';

/** Text, or a number as text, that every database can hold; null for anything else, nothing or too much. */
export function textOf(value: unknown, longest: number): string | null {
  if (typeof value !== 'string' && typeof value !== 'number') return null;
  const text = String(value).toWellFormed().replaceAll('\0', '');
  return text === '' || text.length > longest ? null : text;
}

/** Whether it is not nested deeper than the platform's own. */
export const isNode = (value: unknown): boolean => hasAtMost(MOST_LEVELS, value);

const hasAtMost = (levels: number, value: unknown): boolean =>
  typeof value !== 'object' ||
  value === null ||
  (levels > 0 && Object.values(value).every((inner) => hasAtMost(levels - 1, inner)));

/** One button in the words of this API. `variables` is the number of values that a send has to bring for it. */
export interface ButtonRecord {
  index: number;
  type: string;
  text: string;
  url?: string;
  phone_number?: string;
  variables: number;
}

/** What a template consists of, read from its components. `text` of a header is null if the header is a file. */
export function templateParts(components: TemplateComponent[]) {
  const part = (type: string) => components.find((component) => component.type.toUpperCase() === type);
  const header = part('HEADER');
  const format = (string(header?.format) ?? 'text').toLowerCase();
  const text = format === 'text' ? (string(header?.text) ?? '') : null;
  const body = string(part('BODY')?.text) ?? '';
  const buttons = part('BUTTONS')?.buttons;
  return {
    header: header ? { type: format, text } : null,
    body,
    footer: string(part('FOOTER')?.text),
    buttons: Array.isArray(buttons) ? buttons.map(buttonRecord) : [],
    headerVariables: placeholdersOf(text ?? ''),
    bodyVariables: placeholdersOf(body),
  };
}

/** One that cannot be read keeps its place, because a send names buttons by their place. */
function buttonRecord(value: unknown, index: number): ButtonRecord {
  const button = isObject(value) ? value : {};
  const type = (string(button.type) ?? 'unknown').toLowerCase();
  const url = string(button.url);
  const phoneNumber = string(button.phone_number);
  return {
    index,
    type,
    text: string(button.text) ?? '',
    ...(url !== null && { url }),
    ...(phoneNumber !== null && { phone_number: phoneNumber }),
    // A web address may end in a placeholder; a code is always given with the send.
    variables: ['copy_code', 'otp'].includes(type) ? 1 : placeholdersOf(url ?? '').length,
  };
}

const string = (value: unknown): string | null => (typeof value === 'string' ? value : null);
