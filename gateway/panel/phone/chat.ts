import { messageKind } from '../ui/words/kind-words';
import { inside, isObject, textOf } from '../../cloud-api/json/json-value';
import { type PhoneMessage } from '../send/sandbox-client';

/** A message in the chat, with later changes applied. */
export interface Bubble {
  message: PhoneMessage;
  isOwn: boolean;
  /** Emoji reactions, shown beside the message. */
  reactions: { emoji: string; isOwn: boolean }[];
  /** The new text, if the contact edited the message; else null. */
  edited: string | null;
  isTakenBack: boolean;
  /** The message that this one replies to; null if unknown. */
  quoted: PhoneMessage | null;
}

/** The content of a message: `message[message.type]`, as on the platform. */
export const contentOf = (message: PhoneMessage): unknown => message[message.type];

/** Applies reactions, edits and deletions, which are separate messages, to their messages. */
export function bubblesOf(messages: readonly PhoneMessage[]): Bubble[] {
  const bubbles = new Map<string, Bubble>();
  const byId = new Map(messages.map((message) => [message.id, message]));
  for (const message of messages) {
    const content = contentOf(message);
    const isOwn = message.direction === 'from_contact';
    const target = bubbles.get(
      textOf(isObject(content) && (content.message_id ?? content.original_message_id)),
    );
    if (target && message.type === 'reaction') {
      const emoji = textOf(isObject(content) && content.emoji);
      target.reactions = target.reactions.filter((one) => one.isOwn !== isOwn);
      if (emoji && !isUndelivered(message)) target.reactions.push({ emoji, isOwn });
      continue;
    }
    if (target && message.type === 'edit') {
      target.edited = textOf(inside(inside(content, 'message'), 'text').body);
      continue;
    }
    if (target && message.type === 'revoke') {
      target.isTakenBack = true;
      continue;
    }
    bubbles.set(message.id, {
      message,
      isOwn,
      reactions: [],
      edited: null,
      isTakenBack: false,
      quoted: byId.get(message.replies_to ?? '') ?? null,
    });
  }
  return [...bubbles.values()];
}

const hasStatus = (message: PhoneMessage, status: string): boolean =>
  message.statuses.some((one) => one.status === status);

export const failureOf = (message: PhoneMessage) =>
  message.statuses.find(({ status }) => status === 'failed') ?? null;

/** Whether the message failed and never reached the phone. */
const isUndelivered = (message: PhoneMessage): boolean => failureOf(message) !== null;

export type Tick = 'waiting' | 'sent' | 'delivered' | 'read' | 'played' | 'failed';

/** The highest status of a message, in whatever order the statuses arrived. */
export function tickOf(message: PhoneMessage): Tick {
  if (isUndelivered(message)) return 'failed';
  const steps = ['played', 'read', 'delivered', 'sent'] as const;
  return steps.find((step) => hasStatus(message, step)) ?? 'waiting';
}

/** Whether the line has marked the contact's message as read. */
export const isReadByLine = (message: PhoneMessage): boolean => hasStatus(message, 'read');

const SHORT = 120;

/** A message on one line, for a quotation. */
export function summaryOf(message: PhoneMessage): string {
  const content = contentOf(message);
  const { body, caption, filename, name, text } = isObject(content) ? content : {};
  const words = [
    typeof body === 'object' ? inside(content, 'body').text : body,
    message.card?.body,
    inside(content, 'button_reply').title,
    inside(content, 'list_reply').title,
    text,
    caption,
    filename,
    message.type === 'location' && name,
  ]
    .map(textOf)
    .find(Boolean);
  const summary = words ?? messageKind(message.type);
  return summary.length > SHORT ? `${summary.slice(0, SHORT).toWellFormed()}…` : summary;
}

const UNITS = ['bytes', 'KB', 'MB'];

/** Formats 2048 as "2 KB". */
export function sizeOf(bytes: number): string {
  const unit = Math.min(bytes > 0 ? Math.floor(Math.log(bytes) / Math.log(1024)) : 0, UNITS.length - 1);
  const value = bytes / 1024 ** unit;
  return `${value < 10 && unit > 0 ? value.toFixed(1).replace('.0', '') : Math.round(value)} ${UNITS[unit]}`;
}
