import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv';
import { type TSchema } from 'typebox';
import { MOST_FAULTS, quoted, type Fault } from '../errors';
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
const isAbsent = (value: unknown): boolean => value === undefined || value === null;
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
  if (isAbsent(body.to) && isAbsent(body.recipient))
    faults.push(required('to', 'the phone number of the recipient, with country code'));
  const type = body.type as MessageType;
  const part = parts.get(type);
  if (!part) return faults;
  if (isAbsent(body[type])) {
    return [...faults, required(type, `the ${type} to send, because "type" is ${quoted(type)}`)];
  }
  const given = type === 'contacts' ? listOf(body.contacts) : body[type];
  return [...faults, ...schemaFaults(part, given, type), ...(FURTHER_RULES[type]?.(given) ?? [])];
}

/** Upstream also takes a list as JSON text, and a client (whatsapp-api-js) sends contacts so. What is none stays as it is. */
function listOf(value: unknown): unknown {
  if (typeof value !== 'string') return value;
  try {
    const read: unknown = JSON.parse(value);
    return Array.isArray(read) ? read : value;
  } catch {
    return value;
  }
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
  const given = [at(part, 'id'), at(part, 'link')].filter((value) => !isAbsent(value));
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
  if (type === 'button') {
    const header = headerFaults(interactive, ['text', 'image', 'video', 'document']);
    return [...faults, ...header, ...buttonFaults(action)];
  }
  if (type === 'list') return [...faults, ...headerFaults(interactive, ['text']), ...sectionFaults(action)];
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
  const media = parts.get(kind);
  if (!media || isAbsent(content))
    return [required(`${path}.${kind}`, `the ${kind} of the header, with "id" or "link"`)];
  return [...schemaFaults(media, content, `${path}.${kind}`), ...idOrLink(content, `${path}.${kind}`)];
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

/**
 * The parameter types that the gateway knows: the field of that name holds the value, a single one or an object. Real
 * clients write single ones as text, number or true and false. Other types pass untouched.
 */
const PARAMETER_VALUES: Record<string, 'single' | 'object'> = {
  text: 'single',
  payload: 'single',
  coupon_code: 'single',
  currency: 'object',
  date_time: 'object',
  image: 'object',
  video: 'object',
  document: 'object',
  location: 'object',
  action: 'object',
};

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
      if (typeof type !== 'string' || !Object.hasOwn(PARAMETER_VALUES, type)) return [];
      return parameterFaults(`${path}.parameters[${p}].${type}`, type, at(parameter, type));
    });
    return [...faults, ...parameters];
  });
}

function parameterFaults(path: string, type: string, value: unknown): Fault[] {
  if (isAbsent(value)) return [required(path, `the value, because "type" is ${quoted(type)}`)];
  const needed = PARAMETER_VALUES[type];
  if (needed === 'object' ? isObject(value) : typeof value !== 'object') return [];
  const name = TYPE_NAMES[needed === 'object' ? 'object' : 'string'];
  return [bad(path, 'type', `${path} is ${shown(value)}; it must be ${name}.`)];
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
  for (const error of validate.errors?.slice(0, MOST_FAULTS) ?? []) {
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
  if (error.keyword === 'required')
    return required(path, WHAT[path.replaceAll(/\[\d+\]/g, '[]')] ?? 'it is required here');
  const value = valueAt(root, error.instancePath);
  const message = `${path} ${sentence(error, value, path)}`;
  return { path, rule: error.keyword, message, code: path === 'type' ? UNKNOWN_TYPE : BAD_VALUE };
}

/** What a field is for, told when it is missing. */
const WHAT: Record<string, string> = {
  type: `one of ${Object.keys(MESSAGE_TYPES).join(', ')}`,
  'text.body': 'the text to send',
  'template.name': 'the name of an approved template',
  'template.language': 'the language of the template, for example {"code": "en_US"}',
  'template.language.code': 'the language of the template, for example "en_US"',
  'template.components[].type': '"header", "body" or "button"',
  'template.components[].parameters[].type': 'the kind of value, for example "text"',
  'interactive.type': '"button" for reply buttons, "list" for a list to choose from',
  'interactive.header.type': 'the kind of header, for example "text"',
  'interactive.body': 'the text above the buttons or the list, as {"text": "…"}',
  'interactive.body.text': 'the text above the buttons or the list',
  'interactive.footer.text': 'the small text at the end; leave "footer" out where there is none',
  'interactive.action': 'an object with the buttons or the list',
  'interactive.action.buttons': 'a list of one to three buttons',
  'interactive.action.buttons[].type': 'it is always "reply"',
  'interactive.action.buttons[].reply': 'the button, as {"id": "…", "title": "…"}',
  'interactive.action.buttons[].reply.id': 'a word of yours that comes back when the button is tapped',
  'interactive.action.buttons[].reply.title': 'the text on the button',
  'interactive.action.button': 'the text on the button that opens the list',
  'interactive.action.sections': 'a list of one to ten sections, each with its rows',
  'interactive.action.sections[].rows': 'a list of the rows to choose from',
  'interactive.action.sections[].rows[].id': 'a word of yours that comes back when the row is chosen',
  'interactive.action.sections[].rows[].title': 'the text of the row',
  'location.latitude': 'a number from -90 to 90',
  'location.longitude': 'a number from -180 to 180',
  'reaction.message_id': 'the id of the message that is reacted to',
  'context.message_id': 'the id of the message that is answered',
  message_id: 'the id of the inbound message that was read',
};

const shown = (value: unknown): string => (typeof value === 'string' ? quoted(value) : named(value));

function sentence({ keyword, params }: ErrorObject, value: unknown, path: string): string {
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
      return `is ${String(value)}; it must be ${params.limit} or more.`;
    case 'maximum':
      return `is ${String(value)}; it must be ${params.limit} or less.`;
    case 'enum':
      return `is ${shown(value)}; possible: ${(params.allowedValues as unknown[]).filter(Boolean).join(', ')}.`;
    case 'const':
      return `is ${shown(value)}; it must be ${JSON.stringify(params.allowedValue)}.`;
    case 'pattern':
      return `is ${shown(value)}; ${FORMS[path.split('.').at(-1) ?? ''] ?? 'it does not have the form that is needed here'}.`;
    case 'additionalProperties':
      return 'is not known here. Leave it out, or look whether its name is mistyped.';
    default:
      return `is ${shown(value)}; it must be ${typesNamed(params.type)}.`;
  }
}

/** What a field with a form of its own looks like. */
const FORMS: Record<string, string> = {
  to: 'it must be a phone number with country code, for example 5511987654321, or an upstream user id',
  recipient: 'it must be an upstream user id, for example US.13491208655302741918',
  link: 'it must be a web address that starts with https:// or http://',
  type: 'it must be "reply"',
  name: 'it must be the name of a template, in one line',
  code: 'it must be the code of a language, for example en_US',
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
