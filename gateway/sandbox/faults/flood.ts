/**
 * Sends many events at once: messages from contacts, and statuses of messages that the line never sent. They
 * go out in one notification or in several. The senders are the hundred numbers reserved for fiction.
 */
import { type SandboxLine } from '../platform/account';
import { numberOf } from '../control/body';
import { ControlRefusal } from '../control/refusal';
import { type ConversationMessage } from '../contacts/conversations';
import { type JsonObject } from '../platform/json';
import { batchNotification, seconds } from '../platform/notifications';
import { newWamid } from '../platform/wamid';
import { type ContactDeps } from '../contacts/dependencies';

/** The platform's limit for one notification. */
const UPDATES_MOST = 1000;

const FICTION = 100;

/** Cycles through 12025550100 to 12025550199. */
const numberAt = (index: number): string => `120255501${String(index % FICTION).padStart(2, '0')}`;
const nameAt = (index: number): string => `Contact ${(index % FICTION) + 1}`;

/** Returns the number of updates and notifications. */
export async function flood(deps: ContactDeps, line: SandboxLine, body: JsonObject): Promise<JsonObject> {
  const messages = numberOf(body.messages ?? 0, 'messages', 0, UPDATES_MOST);
  const statuses = numberOf(body.statuses ?? 0, 'statuses', 0, UPDATES_MOST);
  const updates = messages + statuses;
  if (updates < 1 || updates > UPDATES_MOST) {
    throw new ControlRefusal(
      `"messages" and "statuses" are 1 to ${UPDATES_MOST} together, for example {"messages": 600, "statuses": 400}.`,
    );
  }
  const notifications = numberOf(body.notifications ?? 1, 'notifications', 1, updates);

  const at = deps.now();
  const written = Array.from({ length: messages }, (_, index) => messageAt(line, index, messages, at));
  const reports = Array.from({ length: statuses }, (_, index) => reportAt(index, at));
  await deps.wrote(
    ...written.map(({ contact }, index) => ({ line: line.phoneNumberId, contact, name: nameAt(index), at })),
  );
  written.forEach((message) => deps.conversations.remember(message));

  const size = Math.ceil(updates / notifications);
  let sent = 0;
  for (let start = 0; start < updates; start += size) {
    const part = written.slice(start, start + size);
    const rest = reports.slice(Math.max(start - messages, 0), Math.max(start + size - messages, 0));
    void deps.callbacks.send(
      line.phoneNumberId,
      batchNotification(line, sendersOf(part, start), part.map(shown), rest),
    );
    sent += 1;
  }
  return { messages, statuses, notifications: sent };
}

const messageAt = (line: SandboxLine, index: number, count: number, at: Date): ConversationMessage => ({
  id: newWamid(numberAt(index), 'from_contact'),
  line: line.phoneNumberId,
  contact: numberAt(index),
  direction: 'from_contact',
  at,
  type: 'text',
  content: { body: `Message ${index + 1} of ${count}` },
  taps: [],
  statuses: [],
});

const shown = ({ id, contact, at, content }: ConversationMessage): JsonObject => ({
  from: contact,
  id,
  timestamp: seconds(at),
  type: 'text',
  text: content,
});

const reportAt = (index: number, at: Date): JsonObject => ({
  id: newWamid(numberAt(index), 'to_contact'),
  status: 'delivered',
  timestamp: seconds(at),
  recipient_id: numberAt(index),
});

/** Lists each sender once. */
const sendersOf = (messages: readonly ConversationMessage[], start: number): JsonObject[] =>
  messages
    .slice(0, FICTION)
    .map(({ contact }, index) => ({ profile: { name: nameAt(start + index) }, wa_id: contact }));
