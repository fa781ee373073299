import { quoted, type ValidationIssue } from '../../errors';
import { asRead } from './as-read';
import { bad, required } from './issue-sentences';
import { interactiveIssues } from './interactive-issues';
import { isAbsent, isObject, type Json } from '../json/json-value';
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

/** Whether the body marks a message as read instead of sending one. */
export const asksToMarkAsRead = (body: Json): boolean => !isAbsent(body.status) && isAbsent(body.type);

/**
 * Returns all issues of a send's body, in the order of its fields. The body can be sent if there are none.
 */
export function validateMessage(given: Json): ValidationIssue[] {
  if (asksToMarkAsRead(given)) return validateMarkAsRead(given);
  const body = asRead(given);
  const isGroup = isToGroup(body);
  const issues = isGroup ? validateGroupBase(body) : validateBase(body);
  const untyped = issues.find(({ path, rule }) => path === 'type' && rule === 'required');
  if (untyped) untyped.message = typeMissing(body) ?? untyped.message;
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
  if (hasMoreEntries(part))
    return [
      ...issues,
      bad(type, 'maxItems', `${type} has lists of more than ${MAX_ENTRIES} entries in all. Send fewer.`),
    ];
  return [...issues, ...validate(part, type), ...(BEYOND_SCHEMA[type]?.(part, type) ?? [])];
}

/** Advises on a missing type from the parts in the body. The platform would treat the message as text. */
function typeMissing(body: Json): string | undefined {
  const type = Object.keys(MESSAGE_TYPES).find((one) => !isAbsent(body[one]));
  return type && `type is missing: add "type": ${quoted(type)} beside ${quoted(type)}.`;
}

/** Far more entries than any message has. Validating more would block other requests. */
const MAX_ENTRIES = 2_000;

function hasMoreEntries(part: unknown): boolean {
  let count = 0;
  const isBeyond = (value: unknown): boolean => {
    if (!Array.isArray(value)) return isObject(value) && Object.values(value).some(isBeyond);
    count += value.length;
    return count > MAX_ENTRIES || value.some(isBeyond);
  };
  return isBeyond(part);
}

/** Checks that a schema cannot express, by message type. The part may already have schema issues. */
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
