/**
 * The contacts' side of the sandbox, for a person with `curl` and for tests: what a contact sees of its conversation
 * with a line, and what it does. It is not upstream's; bodies are short and refusals are sentences.
 */
import { type SandboxLine } from './account';
import { contextOf, writtenBy } from './contact-message';
import { ControlRefusal } from './control-refusal';
import { type ConversationMessage } from './conversations';
import { isObject, type JsonObject } from './json';
import { messageNotification, seconds } from './notifications';
import { newWamid } from './wamid';
import { type World } from './world';

const DEFAULT_NAME = 'Sandbox Contact';
const NAME_MOST = 200;

/** What there is to play with. */
export function showSandbox(lines: readonly SandboxLine[]): JsonObject {
  return {
    sandbox: 'A simulated upstream. Nothing that is sent here reaches a real phone.',
    lines: lines.map((line) => ({
      line: line.phoneNumberId,
      phone_number: line.displayPhoneNumber,
      name: line.verifiedName,
    })),
    routes: {
      'GET /sandbox/contacts/{number}/messages': 'the conversation, as the contact sees it',
      'POST /sandbox/contacts/{number}/messages':
        'the contact writes {"text": "Hello"}, taps {"button": "title or id"} or chooses {"row": "title or id"}; ' +
        'with "message": "wamid.…" it answers that message, "name" is its profile name, "line" the phone number id ' +
        'of the line, not needed where there is only one',
    },
  };
}

/**
 * A contact writes to a line. Answers `{id, message}`: the id of the new message and upstream's object of it, which is
 * on its way to the callback.
 */
export async function contactWrites(
  world: World,
  lines: readonly SandboxLine[],
  contactPath: string,
  body: unknown,
): Promise<JsonObject> {
  const contact = contactOf(contactPath);
  if (!isObject(body)) {
    throw new ControlRefusal('The body is to be a JSON object, for example {"text": "Hello"}.');
  }
  const line = lineNamed(lines, body.line);
  const written = writtenBy({ line, contact, conversations: world.conversations }, body);
  const name =
    nameOf(body.name) ?? world.conversations.lastWrote(line.phoneNumberId, contact)?.name ?? DEFAULT_NAME;

  const at = world.now();
  const id = newWamid(contact, 'from_contact');
  const message = {
    ...(written.repliesTo && { context: contextOf(line, written.repliesTo) }),
    from: contact,
    id,
    timestamp: seconds(at),
    type: written.type,
    [written.type]: written.content,
  };
  await world.wrote({ line: line.phoneNumberId, contact, name, at });
  world.conversations.remember({
    id,
    line: line.phoneNumberId,
    contact,
    direction: 'from_contact',
    at,
    type: written.type,
    content: written.content,
    taps: [],
    repliesTo: written.repliesTo,
    statuses: [],
  });
  world.callbacks.send(line.phoneNumberId, messageNotification(line, { contact, name }, message));
  return { id, message };
}

/** The conversation between a contact and a line, oldest message first. */
export function showConversation(
  world: World,
  lines: readonly SandboxLine[],
  contactPath: string,
  lineId: string | undefined,
): JsonObject {
  const contact = contactOf(contactPath);
  const line = lineNamed(lines, lineId);
  const ends = world.conversations.windowEnds(line.phoneNumberId, contact, world.now());
  return {
    contact,
    name: world.conversations.lastWrote(line.phoneNumberId, contact)?.name ?? null,
    line: line.phoneNumberId,
    window: { open: ends !== undefined, expires_at: ends?.toISOString() ?? null },
    messages: world.conversations.between(line.phoneNumberId, contact).map(shown),
  };
}

const shown = (message: ConversationMessage): JsonObject => ({
  id: message.id,
  direction: message.direction,
  at: message.at.toISOString(),
  type: message.type,
  [message.type]: message.content,
  ...(message.shown !== undefined && { shown: message.shown }),
  ...(message.taps.length > 0 && { taps: message.taps }),
  ...(message.repliesTo !== undefined && { replies_to: message.repliesTo }),
  statuses: message.statuses.map(({ messageStatus, at }) => ({
    status: messageStatus,
    at: at.toISOString(),
  })),
});

/** A contact is a number with its country code; "+", spaces and such are left out of it. */
function contactOf(path: string): string {
  const digits = path.replace(/[+ ()-]/g, '');
  if (!/^\d{5,20}$/.test(digits)) {
    throw new ControlRefusal(
      'A contact is a telephone number with its country code, for example 12025550147.',
    );
  }
  return digits;
}

/** The line by its phone number id; the only one needs no naming. */
function lineNamed(lines: readonly SandboxLine[], id: unknown): SandboxLine {
  if (id === undefined && lines.length === 1) return lines[0];
  const line = lines.find((each) => each.phoneNumberId === id);
  if (line) return line;
  if (lines.length === 0) throw new ControlRefusal('There is no line yet that a contact could write to.');
  const there = lines
    .map((each) => `${each.phoneNumberId} (${each.verifiedName}, ${each.displayPhoneNumber})`)
    .join(', ');
  throw new ControlRefusal(
    id === undefined
      ? `There are several lines; name one as "line": ${there}.`
      : `There is no line ${JSON.stringify(id)}; "line" is the phone number id, one of ${there}.`,
  );
}

function nameOf(name: unknown): string | undefined {
  if (name === undefined) return undefined;
  if (typeof name === 'string' && name !== '' && name.length <= NAME_MOST) return name;
  throw new ControlRefusal(`"name" is the contact's profile name, a text of up to ${NAME_MOST} characters.`);
}
