import { quoted, type ValidationIssue } from '../../errors';
import { bad, required } from './issue-sentences';
import { interactiveIssues } from './interactive-issues';
import { DEEPEST, depthOf } from '../json/json-depth';
import { isAbsent, isObject, parsed, type Json } from '../json/json-value';
import { coordinateRanges, idOrLink, noCaption } from './media-issues';
import { Base, GroupBase, isToGroup, MarkAsRead, MESSAGE_TYPES, type MessageType } from './message-request';
import { validatorOf, type Validator } from './schema-issues';
import { templateIssues } from './template-issues';

const validateBase = validatorOf(Base);
const validateGroupBase = validatorOf(GroupBase);
const validateMarkAsRead = validatorOf(MarkAsRead);
const validators = new Map<unknown, Validator>(
  Object.entries(MESSAGE_TYPES).map(([type, schema]) => [type, validatorOf(schema)]),
);

/** Whether the body asks to mark a message as read instead of sending one. */
export const asksToMarkAsRead = (body: Json): boolean => !isAbsent(body.status) && isAbsent(body.type);

/** All issues of a send's body, in the order of its fields. Without any it can be forwarded. */
export function validateMessage(body: Json): ValidationIssue[] {
  if (asksToMarkAsRead(body)) return validateMarkAsRead(body);
  const isGroup = isToGroup(body);
  const issues = isGroup ? validateGroupBase(body) : validateBase(body);
  if (isAbsent(body.to) && (isGroup || isAbsent(body.recipient)))
    issues.push(
      required(
        'to',
        isGroup ? 'the id of the group' : 'the phone number of the recipient, with country code',
      ),
    );
  const validate = validators.get(body.type);
  if (!validate) return issues;
  const type = body.type as MessageType;
  const part = body[type];
  if (isAbsent(part)) {
    return [...issues, required(type, `the ${type} to send, because "type" is ${quoted(type)}`)];
  }
  const given = type === 'contacts' ? listOf(part) : part;
  if (hasMoreEntries(given))
    return [
      ...issues,
      bad(type, 'maxItems', `${type} has lists of more than ${MAX_ENTRIES} entries in all. Send fewer.`),
    ];
  return [...issues, ...validate(given, type), ...(BEYOND_SCHEMA[type]?.(given, type) ?? [])];
}

/** Far more than any message has. To validate more, one by one, would block every other request. */
const MAX_ENTRIES = 10_000;

function hasMoreEntries(part: unknown): boolean {
  let count = 0;
  const isBeyond = (value: unknown): boolean => {
    if (!Array.isArray(value)) return isObject(value) && Object.values(value).some(isBeyond);
    count += value.length;
    return count > MAX_ENTRIES || value.some(isBeyond);
  };
  return isBeyond(part);
}

/**
 * The platform also takes a list as JSON text, and a client (whatsapp-api-js) sends contacts so. What is none stays as
 * it is.
 */
function listOf(value: unknown): unknown {
  if (typeof value !== 'string' || depthOf(value) > DEEPEST) return value;
  const read = parsed(value);
  return Array.isArray(read) ? read : value;
}

/** What a schema cannot express, by message type. The part may have issues by its schema already. */
const BEYOND_SCHEMA: Partial<Record<MessageType, (part: unknown, path: string) => ValidationIssue[]>> = {
  image: idOrLink,
  video: idOrLink,
  audio: (part, path) => [...idOrLink(part, path), ...noCaption(part, path)],
  document: idOrLink,
  sticker: (part, path) => [...idOrLink(part, path), ...noCaption(part, path)],
  location: coordinateRanges,
  interactive: interactiveIssues,
  template: templateIssues,
};
