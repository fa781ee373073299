import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv';
import { type TSchema } from 'typebox';
import { quoted, type Fault } from '../errors';
import {
  Base,
  INTERACTIVE,
  MarkAsRead,
  MESSAGE_TYPES,
  OtherInteractive,
  type MessageType,
} from './message-request';

const ajv = new Ajv({ allErrors: true, allowUnionTypes: true });
const compiled = <T extends Record<string, TSchema>>(schemas: T) =>
  new Map(Object.entries(schemas).map(([name, schema]) => [name, ajv.compile(schema)]));

const base = ajv.compile(Base);
const markAsRead = ajv.compile(MarkAsRead);
const parts = compiled(MESSAGE_TYPES);
const interactives = compiled(INTERACTIVE);
const otherInteractive = ajv.compile(OtherInteractive);

type Json = Record<string, unknown>;

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const list = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);
const at = (value: unknown, key: string): unknown => (isObject(value) ? value[key] : undefined);
const lower = (value: unknown): unknown => (typeof value === 'string' ? value.toLowerCase() : value);

/** Upstream's integers for a body that cannot be sent. */
const MISSING = 100;
const MISSING_INSIDE = 131008;
const BAD_VALUE = 131009;
const UNKNOWN_TYPE = 131051;

/** Whether the body asks to mark a message as read instead of sending one. */
export const asksToMarkAsRead = (body: Json): boolean => 'status' in body && !('type' in body);

/** Every fault of a send's body, in the order of its fields; none means that it can be forwarded. */
export function messageFaults(body: Json): Fault[] {
  if (asksToMarkAsRead(body)) return schemaFaults(markAsRead, body, '');
  const faults = schemaFaults(base, body, '');
  if (!body.to && !body.recipient)
    faults.push(required('to', 'the phone number of the recipient, with country code'));
  const type = body.type as MessageType;
  const part = parts.get(type);
  if (!part) return faults;
  if (body[type] === undefined || body[type] === null) {
    return [...faults, required(type, `the ${type} to send: "type" is ${quoted(type)}`)];
  }
  return [...faults, ...schemaFaults(part, body[type], type), ...(FURTHER_RULES[type]?.(body[type]) ?? [])];
}

/** Judges other bodies of this API in the same words: compiled once, asked for each. */
export function compileBody(schema: TSchema): (body: Json) => Fault[] {
  const validate = ajv.compile(schema);
  return (body) => schemaFaults(validate, body, '');
}

/** What schemas cannot tell, by message type. Each is given a part whose own schema may have found faults already. */
const FURTHER_RULES: Partial<Record<MessageType, (part: unknown) => Fault[]>> = {
  image: (part) => idOrLink(part, 'image'),
  video: (part) => idOrLink(part, 'video'),
  audio: (part) => [...idOrLink(part, 'audio'), ...noCaption(part, 'audio')],
  document: (part) => idOrLink(part, 'document'),
  sticker: (part) => [...idOrLink(part, 'sticker'), ...noCaption(part, 'sticker')],
  location: coordinateFaults,
  interactive: interactiveFaults,
  template: templateFaults,
};

function idOrLink(part: unknown, path: string): Fault[] {
  const given = [at(part, 'id'), at(part, 'link')].filter((value) => value !== undefined && value !== null);
  if (given.length === 1 || !isObject(part)) return [];
  const message = given.length
    ? `${path} has both "id" and "link": keep one of them.`
    : `${path} needs "id" (of an uploaded file) or "link" (its web address).`;
  return [{ path, rule: 'oneOf', message, code: given.length ? BAD_VALUE : MISSING_INSIDE }];
}

const noCaption = (part: unknown, path: string): Fault[] =>
  at(part, 'caption')
    ? [
        bad(
          `${path}.caption`,
          'unexpected',
          `${path} takes no caption. Send the text as a message of its own.`,
        ),
      ]
    : [];

function coordinateFaults(location: unknown): Fault[] {
  const limits = { latitude: 90, longitude: 180 };
  return Object.entries(limits).flatMap(([name, limit]) => {
    const value = at(location, name);
    if (typeof value !== 'string' || !(Math.abs(Number(value)) > limit)) return [];
    return [
      bad(
        `location.${name}`,
        'range',
        `location.${name} is ${quoted(value)}; it goes from -${limit} to ${limit}.`,
      ),
    ];
  });
}

