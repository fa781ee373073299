import { type CloudApi } from '../cloud-api/client';
import { enteredRecipient } from '../cloud-api/validate/message-request';
import { at, objects, parsed, textOf, type Json } from '../cloud-api/json/json-value';
import { invalidField, notPermitted } from '../errors';
import { accessTokenOf, type Line } from '../lines/line';
import { mayFor, type By } from '../rights/grants';
import { type Actor } from '../store/tables/audit';
import { fact } from '../wording/facts';
import { forwardChange, type PlainChangeDeps } from './change-at-platform';

/** What is managed of a number at the platform: profile, chat start, shop, QR codes, blocks and registration. */

/** A change of a number. A PIN or code in it is neither stored nor logged. */
export interface NumberChange {
  method: 'post' | 'delete';
  /** The part of the path after the number; empty for the number itself. */
  edge: string;
  body?: Record<string, unknown>;
}

/** The fields of a profile, with their most characters. The platform checks them. */
export const PROFILE_TEXTS = { about: 139, description: 512, address: 256, email: 128 };
export const PROFILE_FIELDS = [
  ...Object.keys(PROFILE_TEXTS),
  'websites',
  'vertical',
  'profile_picture_url',
] as const;

/** Industries, in the platform's words. */
export const VERTICALS = [
  ...['AUTO', 'BEAUTY', 'APPAREL', 'EDU', 'ENTERTAIN', 'EVENT_PLAN', 'FINANCE', 'GROCERY', 'GOVT', 'HOTEL'],
  ...['HEALTH', 'NONPROFIT', 'PROF_SERVICES', 'RETAIL', 'TRAVEL', 'RESTAURANT', 'ALCOHOL'],
  ...['ONLINE_GAMBLING', 'PHYSICAL_GAMBLING', 'OTC_DRUGS', 'MATRIMONY_SERVICE', 'NOT_A_BIZ', 'OTHER'],
];

/** The most characters of the text that a QR code fills in. */
export const QR_TEXT_MOST = 140;

export const CODE_METHODS = ['SMS', 'VOICE'] as const;

const product = { messaging_product: 'whatsapp' };
const post = (edge: string, body?: Record<string, unknown>): NumberChange => ({
  method: 'post',
  edge,
  ...(body && { body }),
});

/** @param fields the changed fields, in the platform's names */
export const profileChange = (fields: Record<string, unknown>): NumberChange =>
  post('whatsapp_business_profile', { ...product, ...fields });

/** What the phone of a contact offers before anything is written. Fields that are left out stay. */
export interface ChatStart {
  /** Whether the first visit of a contact is announced, as a message of the type `request_welcome`. */
  welcome?: boolean;
  /** Questions to tap, up to four. */
  prompts?: string[];
  /** Commands, each as `name: description`, up to 30. */
  commands?: string[];
}

/** @throws Refusal */
export const chatStartChange = ({ welcome, prompts, commands }: ChatStart): NumberChange =>
  post('conversational_automation', {
    ...(welcome !== undefined && { enable_welcome_message: welcome }),
    ...(prompts && { prompts }),
    ...(commands && { commands: commands.map(commandIn) }),
  });

function commandIn(text: string): Record<'command_name' | 'command_description', string> {
  const [, name, description] = /^\s*\/?([^\s:]+)\s*:\s*(\S.*)$/.exec(text) ?? [];
  if (name === undefined || description === undefined)
    throw invalidField('commands', 'pattern', fact('command.invalid', {}));
  return { command_name: name, command_description: description.trim() };
}

/** The commands of a chat start, as `chatStartChange` takes them. */
export const commandTexts = (commands: unknown): string[] =>
  objects(commands).map(
    ({ command_name: name, command_description: description }) => `${textOf(name)}: ${textOf(description)}`,
  );

/** @param fields the changed fields: `is_cart_enabled`, `is_catalog_visible` */
export const shopChange = (fields: Record<string, boolean>): NumberChange =>
  post('whatsapp_commerce_settings', fields);

/** @param code null for a new code */
export const qrCodeSaved = (code: string | null, text: string): NumberChange =>
  post(code === null ? 'message_qrdls' : qrEdge(code), { prefilled_message: text });

export const qrCodeDeleted = (code: string): NumberChange => ({ method: 'delete', edge: qrEdge(code) });

const qrEdge = (code: string): string => `message_qrdls/${encodeURIComponent(code)}`;

/** @param contact as a person writes it @throws Refusal */
export const contactBlocked = (contact: string, isBlocked: boolean): NumberChange => ({
  method: isBlocked ? 'post' : 'delete',
  edge: 'block_users',
  body: { ...product, block_users: [{ user: enteredRecipient(contact) }] },
});

/** @param pin the six digits of two-step verification @throws Refusal */
export const registered = (pin: string): NumberChange => post('register', { ...product, pin: pinOf(pin) });

export const deregistered = (): NumberChange => post('deregister');

/** @throws Refusal */
export const pinSet = (pin: string): NumberChange => post('', { pin: pinOf(pin) });

/** Sends messages and statuses of the number to this callback. */
export const callbackSet = (url: string, verifyToken: string): NumberChange =>
  post('', { webhook_configuration: { override_callback_uri: url, verify_token: verifyToken } });

/** The platform sends a code to the number. @param language of the message, such as `en_US` */
export const codeRequested = (method: (typeof CODE_METHODS)[number], language: string): NumberChange =>
  post('request_code', { code_method: method, language });

/** @throws Refusal */
export function codeVerified(code: string): NumberChange {
  const digits = code.replace(/[\s-]/g, '');
  if (!/^\d{6}$/.test(digits)) throw invalidField('code', 'pattern', fact('code.invalid', {}));
  return post('verify_code', { code: digits });
}

function pinOf(pin: string): string {
  if (!/^\d{6}$/.test(pin)) throw invalidField('pin', 'pattern', fact('pin.invalid', {}));
  return pin;
}

/**
 * @param by null for a command
 * @returns the platform's answer
 * @throws the errors of every call, and Refusal if `by` may not manage the line
 */
export function changeNumber(
  deps: PlainChangeDeps,
  actor: Actor,
  by: By,
  line: Line,
  { method, edge, body }: NumberChange,
): Promise<string> {
  if (by && !mayFor(by, 'lines.manage', line)) throw notPermitted();
  return forwardChange(deps, actor, line, {
    ...{ method, path: numberPath(line, edge), query: {}, names: Object.keys(body ?? {}) },
    ...(body && { body: Buffer.from(JSON.stringify(body)) }),
  });
}

/** Reads a list of a number at the platform, or an object of this name as its only entry. @throws the errors of every call */
export async function readNumber(
  { cloudApi }: { cloudApi: Pick<CloudApi, 'forward'> },
  line: Line,
  edge: string,
  query: Record<string, string> = {},
): Promise<Json[]> {
  const read = { method: 'get', path: numberPath(line, edge), query } as const;
  const answer = parsed(await cloudApi.forward(read, accessTokenOf(line)));
  return objects(at(answer, 'data') ?? [at(answer, edge)]);
}

const numberPath = ({ phoneNumberId }: Line, edge: string): string =>
  [encodeURIComponent(phoneNumberId), edge].filter(Boolean).join('/');
