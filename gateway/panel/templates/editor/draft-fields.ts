import { FILE_HEADERS } from '../../../templates/rules/table';

/** Fields of the form by fields of the platform's JSON. `as`: the end of the field's name. */
export type Shape = Record<string, { as: string; kind: 'text' | 'number' | 'flag' }>;

const text = (as: string) => ({ as, kind: 'text' as const });
const number = (as: string) => ({ as, kind: 'number' as const });
const flag = (as: string) => ({ as, kind: 'flag' as const });

export const TEMPLATE: Shape = { message_send_ttl_seconds: number('ttl') };
export const HEADER: Shape = { text: text('-text') };
export const CARD_BODY: Shape = { text: text('') };
export const BODY: Shape = { text: text(''), add_security_recommendation: flag('-advice') };
export const FOOTER: Shape = { text: text(''), code_expiration_minutes: number('-minutes') };
export const OFFER: Shape = { text: text(''), has_expiration: flag('-expires') };
export const APP: Shape = { package_name: text('package'), signature_hash: text('hash') };
/** Of all kinds of buttons; no two kinds use one field for different things. */
export const BUTTON: Shape = {
  text: text('text'),
  url: text('url'),
  phone_number: text('phone'),
  flow_id: text('flow'),
  navigate_screen: text('screen'),
  otp_type: text('otp'),
  autofill_text: text('autofill'),
  zero_tap_terms_accepted: flag('terms'),
};

/** The parts of `example` that have fields. */
export const KNOWN_EXAMPLES = [
  'header_text',
  'header_text_named_params',
  'header_handle',
  'body_text',
  'body_text_named_params',
];

export const FILE_FORMATS = FILE_HEADERS;
