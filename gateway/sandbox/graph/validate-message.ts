/**
 * Validates the body of a send like the platform: one problem at a time, with the platform's codes and texts.
 * Problems that the platform finds only later (closed window, dead number, unreachable file) are not checked;
 * the message is accepted and a status reports the failure.
 * https://developers.facebook.com/documentation/business-messaging/whatsapp/reference/whatsapp-business-phone-number/message-api
 * Omitted on purpose: whether a linked file exists, and the content of flows, products and contact cards.
 */
import { type AcceptedMessage, type Tap } from '../contacts/accepted-message';
import { isNumber, isUserId } from '../platform/contact-ids';
import {
  insideMissing,
  parameterInvalid,
  parameterMissing,
  parameterNotObject,
  parameterNotOneOf,
  parameterNotText,
  parameterTooLong,
  valueInvalid,
} from '../platform/errors';
import { isMissing, isObject, type JsonObject, lengthOf } from '../platform/json';
import { validateTemplate } from './validate-template';
import { type Template } from '../templates/starter-templates';

const TEXT_MOST = 4096;
const INTERACTIVE_BODY_MOST = 1024;
const FOOTER_MOST = 60;
const TITLE_MOST = 20;
const BUTTON_ID_MOST = 256;
const BUTTONS_MOST = 3;
const SECTIONS_MOST = 10;
const ROWS_MOST = 10;
const ROW_ID_MOST = 200;
const ROW_TITLE_MOST = 24;
const ROW_DESCRIPTION_MOST = 72;
const CALLBACK_DATA_MOST = 512;

/** Validators by message type, in the platform's order of types. */
const VALIDATORS: Record<string, (content: JsonObject) => Tap[]> = {
  audio: (content) => validateMedia('audio', content),
  contacts: () => [],
  document: (content) => validateMedia('document', content),
  image: (content) => validateMedia('image', content),
  interactive: validateInteractive,
  location: validateLocation,
  reaction: validateReaction,
  sticker: (content) => validateMedia('sticker', content),
  template: () => [],
  text: validateText,
  video: (content) => validateMedia('video', content),
};

/** Returns the message in `body`; throws the platform's refusal if it is invalid. */
export function validateMessage(body: JsonObject, templates: readonly Template[]): AcceptedMessage {
  validateProduct(body);
  const isGroup = body.recipient_type === 'group';
  const input = isGroup ? groupOf(body) : destination(body);
  const type = typeOf(body.type);
  const callbackData = body.biz_opaque_callback_data;
  if (typeof callbackData === 'string' && lengthOf(callbackData) > CALLBACK_DATA_MOST) {
    throw parameterTooLong('biz_opaque_callback_data', CALLBACK_DATA_MOST);
  }
  const content = contentOf(body, type);
  const accepted = {
    input,
    address: isGroup || isUserId(input) ? input : input.replace(/\D/g, ''),
    isGroup,
    type,
    content,
    ...repliesTo(body.context),
    ...(typeof callbackData === 'string' && { callbackData }),
  };
  if (!isObject(content)) return { ...accepted, taps: [], category: 'service' };
  if (type === 'template') return { ...accepted, ...validateTemplate(content, templates) };
  return { ...accepted, taps: VALIDATORS[type]?.(content) ?? [], category: 'service' };
}

export function validateProduct(body: JsonObject): void {
  const product = body.messaging_product;
  if (isMissing(product)) throw parameterMissing('messaging_product');
  if (typeof product !== 'string' || product.toLowerCase() !== 'whatsapp') {
    throw parameterNotOneOf('messaging_product', ['whatsapp'], product);
  }
}

/**
 * Returns the destination: a phone number with country code (and optional "+", spaces, "-" and brackets), or
 * a user ID. The user ID can also be in `recipient`; `to` wins if both are given.
 */
