import { quoted, type Fault } from '../errors';
import { bad, required } from './fault-sentences';
import { interactiveFaults } from './interactive-faults';
import { DEEPEST, depthOf } from './json-depth';
import { isAbsent, isObject, type Json } from './json-value';
import { coordinateRanges, idOrLink, noCaption } from './media-faults';
import { Base, MarkAsRead, MESSAGE_TYPES, type MessageType } from './message-request';
import { judgeBy, type Judge } from './schema-faults';
import { templateFaults } from './template-faults';

const judgeBase = judgeBy(Base);
const judgeMarkAsRead = judgeBy(MarkAsRead);
const judges = new Map<unknown, Judge>(
  Object.entries(MESSAGE_TYPES).map(([type, schema]) => [type, judgeBy(schema)]),
);

/** Whether the body asks to mark a message as read instead of sending one. */
export const asksToMarkAsRead = (body: Json): boolean => !isAbsent(body.status) && isAbsent(body.type);

/** Every fault of a send's body, in the order of its fields; none means that it can be forwarded. */
export function messageFaults(body: Json): Fault[] {
  if (asksToMarkAsRead(body)) return judgeMarkAsRead(body);
  const faults = judgeBase(body);
  if (isAbsent(body.to) && isAbsent(body.recipient))
    faults.push(required('to', 'the phone number of the recipient, with country code'));
  const judge = judges.get(body.type);
  if (!judge) return faults;
  const type = body.type as MessageType;
  const part = body[type];
  if (isAbsent(part)) {
    return [...faults, required(type, `the ${type} to send, because "type" is ${quoted(type)}`)];
  }
  const given = type === 'contacts' ? listOf(part) : part;
  if (hasMoreEntries(given))
    return [
      ...faults,
      bad(type, 'maxItems', `${type} has lists of more than ${MOST_ENTRIES} entries in all. Send fewer.`),
    ];
  return [...faults, ...judge(given, type), ...(FURTHER_RULES[type]?.(given, type) ?? [])];
}

/** Far beyond any message: more would be judged one by one, while nobody else is answered. */
const MOST_ENTRIES = 10_000;

function hasMoreEntries(part: unknown): boolean {
  let count = 0;
  const isBeyond = (value: unknown): boolean => {
    if (!Array.isArray(value)) return isObject(value) && Object.values(value).some(isBeyond);
    count += value.length;
    return count > MOST_ENTRIES || value.some(isBeyond);
  };
  return isBeyond(part);
}

/** Upstream also takes a list as JSON text, and a client (whatsapp-api-js) sends contacts so. What is none stays as it is. */
function listOf(value: unknown): unknown {
  if (typeof value !== 'string' || depthOf(value) > DEEPEST) return value;
  try {
    const read: unknown = JSON.parse(value);
    return Array.isArray(read) ? read : value;
  } catch {
    return value;
  }
}

/** What schemas cannot tell, by message type. Each is given a part whose own schema may have found faults already. */
const FURTHER_RULES: Partial<Record<MessageType, (part: unknown, path: string) => Fault[]>> = {
  image: idOrLink,
  video: idOrLink,
  audio: (part, path) => [...idOrLink(part, path), ...noCaption(part, path)],
  document: idOrLink,
  sticker: (part, path) => [...idOrLink(part, path), ...noCaption(part, path)],
  location: coordinateRanges,
  interactive: interactiveFaults,
  template: templateFaults,
};
