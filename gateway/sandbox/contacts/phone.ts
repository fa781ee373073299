/**
 * Routes that play the contacts, for people with `curl` and for tests: conversation, actions and identity of
 * a contact. They are not part of the platform's API: bodies are short and refusals are sentences.
 */
import { type SandboxLine } from '../platform/account';
import { addressOf, type Contact, contactEntry, type Identity } from './contact-store';
import { isNumber, isUserId } from '../platform/contact-ids';
import { contextOf, referralOf, writtenBy } from './message';
import { errorOf, lineNamed, numberOf, onlyFields, textOf, wordOf } from '../control/body';
import { ControlRefusal } from '../control/refusal';
import { type ConversationMessage, defaultName } from './conversations';
import { isObject, type JsonObject } from '../platform/json';
import { WITH_FILE } from '../platform/media-files';
import { messagesNotification, seconds } from '../platform/notifications';
import { STATUS_PATHS, type StatusPath, type StatusPathName } from './status-paths';
import { newWamid } from '../platform/wamid';
import { type ContactDeps } from './dependencies';

const NAME_MOST = 200;
/** The most messages that one status path can apply to. */
const NEXT_MOST = 1000;
/** The most contacts in one list. */
const CONTACTS_SHOWN = 1000;

/**
 * A contact writes to a line. Returns the new message's ID, and the platform's object as it is sent to the
 * callback.
 */
export async function contactWrites(
  deps: ContactDeps,
  lines: readonly SandboxLine[],
  contactPath: string,
  body: JsonObject,
): Promise<JsonObject> {
  const contact = deps.contacts.at(addressOf(contactPath));
  const line = lineNamed(lines, body.line);
  const name =
    nameOf(body.name) ??
    deps.conversations.lastWrote(line.phoneNumberId, contact.id)?.name ??
    defaultName(contact.id);
  const { conversations, media } = deps;
  const written = await writtenBy({ line, contact: contact.id, name, conversations, media }, body);
  const context = contextOf(line, written.repliesTo, body);
  const referral = referralOf(body);

  const at = deps.now();
  const id = newWamid(contact.id, 'from_contact');
  const message = {
    ...(context && { context }),
    ...(referral && { referral }),
    ...(contact.waId !== undefined && { from: contact.waId }),
    ...(contact.userId !== undefined && !written.isOfSystem && { from_user_id: contact.userId }),
    id,
    timestamp: seconds(at),
    ...written.beside,
    type: written.type,
    ...(written.content && { [written.type]: written.content }),
  };
  if (!written.isOfSystem) await deps.wrote({ line: line.phoneNumberId, contact: contact.id, name, at });
  deps.conversations.remember({
    id,
    line: line.phoneNumberId,
    contact: contact.id,
    direction: 'from_contact',
    at,
    type: written.type,
    content: written.content,
    taps: [],
    repliesTo: written.repliesTo,
    statuses: [],
  });
  const from = written.isOfSystem ? [] : [contactEntry(contact, name)];
  void deps.callbacks.send(line.phoneNumberId, messagesNotification(line, from, [message]));
  return { id, message };
}

/**
 * Sets the identity of a contact and the status path of messages to it. Omitted fields keep their value;
 * `null` removes an ID or a user name.
 */
export async function changeContact(
  deps: ContactDeps,
  contactPath: string,
  body: JsonObject,
): Promise<JsonObject> {
  onlyFields(body, ['wa_id', 'user_id', 'username', 'path', 'code', 'next']);
  const address = addressOf(contactPath);
  const path = body.path === undefined ? undefined : pathOf(body);
  if (path === undefined && (body.code !== undefined || body.next !== undefined)) {
    throw new ControlRefusal(
      '"code" and "next" belong to a "path": {"path": "failed", "code": 131026, "next": 1}.',
    );
  }
  const next = body.next === undefined ? undefined : numberOf(body.next, 'next', 1, NEXT_MOST);
  if (['wa_id', 'user_id', 'username'].some((name) => body[name] !== undefined)) {
    const identity = identityOf(deps, address, body);
    deps.contacts.identify(identity);
    await deps.keep({ identity });
  }
  if (path) deps.paths.set(deps.contacts.at(address).id, path, next);
  return shownContact(deps, deps.contacts.at(address));
}

export const showContact = (deps: ContactDeps, contactPath: string): JsonObject =>
  shownContact(deps, deps.contacts.at(addressOf(contactPath)));

const shownContact = (deps: ContactDeps, contact: Contact): JsonObject => ({
  contact: contact.id,
  wa_id: contact.waId ?? null,
  user_id: contact.userId ?? null,
  username: contact.username ?? null,
  ...deps.paths.shown(contact.id),
});