function destination({ to, recipient }: JsonObject): string {
  const given = isMissing(to) ? recipient : to;
  if (isMissing(given)) throw parameterMissing('to');
  const text = typeof given === 'number' ? String(given) : given;
  if (typeof text !== 'string') throw parameterNotText('to');
  if (isUserId(text)) return text;
  if (isMissing(to) || !/^\+?[\d ()-]+$/.test(text) || !isNumber(text.replace(/\D/g, ''))) {
    throw valueInvalid(`Recipient phone number is not valid: ${JSON.stringify(text.slice(0, 64))}`);
  }
  return text;
}

/** Returns the group ID, which can be any text. */
function groupOf({ to }: JsonObject): string {
  if (isMissing(to)) throw parameterMissing('to');
  if (typeof to !== 'string') throw parameterNotText('to');
  return to;
}

/** Returns the type. Like the platform, defaults to text. */
function typeOf(type: unknown): string {
  if (isMissing(type)) return 'text';
  const name = typeof type === 'string' ? type.toLowerCase() : '';
  if (!Object.hasOwn(VALIDATORS, name)) throw parameterNotOneOf('type', Object.keys(VALIDATORS), type);
  return name;
}

function contentOf(body: JsonObject, type: string): JsonObject | unknown[] {
  const content = body[type];
  if (content === undefined || content === null) throw parameterMissing(type);
  if (type === 'contacts') {
    if (Array.isArray(content) && content.length > 0) return content;
    throw valueInvalid('contacts must be a list with at least one contact');
  }
  if (!isObject(content)) throw parameterNotObject(type);
  return content;
}

function repliesTo(context: unknown): { repliesTo?: string } {
  if (context === undefined || context === null) return {};
  if (!isObject(context)) throw parameterNotObject('context');
  if (typeof context.message_id !== 'string' || context.message_id === '') {
    throw parameterMissing("context['message_id']");
  }
  return { repliesTo: context.message_id };
}

function validateText(text: JsonObject): Tap[] {
  if (text.body === undefined || text.body === null || text.body === '')
    throw parameterMissing("text['body']");
  if (typeof text.body !== 'string') throw parameterNotText("text['body']");
  if (lengthOf(text.body) > TEXT_MOST) throw parameterTooLong("text['body']", TEXT_MOST);
  return [];
}

function validateMedia(type: string, media: JsonObject): Tap[] {
  const given = [media.id, media.link].filter(
    (value) => value !== undefined && value !== null && value !== '',
  );
  if (given.length === 0) throw parameterInvalid(`Either ${type}['id'] or ${type}['link'] is required.`);
  if (given.length > 1) throw parameterInvalid(`Only one of ${type}['id'] and ${type}['link'] may be given.`);
  const link = media.link;
  if (typeof link === 'string' && link !== '' && !/^https?:\/\//i.test(link)) {
    throw valueInvalid(`${type}['link'] is not a valid URI`);
  }
  return [];
}

function validateLocation(location: JsonObject): Tap[] {
  coordinate(location, 'latitude', 90);
  coordinate(location, 'longitude', 180);
  return [];
}

function coordinate(location: JsonObject, name: 'latitude' | 'longitude', most: number): void {
  const value = location[name];
  if (isMissing(value)) throw parameterMissing(`location['${name}']`);
  const degrees = typeof value === 'string' || typeof value === 'number' ? Number(value) : NaN;
  if (!(Math.abs(degrees) <= most)) throw valueInvalid(`${name} must be between -${most} and ${most}`);
}

function validateReaction(reaction: JsonObject): Tap[] {
  if (typeof reaction.message_id !== 'string' || reaction.message_id === '') {
    throw parameterMissing("reaction['message_id']");
  }
  if (reaction.emoji !== undefined && typeof reaction.emoji !== 'string') {
    throw parameterNotText("reaction['emoji']");
  }
  return [];
}

