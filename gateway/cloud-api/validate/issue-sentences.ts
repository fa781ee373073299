import { type ErrorObject } from 'ajv';
import { quoted, type ValidationIssue } from '../../errors';
import { MESSAGE_TYPES } from './message-request';

/**
 * Describes the issues of a body in sentences that say what to send instead, for readers who do not know JSON
 * Schema.
 */

/** The platform's error codes for an invalid body. */
const MISSING = 100;
const MISSING_INSIDE = 131008;
const BAD_VALUE = 131009;
const UNKNOWN_TYPE = 131051;

export const bad = (path: string, rule: string, message: string): ValidationIssue => ({
  path,
  rule,
  message,
  code: path === 'type' ? UNKNOWN_TYPE : BAD_VALUE,
});

/** @param what the purpose of the field; defaults to the purpose known for its path */
export const required = (path: string, what = WHAT[path.replaceAll(/\[\d+\]/g, '[]')]): ValidationIssue => ({
  path,
  rule: 'required',
  message: `${path} is missing: ${what ?? 'it is required here'}.`,
  code: /[.[]/.test(path) ? MISSING_INSIDE : MISSING,
});

/** Exactly one of two fields is required. */
export const notOneOf = (path: string, given: number, both: string, neither: string): ValidationIssue => ({
  path,
  rule: 'oneOf',
  message: given ? `${path} has both ${both}: keep one of them.` : `${path} needs ${neither}.`,
  code: given ? BAD_VALUE : MISSING_INSIDE,
});

/** The purpose of each field, shown if the field is missing. */
const WHAT: Record<string, string> = {
  type: Object.keys(MESSAGE_TYPES)
    .join(', ')
    .replace(/, (\w+)$/, ' or $1'),
  'text.body': 'the text to send',
  'template.name': 'the name of an approved template',
  'template.language': 'the language of the template, for example {"code": "en_US"}',
  'template.language.code': 'the language of the template, for example "en_US"',
  'template.components[].type': '"header", "body" or "button"',
  'template.components[].parameters[].type': 'the kind of value, for example "text"',
  'interactive.type': '"button" for reply buttons, "list" for a list to choose from',
  'interactive.header.type': 'the kind of header, for example "text"',
  'interactive.body': 'the text of the message, as {"text": "…"}',
  'interactive.body.text': 'the text of the message',
  'interactive.footer.text': 'the small text at the end; leave "footer" out where there is none',
  'interactive.action': 'an object with what can be tapped, as "interactive.type" needs it',
  'interactive.action.name':
    'it is the same word as "interactive.type"; for a location request "send_location"',
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
  'interactive.action.parameters': 'an object with the text on the button and what it opens',
  'interactive.action.parameters.display_text': 'the text on the button',
  'interactive.action.parameters.url': 'the web address that the button opens',
  'interactive.action.parameters.flow_cta': 'the text on the button that opens the flow',
  'interactive.action.parameters.flow_message_version': 'the version of flow messages; it is always "3"',
  'location.latitude': 'a number from -90 to 90',
  'location.longitude': 'a number from -180 to 180',
  'contacts[].name': 'the name of the contact, as {"formatted_name": "…"}',
  'contacts[].name.formatted_name': 'the whole name of the contact, as it is shown',
  'reaction.message_id': 'the id of the message that is reacted to',
  'context.message_id': 'the id of the message that is answered',
  message_id: 'the id of the inbound message that was read',
  'typing_indicator.type': 'it is always "text"',
};

/** Shows a value in a sentence: a string in quotes; for other values, their type. */
const shown = (value: unknown): string => (typeof value === 'string' ? quoted(value) : named(value));

export const EMPTY = 'is empty. Fill it in, or leave it out where it is not required.';

/** Returns the sentence for a broken schema rule. */
export function sentence({ keyword, params }: ErrorObject, value: unknown, path: string): string {
  switch (keyword) {
    case 'maxLength':
      return `has ${Array.from(value as string).length} characters; at most ${params.limit} are possible.`;
    case 'minLength':
      return EMPTY;
    case 'maxItems':
      return `has ${(value as unknown[]).length} entries; at most ${params.limit} are possible.`;
    case 'minItems':
      return 'is empty; it needs at least one entry.';
    case 'minimum':
      return `is ${String(value)}; it must be ${params.limit} or more.`;
    case 'maximum':
      return `is ${String(value)}; it must be ${params.limit} or less.`;
    case 'enum': {
      const words = (params.allowedValues as unknown[]).filter((word) => word !== null);
      return words.length === 1
        ? `is ${shown(value)}; it must be "${String(words[0])}".`
        : `is ${shown(value)}; possible: ${words.join(', ')}.`;
    }
    case 'pattern':
      return `is ${shown(value)}; ${formOf(path, value as string)}.`;
    case 'additionalProperties':
      return 'is not known here. Leave it out, or look whether its name is mistyped.';
    default:
      return wrongType(value, params.type);
  }
}

export function wrongType(value: unknown, types: string | string[]): string {
  const names = [types].flat().map((type) => TYPE_NAMES[type] ?? type);
  const others = names.slice(0, -1).join(', ');
  return `is ${shown(value)}; it must be ${others ? `${others} or ` : ''}${names.at(-1)}.`;
}

/** Describes the problem of a text in a field with a format. */
function formOf(path: string, value: string): string {
  const field = path.split('.').at(-1) ?? '';
  return FAULTS[field]?.(value) ?? FORMS[field] ?? 'it does not have the form that is needed here';
}

/** Checks with a specific sentence; null for any other problem. */
const FAULTS: Record<string, (text: string) => string | null> = {
  // Group IDs: 120363025246125486@g.us, or base64.
  to: (to) =>
    /@g\.us$|^(?!\d+$)[\w+/=-]{24,}$/.test(to) ? 'to send to a group, add "recipient_type": "group"' : null,
  link: (link) =>
    /^(data|blob|file):|^\/|^[a-z]:\\/i.test(link)
      ? 'the platform cannot open it: upload the file, and send its "id" instead'
      : faultOfAddress(link),
  url: faultOfAddress,
};

function faultOfAddress(address: string): string | null {
  if (/^\s|\s$/.test(address)) return 'it begins or ends with a space or a line break: remove that';
  if (/[^\S ]/.test(address)) return 'it contains a line break, a tab or a special space: remove that';
  if (address.includes(' ')) return 'it contains a space: write %20 instead';
  if (/^https?:\/\//i.test(address)) return 'the name of the host is missing after "://"';
  return /^https?\b/i.test(address) ? 'it needs a colon and two slashes, as in https://' : null;
}

/** The expected format of a field, with an example. */
const FORMS: Record<string, string> = {
  to: 'it must be a phone number with country code, for example 5511987654321, or a user id of the platform',
  recipient: 'it must be a user id of the platform, for example US.13491208655302741918',
  link: 'it must be a web address that starts with https:// or http://',
  url: 'it must be a web address that starts with https:// or http://',
  type: 'it must be "reply"',
  name: 'it must be the name of a template, in one line',
  code: 'it must be the code of a language, for example en_US',
  index: 'it must be the number of the button, from 0',
  latitude: 'it must be a number from -90 to 90',
  longitude: 'it must be a number from -180 to 180',
  birthday: 'it must be a date like 1990-12-31',
};

const TYPE_NAMES: Record<string, string> = {
  object: 'an object',
  array: 'a list',
  string: 'a text',
  number: 'a number',
  integer: 'a whole number',
  boolean: 'true or false',
};

function named(value: unknown): string {
  if (value === null) return 'null';
  // JSON allows numbers such as 1e999, which JavaScript cannot represent.
  if (typeof value === 'number' && !Number.isFinite(value)) return 'a number out of range';
  return TYPE_NAMES[Array.isArray(value) ? 'array' : typeof value] ?? typeof value;
}