function interactiveFaults(interactive: unknown): Fault[] {
  const type = lower(at(interactive, 'type'));
  if (typeof type !== 'string' || !type) return [];
  const validate = interactives.get(type) ?? otherInteractive;
  const faults = schemaFaults(validate, interactive, 'interactive');
  const action = at(interactive, 'action');
  if (type === 'button')
    faults.push(
      ...headerFaults(interactive, ['text', 'image', 'video', 'document']),
      ...buttonFaults(action),
    );
  if (type === 'list') faults.push(...headerFaults(interactive, ['text']), ...sectionFaults(action));
  return faults;
}

function headerFaults(interactive: unknown, kinds: string[]): Fault[] {
  const header = at(interactive, 'header');
  const kind = lower(at(header, 'type'));
  const path = 'interactive.header';
  if (typeof kind !== 'string' || !kind) return [];
  if (!kinds.includes(kind)) {
    return [
      bad(`${path}.type`, 'enum', `${path}.type is ${quoted(kind)}; possible here: ${kinds.join(', ')}.`),
    ];
  }
  const content = at(header, kind);
  if (kind === 'text') {
    if (typeof content !== 'string' || !content) return [required(`${path}.text`, 'the text of the header')];
    return tooLong(`${path}.text`, content, 60);
  }
  if (!isObject(content))
    return [required(`${path}.${kind}`, `the ${kind} of the header, with "id" or "link"`)];
  return idOrLink(content, `${path}.${kind}`);
}

function buttonFaults(action: unknown): Fault[] {
  const replies = list(at(action, 'buttons')).map((button) => at(button, 'reply'));
  const path = (field: string) => (index: number) => `interactive.action.buttons[${index}].reply.${field}`;
  return ['id', 'title'].flatMap((field) =>
    repeated(
      replies.map((reply) => at(reply, field)),
      path(field),
    ),
  );
}

const MOST_ROWS = 10;

function sectionFaults(action: unknown): Fault[] {
  const sections = list(at(action, 'sections'));
  const untitled = sections.flatMap((section, index) => {
    if (sections.length === 1 || !isObject(section) || section.title) return [];
    return [
      required(`interactive.action.sections[${index}].title`, 'a title, because there are several sections'),
    ];
  });
  const rows = sections.flatMap((section, s) =>
    list(at(section, 'rows')).map((row, r) => ({
      id: at(row, 'id'),
      path: `interactive.action.sections[${s}].rows[${r}].id`,
    })),
  );
  const ids = repeated(
    rows.map(({ id }) => id),
    (index) => rows[index]?.path ?? '',
  );
  if (rows.length <= MOST_ROWS) return [...untitled, ...ids];
  const message = `interactive.action.sections has ${rows.length} rows in all; at most ${MOST_ROWS} are possible.`;
  return [...untitled, bad('interactive.action.sections', 'maxRows', message), ...ids];
}

/** The field of each parameter type that holds its value. Other types pass untouched. */
const PARAMETER_VALUES = [
  'text',
  'currency',
  'date_time',
  'image',
  'video',
  'document',
  'location',
  'payload',
  'coupon_code',
  'action',
];

function templateFaults(template: unknown): Fault[] {
  return list(at(template, 'components')).flatMap((component, c) => {
    const path = `template.components[${c}]`;
    const isButton = lower(at(component, 'type')) === 'button';
    const faults = isButton
      ? ['sub_type', 'index']
          .filter((field) => at(component, field) === undefined)
          .map((field) => required(`${path}.${field}`, 'which button of the template is meant'))
      : [];
    const parameters = list(at(component, 'parameters')).flatMap((parameter, p) => {
      const type = lower(at(parameter, 'type'));
      if (typeof type !== 'string' || !PARAMETER_VALUES.includes(type)) return [];
      const value = at(parameter, type);
      if (value !== undefined && value !== null) return [];
      return [required(`${path}.parameters[${p}].${type}`, `the value, because "type" is ${quoted(type)}`)];
    });
    return [...faults, ...parameters];
  });
}

function repeated(values: unknown[], pathOf: (index: number) => string): Fault[] {
  const first = new Map<string, number>();
  return values.flatMap((value, index) => {
    if (typeof value !== 'string') return [];
    const earlier = first.get(value);
    if (earlier === undefined) {
      first.set(value, index);
      return [];
    }
    return [
      bad(
        pathOf(index),
        'unique',
        `${pathOf(index)} is ${quoted(value)}, as ${pathOf(earlier)} is already. Give each its own.`,
      ),
    ];
  });
}

function tooLong(path: string, value: string, limit: number): Fault[] {
  const length = Array.from(value).length;
  if (length <= limit) return [];
  return [bad(path, 'maxLength', `${path} has ${length} characters; at most ${limit} are possible.`)];
}