/** Validates buttons and lists completely; for other interactive kinds, only body and footer. */
function validateInteractive(interactive: JsonObject): Tap[] {
  if (typeof interactive.type !== 'string' || interactive.type === '') {
    throw parameterMissing("interactive['type']");
  }
  const kind = interactive.type.toLowerCase();
  const bodyIsOptional = kind !== 'button' && kind !== 'list';
  textInside(interactive.body, 'body', INTERACTIVE_BODY_MOST, bodyIsOptional);
  textInside(interactive.footer, 'footer', FOOTER_MOST, true);
  if (kind !== 'button' && kind !== 'list') return [];
  if (!isObject(interactive.action)) throw insideMissing("Param interactive['action'] is required.");
  return kind === 'button' ? validateButtons(interactive.action) : validateList(interactive.action);
}

function textInside(part: unknown, name: string, most: number, isOptional: boolean): void {
  if (isOptional && (part === undefined || part === null)) return;
  const text = isObject(part) ? part.text : undefined;
  if (typeof text !== 'string' || (text === '' && !isOptional)) {
    throw insideMissing(`Param interactive['${name}']['text'] is required.`);
  }
  if (lengthOf(text) > most) throw valueInvalid(`${name} text is too long. Max length is ${most}`);
}

function validateButtons(action: JsonObject): Tap[] {
  const buttons = Array.isArray(action.buttons) ? action.buttons : [];
  if (buttons.length < 1 || buttons.length > BUTTONS_MOST) {
    throw valueInvalid(`Invalid buttons count. Min allowed buttons: 1, Max allowed buttons: ${BUTTONS_MOST}`);
  }
  const taps = buttons.map((button): Tap & { kind: 'button' } => {
    const reply = isObject(button) && isObject(button.reply) ? button.reply : {};
    return {
      kind: 'button',
      id: bounded(reply.id, 'Button id', BUTTON_ID_MOST),
      title: bounded(reply.title, 'Button title', TITLE_MOST),
    };
  });
  refuseDuplicates(taps, 'id', 'button ids');
  refuseDuplicates(taps, 'title', 'button titles');
  return taps;
}

function validateList(action: JsonObject): Tap[] {
  bounded(action.button, 'Button label', TITLE_MOST);
  const sections = Array.isArray(action.sections) ? action.sections.filter(isObject) : [];
  if (sections.length < 1 || sections.length > SECTIONS_MOST) {
    throw valueInvalid(
      `Invalid sections count. Min allowed sections: 1, Max allowed sections: ${SECTIONS_MOST}`,
    );
  }
  for (const section of sections) {
    if (sections.length > 1 && !section.title) {
      throw insideMissing('Section title is required when there is more than one section.');
    }
    if (section.title) bounded(section.title, 'Section title', ROW_TITLE_MOST);
    if (!Array.isArray(section.rows) || section.rows.length === 0) {
      throw insideMissing('Section rows are required.');
    }
  }
  const rows = sections.flatMap((section) => section.rows as unknown[]);
  if (rows.length > ROWS_MOST) throw valueInvalid(`Total row count exceed max allowed count: ${ROWS_MOST}`);
  const taps = rows.map((row): Tap & { kind: 'row' } => {
    const given = isObject(row) ? row : {};
    return {
      kind: 'row',
      id: bounded(given.id, 'Row id', ROW_ID_MOST),
      title: bounded(given.title, 'Row title', ROW_TITLE_MOST),
      ...(Boolean(given.description) && {
        description: bounded(given.description, 'Row description', ROW_DESCRIPTION_MOST),
      }),
    };
  });
  refuseDuplicates(taps, 'id', 'row ids');
  return taps;
}

function bounded(value: unknown, name: string, most: number): string {
  const length = typeof value === 'string' ? lengthOf(value) : 0;
  if (length < 1 || length > most) {
    throw valueInvalid(`${name} length invalid. Min length: 1, Max length: ${most}`);
  }
  return value as string;
}

function refuseDuplicates(taps: { id: string; title: string }[], part: 'id' | 'title', what: string): void {
  if (new Set(taps.map((tap) => tap[part])).size < taps.length)
    throw valueInvalid(`Duplicate ${what} are not allowed.`);
}
