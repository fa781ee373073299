import * as Type from 'typebox';
import { contactInvalid } from '../../errors';
import { BETWEEN_DIGITS, digitsOf } from '../phone-spellings';
import { anyText, Location, MEDIA, object, optional, text } from './shapes';
import { Template } from './template-request';

export { INTERACTIVE, OtherInteractive } from './interactive-request';

/**
 * Schemas of the bodies that a send accepts: `Base` with the part named by `type`, from `MESSAGE_TYPES` (for
 * `interactive`, from `INTERACTIVE`). Rules that a schema cannot express (one of two fields, unique IDs,
 * total of rows) are in `validate-message.ts`.
 * Format:
 * developers.facebook.com/documentation/business-messaging/whatsapp/reference/whatsapp-business-phone-number/message-api,
 * and the limits in docs/api.md, "What a message may hold". Empty parts that real clients send (`caption:
 * null`, `components: []`) are valid.
 */

const Text = object({
  body: text(4096, 'Emojis and *bold*, _italic_, ~strikethrough~, ```monospace``` are possible.'),
  preview_url: optional(
    Type.Boolean({ description: 'Shows a preview of the first web address in the text.' }),
  ),
});

const kind = optional(anyText('For example HOME or WORK.'));
const list = (fields: Record<string, ReturnType<typeof optional>>) =>
  optional(Type.Array(object({ ...fields, type: kind })));
const some = optional(anyText());

const Contact = object({
  name: object({
    formatted_name: text(undefined, 'The whole name, as it is shown.'),
    first_name: some,
    last_name: some,
    middle_name: some,
    suffix: some,
    prefix: some,
  }),
  birthday: optional(Type.String({ pattern: '^(\\d{4}-\\d{2}-\\d{2})?$', description: 'YYYY-MM-DD.' })),
  phones: list({ phone: some, wa_id: some }),
  emails: list({ email: some }),
  urls: list({ url: some }),
  addresses: list({ street: some, city: some, state: some, zip: some, country: some, country_code: some }),
  org: optional(object({ company: some, department: some, title: some })),
});

const Reaction = object({
  message_id: text(undefined, 'Id of the message that is reacted to.'),
  emoji: optional(anyText('An empty text takes the reaction back.')),
});

/** The part required for each message type, besides the base fields. */
export const MESSAGE_TYPES = {
  text: Text,
  template: Template,
  image: MEDIA.image,
  video: MEDIA.video,
  audio: MEDIA.audio,
  document: MEDIA.document,
  sticker: MEDIA.sticker,
  location: Location,
  interactive: object({
    type: text(undefined, 'The kind of interactive message, for example button or list.'),
  }),
  contacts: Type.Array(Contact, { minItems: 1 }),
  reaction: Reaction,
};

export type MessageType = keyof typeof MESSAGE_TYPES;

/**
 * Digits with country code, and separators that are removed before the send. Adjacent repetitions never match
 * the same character, so that a megabyte of spaces cannot take minutes.
 */
const BETWEEN = `[${BETWEEN_DIGITS}]*`;
const PHONE_NUMBER = `^(?:${BETWEEN}\\+)?${BETWEEN}(?:0${BETWEEN}0${BETWEEN}[1-9]|\\d)(?:${BETWEEN}\\d){0,14}${BETWEEN}$`;
/** The ID that the platform gives to contacts without a visible phone number. */
const USER_ID = '^[A-Z]{2}\\.[A-Za-z0-9.]{1,128}$';

const ProductWord = Type.Optional(
  Type.Unsafe<'chat' | 'whatsapp' | null>({
    type: 'string',
    nullable: true,
    enum: ['chat', 'whatsapp', null],
    description: 'May be left out.',
  }),
);

const recipient = optional(
  Type.String({ pattern: USER_ID, description: 'A user id of the platform, in place of "to".' }),
);

/** Fields besides the part named by `type`, for any recipient. */
const AROUND = {
  messaging_product: ProductWord,
  recipient_type: optional(anyText('individual, which is the default, or group.')),
  type: Type.Enum(Object.keys(MESSAGE_TYPES) as [MessageType, ...MessageType[]]),
  context: optional(object({ message_id: text(undefined, 'Id of the message that is answered.') })),
  biz_opaque_callback_data: optional(
    anyText('A word of yours that comes back in the statuses of the message.', 512),
  ),
};

/** A message to one contact. */
export const Base = object({
  ...AROUND,
  to: optional(
    Type.String({
      pattern: `${PHONE_NUMBER}|${USER_ID}`,
      description: 'Phone number with country code, for example 5511987654321, or a user id of the platform.',
    }),
  ),
  recipient,
});

/**
 * A message to a group, whose ID is opaque. Control characters are refused, because the ID is stored and
 * PostgreSQL rejects NUL.
 */
export const GroupBase = object({
  ...AROUND,
  to: optional(
    Type.String({
      minLength: 1,
      maxLength: 512,
      pattern: '^\\P{Cc}*$',
      description: 'With "recipient_type": "group", the id of the group.',
    }),
  ),
});

/** Marks an inbound message as read; has neither `to` nor `type`. */
export const MarkAsRead = object({
  messaging_product: ProductWord,
  status: Type.Enum(['read']),
  message_id: text(undefined, 'Id of the inbound message that was read.'),
  typing_indicator: optional(
    object({ type: Type.Enum(['text']) }, { description: 'Shows "typing…" for a while.' }),
  ),
});

export type MarkAsRead = Type.Static<typeof MarkAsRead>;
export type TemplateMessage = Type.Static<typeof Template>;

/** A valid body. The part of its type is validated, but typed only if the gateway reads it. */
export type MessageRequest = Type.Static<typeof Base> & { type: MessageType; template?: TemplateMessage };

const RECIPIENT = new RegExp(`${PHONE_NUMBER}|${USER_ID}`);

/** Whether a text is valid as `to`. */
export const isRecipient = (text: string): boolean => RECIPIENT.test(text);

/** Converts a phone number to the platform's format, digits only. A user ID stays unchanged. */
export const normalizedRecipient = (to: string): string => (AS_UPSTREAM_WANTS.test(to) ? to : digitsOf(to));

/**
 * Like `normalizedRecipient`, for a contact entered by a user.
 * @throws Refusal if the text is not a valid contact
 */
export function enteredRecipient(contact: string): string {
  if (!isRecipient(contact)) throw contactInvalid();
  return normalizedRecipient(contact);
}

const AS_UPSTREAM_WANTS = new RegExp(`^[1-9]\\d*$|${USER_ID}`);

/** Whether a message goes to a group instead of a contact. */
export const isToGroup = (body: { recipient_type?: unknown }): boolean => body.recipient_type === 'group';

/** Returns the recipient under the name that the platform uses in its events. `to` wins over `recipient`. */
export function recipientOf(message: Pick<MessageRequest, 'to' | 'recipient' | 'recipient_type'>): string {
  const { to, recipient } = message;
  if (!to) return recipient ?? '';
  return isToGroup(message) ? to : normalizedRecipient(to);
}
