import * as Type from 'typebox';
import { anyText, either, MEDIA, object, optional, text, webAddress } from './shapes';

/**
 * Schemas of interactive messages. Rules that a schema cannot express (unique IDs, total of rows, headers
 * allowed per kind) are in `interactive-issues.ts`.
 * Format: developers.facebook.com/documentation/business-messaging/whatsapp/messages/interactive-…-messages,
 * and the limits in docs/api.md, "What a message may hold".
 */

const TextHeader = object({
  type: text(undefined, 'Always "text".'),
  text: optional(anyText('Text of the header.', 60)),
});
const Header = object({
  type: text(undefined, 'One of text, image, video, document; the field of that name is required beside it.'),
  text: optional(anyText('Text of the header.', 60)),
  image: optional(MEDIA.image),
  video: optional(MEDIA.video),
  document: optional(MEDIA.document),
});
const Body = object({ text: text(1024, 'Text of the message.') });
const Footer = object({ text: text(60, 'Small text at the end.') });
const around = { header: optional(Header), body: Body, footer: optional(Footer) };

const Button = object({
  type: Type.String({ pattern: '^[rR][eE][pP][lL][yY]$', description: 'Always "reply".' }),
  reply: object({
    id: text(256, 'Comes back when the button is tapped. No two are the same.'),
    title: text(20, 'Text on the button. No two are the same.'),
  }),
});

const Row = object({
  id: text(200, 'Comes back when the row is chosen. No two are the same.'),
  title: text(24),
  description: optional(anyText(undefined, 72)),
});
const Section = object({
  title: optional(anyText('Required where there are several sections.', 24)),
  rows: Type.Array(Row, { minItems: 1, description: 'At most 10 in all sections together.' }),
});

/**
 * Schemas by `interactive.type` in lowercase; some clients send capitals. For other types, only body and
 * footer are checked.
 */
export const INTERACTIVE = {
  button: object({
    ...around,
    action: object({ buttons: Type.Array(Button, { minItems: 1, maxItems: 3 }) }),
  }),
  list: object({
    ...around,
    header: optional(TextHeader),
    action: object({
      button: text(20, 'Text on the button that opens the list.'),
      sections: Type.Array(Section, { minItems: 1, maxItems: 10 }),
    }),
  }),
  cta_url: object({
    ...around,
    action: object({
      name: Type.Enum(['cta_url']),
      parameters: object({
        display_text: text(20, 'Text on the button.'),
        url: webAddress('What the button opens in the browser.'),
      }),
    }),
  }),
  flow: object({
    ...around,
    action: object({
      name: Type.Enum(['flow']),
      parameters: object({
        flow_message_version: either<string | number>({ type: 'string', minLength: 1 }, { type: 'number' }),
        flow_id: optional(text(undefined, 'Id of the flow. Either this or "flow_name".')),
        flow_name: optional(text(undefined, 'Name of the flow. Either this or "flow_id".')),
        flow_cta: text(undefined, 'Text on the button. The platform advises 30 characters or less.'),
        flow_token: optional(anyText()),
        flow_action: optional(anyText('navigate or data_exchange.')),
        flow_action_payload: optional(Type.Object({})),
        mode: optional(anyText('published or draft.')),
      }),
    }),
  }),
  location_request_message: object({
    body: Body,
    footer: optional(Footer),
    action: object({ name: Type.Enum(['send_location']) }),
  }),
};

export const OtherInteractive = object({
  type: text(),
  body: optional(Body),
  footer: optional(Footer),
  action: optional(Type.Object({})),
});