const bad = (path: string, rule: string, message: string): Fault => ({
  path,
  rule,
  message,
  code: BAD_VALUE,
});

const required = (path: string, what: string): Fault => ({
  path,
  rule: 'required',
  message: `${path} is missing: ${what}.`,
  code: /[.[]/.test(path) ? MISSING_INSIDE : MISSING,
});

function schemaFaults(validate: ValidateFunction, value: unknown, under: string): Fault[] {
  if (validate(value)) return [];
  const byPath = new Map<string, Fault>();
  for (const error of validate.errors ?? []) {
    const fault = toFault(error, value, under);
    if (!byPath.has(fault.path)) byPath.set(fault.path, fault);
  }
  return [...byPath.values()];
}

const valueAt = (root: unknown, pointer: string): unknown =>
  steps(pointer).reduce(
    (value, step) => (Array.isArray(value) ? value[Number(step)] : at(value, step)),
    root,
  );

const steps = (pointer: string): string[] =>
  pointer
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));

function dotted(under: string, pointer: string, last?: string): string {
  const inner = steps(pointer).map((step) => (/^\d+$/.test(step) ? `[${step}]` : `.${step}`));
  return `${under}${inner.join('')}${last ? `.${last}` : ''}`.replace(/^\./, '');
}

function toFault(error: ErrorObject, root: unknown, under: string): Fault {
  const { missingProperty, additionalProperty } = error.params;
  const path = dotted(under, error.instancePath, missingProperty ?? additionalProperty);
  if (error.keyword === 'required') return required(path, WHAT[path] ?? 'it is required here');
  const value = valueAt(root, error.instancePath);
  const message = `${path} ${sentence(error, value, path)}`;
  return { path, rule: error.keyword, message, code: path === 'type' ? UNKNOWN_TYPE : BAD_VALUE };
}

/** What a field that everybody meets is for, told when it is missing. */
const WHAT: Record<string, string> = {
  type: `one of ${Object.keys(MESSAGE_TYPES).join(', ')}`,
  'text.body': 'the text to send',
  'template.name': 'the name of an approved template',
  'template.language': 'the language of the template, for example {"code": "en_US"}',
  'template.language.code': 'the language of the template, for example "en_US"',
  'interactive.body': 'the text above the buttons or the list, as {"text": "…"}',
};

function sentence({ keyword, params }: ErrorObject, value: unknown, path: string): string {
  const shown = typeof value === 'string' ? quoted(value) : named(value);
  switch (keyword) {
    case 'maxLength':
      return `has ${Array.from(value as string).length} characters; at most ${params.limit} are possible.`;
    case 'minLength':
      return 'is empty. Fill it in.';
    case 'maxItems':
      return `has ${(value as unknown[]).length} entries; at most ${params.limit} are possible.`;
    case 'minItems':
      return 'is empty; it needs at least one entry.';
    case 'minimum':
    case 'maximum':
      return `is ${String(value)}; it must be ${params.comparison} ${params.limit}.`;
    case 'enum':
      return `is ${shown}; possible: ${(params.allowedValues as unknown[]).filter(Boolean).join(', ')}.`;
    case 'const':
      return `is ${shown}; it must be ${JSON.stringify(params.allowedValue)}.`;
    case 'pattern':
      return `is ${shown}; ${FORMS[path.split('.').at(-1) ?? ''] ?? 'it does not have the form that is needed here'}.`;
    case 'additionalProperties':
      return 'is not known here. Leave it out, or look whether its name is mistyped.';
    default:
      return `is ${shown}; it must be ${typesNamed(params.type)}.`;
  }
}

/** What a field with a form of its own looks like. */
const FORMS: Record<string, string> = {
  to: 'it must be a phone number with country code, for example 5511987654321, or an upstream user id',
  recipient: 'it must be an upstream user id, for example US.13491208655302741918',
  link: 'it must be a web address that starts with https:// or http://',
  type: 'it must be "reply"',
  index: 'it must be the number of the button, from 0',
  latitude: 'it must be a number from -90 to 90',
  longitude: 'it must be a number from -180 to 180',
};

const TYPE_NAMES: Record<string, string> = {
  object: 'an object',
  array: 'a list',
  string: 'a text',
  number: 'a number',
  integer: 'a whole number',
  boolean: 'true or false',
};

const typesNamed = (types: string | string[]): string =>
  [types]
    .flat()
    .map((type) => TYPE_NAMES[type] ?? type)
    .join(' or ');

const named = (value: unknown): string =>
  value === null ? 'null' : (TYPE_NAMES[Array.isArray(value) ? 'array' : typeof value] ?? typeof value);
