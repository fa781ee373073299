import { Type, type Static, type TSchema } from 'typebox';

/**
 * The bodies that a send accepts, as schemas. They judge and never edit: what passes is forwarded as it came. Rules
 * that a schema cannot tell (unique ids, rows in total, one of two fields) stand in `message-faults.ts`.
 *
 * Shapes: developers.facebook.com/docs/whatsapp/cloud-api/reference/messages, and the limits of the specification.
 * Lengths are in code points. Unknown fields pass, at every level. Parts that real clients send empty (`caption: null`,
 * `components: []`) pass too.
 */

const optional = <T extends TSchema>(schema: T) =>
  Type.Optional(Type.Unsafe<Static<T> | null>({ ...schema, nullable: true }));
const text = (maxLength?: number) => Type.String({ minLength: 1, ...(maxLength && { maxLength }) });
const object = <T extends Record<string, TSchema>>(properties: T) => Type.Object(properties);

/** Web address of a file that upstream fetches. */
const Link = Type.String({ pattern: '^[hH][tT][tT][pP][sS]?://[^\\s]+$' });

/** `id` of an uploaded file or `link`: exactly one of them. */
const media = <T extends Record<string, TSchema>>(more: T) =>
  object({ id: optional(text()), link: optional(Link), ...more });
const caption = optional(Type.String({ maxLength: 1024 }));

const Text = object({ body: text(4096), preview_url: optional(Type.Boolean()) });

/** A number, or the text of one: clients send both. */
const coordinate = (limit: number) =>
  Type.Unsafe<number | string>({
    type: ['number', 'string'],
    minimum: -limit,
    maximum: limit,
    pattern: '^[-+]?\\d+(\\.\\d+)?$',
  });
const Location = object({
  latitude: coordinate(90),
  longitude: coordinate(180),
  name: optional(Type.String()),
  address: optional(Type.String()),
});

const Parameter = object({ type: text() });
const Component = object({
  type: text(),
  sub_type: optional(text()),
  index: optional(
    Type.Unsafe<number | string>({ type: ['integer', 'string'], minimum: 0, pattern: '^\\d+$' }),
  ),
  parameters: optional(Type.Array(Parameter)),
});
/** A word that the gateway looks up: PostgreSQL takes no NUL, and no name holds a control character. */
const word = (maxLength: number) => Type.String({ minLength: 1, maxLength, pattern: '^\\P{Cc}+$' });
const Template = object({
  name: word(512),
  language: object({ code: word(64) }),
  components: optional(Type.Array(Component)),
});

const Header = object({ type: text() });
const Body = object({ text: text(1024) });
const Footer = object({ text: text(60) });
const around = { header: optional(Header), body: Body, footer: optional(Footer) };

const Button = object({
  type: Type.String({ pattern: '^[rR][eE][pP][lL][yY]$' }),
  reply: object({ id: text(256), title: text(20) }),
});
const Row = object({ id: text(200), title: text(24), description: optional(Type.String({ maxLength: 72 })) });
const Section = object({
  title: optional(Type.String({ maxLength: 24 })),
  rows: Type.Array(Row, { minItems: 1 }),
});

/** By `interactive.type`, in lower case: some clients write it in capitals. Other types pass with body and footer checked. */
export const INTERACTIVE = {
  button: object({
    ...around,
    action: object({ buttons: Type.Array(Button, { minItems: 1, maxItems: 3 }) }),
  }),
  list: object({
    ...around,
    action: object({ button: text(20), sections: Type.Array(Section, { minItems: 1, maxItems: 10 }) }),
  }),
};
export const OtherInteractive = object({
  type: text(),
  body: optional(Body),
  footer: optional(Footer),
  action: optional(Type.Object({})),
});

/** The part that each message type requires beside the base fields, under the type's own name. */
export const MESSAGE_TYPES = {
  text: Text,
  template: Template,
  image: media({ caption }),
  video: media({ caption }),
  audio: media({ voice: optional(Type.Boolean()) }),
  document: media({ caption, filename: optional(Type.String()) }),
  sticker: media({}),
  location: Location,
  interactive: object({ type: text() }),
  contacts: Type.Array(object({ name: object({ formatted_name: text() }) }), { minItems: 1 }),
  reaction: object({ message_id: text(), emoji: optional(Type.String()) }),
};

export type MessageType = keyof typeof MESSAGE_TYPES;

/**
 * Digits with country code; `+`, spaces, hyphens and brackets are taken away before forwarding. No two repetitions that
 * match the same character stand side by side: a megabyte of spaces must not take minutes to judge.
 */
const PHONE_NUMBER = '^(?:[\\s()-]*\\+)?[\\s()-]*\\d(?:[\\s()-]*\\d){0,14}[\\s()-]*$';
/** An identity that upstream gives to a contact who shows no phone number. */
const USER_ID = '^[A-Z]{2}\\.[A-Za-z0-9.]{1,128}$';

const ProductWord = Type.Unsafe<'chat' | 'whatsapp' | null>({ enum: ['chat', 'whatsapp', null] });

/** The fields around the part that is named by `type`. */
export const Base = object({
  messaging_product: Type.Optional(ProductWord),
  recipient_type: optional(Type.String()),
  to: optional(Type.String({ pattern: `${PHONE_NUMBER}|${USER_ID}` })),
  recipient: optional(Type.String({ pattern: USER_ID })),
  type: Type.Enum(Object.keys(MESSAGE_TYPES) as [MessageType, ...MessageType[]]),
  context: optional(object({ message_id: text() })),
  biz_opaque_callback_data: optional(Type.String({ maxLength: 512 })),
});

/** Marks an inbound message as read; has neither `to` nor `type`. */
export const MarkAsRead = object({
  messaging_product: Type.Optional(ProductWord),
  status: Type.Literal('read'),
  message_id: text(),
  typing_indicator: optional(object({ type: Type.Literal('text') })),
});

export type MarkAsRead = Static<typeof MarkAsRead>;
export type TemplateMessage = Static<typeof Template>;

/** A body without faults. The part under the type's own name is judged, but typed only where the gateway reads it. */
export type MessageRequest = Static<typeof Base> & { type: MessageType; template?: TemplateMessage };

const RECIPIENT = new RegExp(`${PHONE_NUMBER}|${USER_ID}`);

/** Whether a text names somebody as `to` may. */
export const isRecipient = (text: string): boolean => RECIPIENT.test(text);

/** A phone number as upstream wants it: digits only. A user id stays as it is. */
export const normalizedRecipient = (to: string): string =>
  new RegExp(USER_ID).test(to) ? to : to.replace(/\D/g, '');

/** Whom a message goes to, as upstream names that contact in its events. Where both are given, upstream takes `to`. */
export const recipientOf = ({ to, recipient }: MessageRequest): string =>
  to ? normalizedRecipient(to) : (recipient ?? '');
