import { isObject } from './json/json-value';

/**
 * A template from the platform, without its unreadable parts.
 * Format: developers.facebook.com/docs/whatsapp/business-management-api/message-templates
 */
export interface UpstreamTemplate {
  id: string | null;
  name: string;
  language: string;
  category: string;
  status: string | null;
  /** The platform's word for the reason of a rejection; null if the template was not rejected. */
  rejectedReason: string | null;
  parameterFormat: string;
  qualityScore: string | null;
  /** The quality score with its date, as JSON; null if it is a word or missing. */
  qualityNode: string | null;
  components: TemplateComponent[];
}

/** One of the platform's `components`, with all its fields. */
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

/**
 * Fields that a sync reads. `rejected_reason` is stored for the panel only; programs get it from the
 * platform.
 */
export const SYNCED_TEMPLATE_FIELDS = [...TEMPLATE_FIELDS, 'rejected_reason'] as const;

/** Fields for reads in the platform's format: the stored fields, and the platform's default fields. */
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
  // Both are announced; a locked template only cannot be edited.
  UNARCHIVED: 'approved',
  LOCKED: 'approved',
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

/** Converts the platform's status; null for an unknown word, which counts as pending. */
export const templateStateOf = (upstreamStatus: string): TemplateState | null =>
  STATES[upstreamStatus.toUpperCase()] ?? null;

/** Returns the distinct placeholders of a text in order: `["1", "2"]` if positional, otherwise names. */
export const placeholdersOf = (text: string): string[] => [
  ...new Set(Array.from(text.matchAll(/\{\{\s*([\w.-]+)\s*\}\}/g), ([, name]) => name as string)),
];

/** Splits a text at its placeholders and keeps them. */
export const PLACEHOLDER = /(\{\{\s*[\w.-]+\s*\}\})/;

/** The platform's limit for names; language codes have at most ten characters. Longer keys are rejected. */
const LONGEST_NAME = 512;
const LONGEST_LANGUAGE = 64;
const LONGEST_WORD = 256;
const LONGEST_QUALITY = 1024;

/**
 * The deepest nesting allowed. A carousel has ten levels; much deeper components would overflow the stack.
 */
const MOST_LEVELS = 32;

/** Reads a template from the platform's list; null if it lacks the name or language that identifies it. */
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

/** Returns the reason of a rejection; null for `NONE`. */
export function rejectedReasonOf(value: unknown): string | null {
  const word = textOf(value, LONGEST_WORD);
  return word === 'NONE' ? null : word;
}

function readQualityNode(quality: unknown): string | null {
  if (!isObject(quality) || textOf(quality.score, LONGEST_WORD) === null || !isNode(quality)) return null;
  const json = JSON.stringify(quality);
  return json.length > LONGEST_QUALITY ? null : json;
}

/** Returns the readable components (objects with a type), unchanged. */
export const readComponents = (value: unknown): TemplateComponent[] =>
  Array.isArray(value)
    ? value.filter(
        (one): one is TemplateComponent =>
          isObject(one) && typeof one.type === 'string' && hasAtMost(MOST_LEVELS, one),
      )
    : [];

/** Derives the parameter format from the body, because older platform versions do not report it. */
const formatOf = (components: TemplateComponent[]): string =>
  templateParts(components).bodyVariables.some((name) => !/^\d+$/.test(name)) ? 'NAMED' : 'POSITIONAL';

/**
 * Returns a string or number as text that every database can store; null for anything else, and for an empty
 * or too long text.
 */
export function textOf(value: unknown, longest: number): string | null {
  if (typeof value !== 'string' && typeof value !== 'number') return null;
  const text = String(value).toWellFormed().replaceAll('\0', '');
  return text === '' || text.length > longest ? null : text;
}

/** Whether the nesting is within the limit. */
export const isNode = (value: unknown): boolean => hasAtMost(MOST_LEVELS, value);

const hasAtMost = (levels: number, value: unknown): boolean =>
  typeof value !== 'object' ||
  value === null ||
  (levels > 0 && Object.values(value).every((inner) => hasAtMost(levels - 1, inner)));

/** A button in the terms of this API. `variables` is the number of values that a send must supply. */
export interface ButtonRecord {
  index: number;
  type: string;
  text: string;
  url?: string;
  phone_number?: string;
  variables: number;
}

/** Reads the parts of a template from its components. `text` of a header is null if the header is a file. */
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

/** Reads a button. An unreadable one is kept, because sends refer to buttons by index. */
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
    // A URL can end in a placeholder; a code is always supplied with the send.
    variables: ['copy_code', 'otp'].includes(type) ? 1 : placeholdersOf(url ?? '').length,
  };
}

const string = (value: unknown): string | null => (typeof value === 'string' ? value : null);
