import * as Type from 'typebox';
import { anyText, either, Location, MEDIA, object, optional, text } from './shapes';

/**
 * A template with its values. The required values depend on the template and are checked in
 * `templates/preflight.ts`, if the gateway knows the template.
 * Format: developers.facebook.com/documentation/business-messaging/whatsapp/templates/overview
 */

/** A single value; clients send text, numbers or booleans. */
const single = (description: string) => ({
  ...either<string | number | boolean | null>(
    { type: 'string', nullable: true },
    { type: 'number' },
    { type: 'boolean' },
  ),
  description,
});

/** The value's field for each parameter type, in lowercase. Other types are accepted with any content. */
export const PARAMETERS = {
  text: Type.Optional(single('The value of a text variable, or the end of a button’s web address.')),
  payload: Type.Optional(single('What comes back when a quick-reply button is tapped.')),
  coupon_code: Type.Optional(single('The code that a copy-code button copies.')),
  currency: optional(
    object({
      fallback_value: optional(anyText('Shown where the amount cannot be.')),
      code: optional(anyText('ISO 4217, for example EUR.')),
      amount_1000: optional(Type.Number({ description: 'The amount times 1000.' })),
    }),
  ),
  date_time: optional(object({ fallback_value: optional(anyText('The date as it is shown.')) })),
  image: optional(MEDIA.image),
  video: optional(MEDIA.video),
  document: optional(MEDIA.document),
  location: optional(Location),
  action: optional(Type.Object({}, { description: 'What a flow or catalogue button needs.' })),
};

const Parameter = object({
  type: text(undefined, 'The kind of value; the field of that name holds it.'),
  parameter_name: optional(anyText('The name of the variable, in templates with named variables.')),
  ...PARAMETERS,
});

const Component = object({
  type: text(undefined, 'header, body or button; other types pass.'),
  sub_type: optional(text(undefined, 'The kind of button. Required for buttons.')),
  index: Type.Optional({
    ...either<number | string | null>(
      { type: 'integer', minimum: 0, nullable: true },
      { type: 'string', pattern: '^\\d+$' },
    ),
    description: 'Which button, from 0. Required for buttons.',
  }),
  parameters: optional(Type.Array(Parameter)),
});

/**
 * A word for database look-ups. Control characters are refused, because no name has them and PostgreSQL
 * rejects NUL.
 */
const word = (maxLength: number, description: string) =>
  Type.String({ minLength: 1, maxLength, pattern: '^\\P{Cc}+$', description });

export const Template = object({
  name: word(512, 'Name of a registered template.'),
  // The platform's codes have 2 to 6 characters, without a published limit. The limit keeps huge texts out of
  // database look-ups.
  language: object({ code: word(64, 'Code of its language, for example en_US.') }),
  components: optional(Type.Array(Component, { description: 'The values of its header, body and buttons.' })),
});