function identityOf(deps: ContactDeps, address: string, body: JsonObject): Identity {
  const known = deps.contacts.identityAt(address);
  const changed = (value: unknown, before: string | undefined, validate: (given: unknown) => string) => {
    if (value === undefined) return before;
    return value === null ? undefined : validate(value);
  };
  if (isUserId(address) && (body.wa_id !== undefined || body.user_id !== undefined)) {
    throw new ControlRefusal(
      'A contact with a number is addressed by it; one that is addressed by its user id has that alone.',
    );
  }
  const identity = {
    waId: changed(body.wa_id, known.waId, (given) => validateId(given, 'wa_id', isNumber, '551187654321')),
    userId: changed(body.user_id, known.userId, (given) =>
      validateId(given, 'user_id', isUserId, 'US.13491208655302741918'),
    ),
    username: changed(body.username, known.username, (given) => textOf(given, 'username', 60)),
  };
  return { address, ...JSON.parse(JSON.stringify(identity)) };
}

function validateId(given: unknown, name: string, isId: (id: string) => boolean, example: string): string {
  if (typeof given === 'string' && isId(given)) return given;
  throw new ControlRefusal(`"${name}" is one such as "${example}".`);
}

function pathOf(body: JsonObject): StatusPath {
  const name = wordOf(body.path, 'path', Object.keys(STATUS_PATHS) as StatusPathName[]);
  if (name !== 'failed') {
    if (body.code !== undefined) throw new ControlRefusal('"code" belongs to the path "failed".');
    return { name };
  }
  return { name, error: errorOf(body.code) };
}

/** Lists the contacts of a line, most recently active first, each with its window. */
export function listContacts(
  deps: ContactDeps,
  lines: readonly SandboxLine[],
  lineId: string | undefined,
): JsonObject {
  const line = lineNamed(lines, lineId);
  const { conversations } = deps;
  const latest = conversations.latestOf(line.phoneNumberId);
  const contacts = conversations
    .contactsOf(line.phoneNumberId)
    .slice(0, CONTACTS_SHOWN)
    .map((id) => {
      const last = conversations.lastWrote(line.phoneNumberId, id);
      const message = latest.get(id);
      return {
        contact: id,
        name: last?.name ?? null,
        last_wrote: last?.at.toISOString() ?? null,
        window: windowOf(deps, line, id),
        last_message: message ? shown(deps, line, message) : null,
      };
    });
  return { line: line.phoneNumberId, contacts };
}

/** Returns the conversation between a contact and a line, oldest message first. */
export function showConversation(
  deps: ContactDeps,
  lines: readonly SandboxLine[],
  contactPath: string,
  lineId: string | undefined,
): JsonObject {
  const contact = deps.contacts.at(addressOf(contactPath));
  const line = lineNamed(lines, lineId);
  return {
    contact: contact.id,
    name: deps.conversations.lastWrote(line.phoneNumberId, contact.id)?.name ?? null,
    line: line.phoneNumberId,
    window: windowOf(deps, line, contact.id),
    messages: deps.conversations
      .between(line.phoneNumberId, contact.id)
      .map((message) => shown(deps, line, message)),
  };
}

function windowOf(deps: ContactDeps, line: SandboxLine, contact: string): JsonObject {
  const ends = deps.conversations.windowEnds(line.phoneNumberId, contact, deps.now());
  return { open: ends !== undefined, expires_at: ends?.toISOString() ?? null };
}

const shown = (deps: ContactDeps, line: SandboxLine, message: ConversationMessage): JsonObject => ({
  id: message.id,
  direction: message.direction,
  at: message.at.toISOString(),
  type: message.type,
  ...(message.content && { [message.type]: message.content }),
  ...filesOf(deps, line, message),
  ...(message.shown !== undefined && { shown: message.shown }),
  ...(message.card && { card: message.card }),
  ...(message.taps.length > 0 && { taps: message.taps }),
  ...(message.repliesTo !== undefined && { replies_to: message.repliesTo }),
  statuses: message.statuses.map(({ messageStatus, at, error }) => ({
    status: messageStatus,
    at: at.toISOString(),
    ...(error && { code: error.code, title: error.title, details: error.details }),
  })),
});

/** Returns the stored files that a message refers to, by ID. */
function filesOf(
  { media }: ContactDeps,
  line: SandboxLine,
  { type, content }: ConversationMessage,
): JsonObject {
  const files = mediaIds({ [type]: content }).flatMap((id) => {
    const file = media.find(id, [line]);
    return file ? [[id, { mime_type: file.type, bytes: file.bytes.length }]] : [];
  });
  return files.length > 0 ? { files: Object.fromEntries(files) } : {};
}

/** Media IDs in the message, its header or its template's parameters. */
const mediaIds = (value: unknown): string[] =>
  typeof value !== 'object' || value === null
    ? []
    : Object.entries(value).flatMap(([key, inner]) => [
        ...(WITH_FILE.includes(key) && isObject(inner) && inner.id !== undefined ? [String(inner.id)] : []),
        ...mediaIds(inner),
      ]);

function nameOf(name: unknown): string | undefined {
  if (name === undefined) return undefined;
  if (typeof name === 'string' && name !== '' && name.length <= NAME_MOST) return name;
  throw new ControlRefusal(`"name" is the contact's profile name, a text of up to ${NAME_MOST} characters.`);
}
