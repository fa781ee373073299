/** What clients manage of a phone number: profile, blocked contacts, QR codes, registration and settings. */
import { randomBytes } from 'node:crypto';
import { type SandboxLine } from '../platform/account';
import { refusalOf } from '../platform/documented-errors';
import {
  callbackNotVerified,
  objectUnknown,
  parameterInvalid,
  parameterMissing,
  parameterNotOneOf,
  parameterTooLong,
} from '../platform/errors';
import { isMissing, isObject, lengthOf, type JsonObject } from '../platform/json';
import { emptyFields, lastOf, page, selectFields, type QueryParameters } from '../platform/read';
import { validateProduct } from '../graph/validate-message';
import { REGISTERED, UNREGISTERED } from '../faults/line-states';
import { type SandboxDeps } from '../dependencies';
import { type QrCode } from './managed-state';

/** A request about one line: its body and query together, as the platform reads them. */
export interface LineCall {
  line: SandboxLine;
  query: QueryParameters;
  given: JsonObject;
  /** The part of the path after the operation. */
  code: string;
  method: string;
  /** The URL without its query. */
  address: string;
}

type LineOperation = (deps: SandboxDeps, call: LineCall) => JsonObject;

/** Returns the line as a Graph node. */
export function lineNode({ lineStates, managed, callbacks }: SandboxDeps, line: SandboxLine) {
  const { callbackUrl, newDisplayName } = managed.of(line.phoneNumberId);
  const node = lineStates.node(line, { phone_number: callbackUrl, application: callbacks.url });
  if (newDisplayName === undefined) return node;
  return { ...node, new_display_name: newDisplayName, new_name_status: 'PENDING_REVIEW' };
}

/** https://developers.facebook.com/docs/whatsapp/cloud-api/reference/business-profiles */
const PROFILE_LIMITS: Record<string, number> = { about: 139, address: 256, description: 512, email: 128 };
const PROFILE_FIELDS = [...Object.keys(PROFILE_LIMITS), 'profile_picture_url', 'websites', 'vertical'];
const VERTICALS = [
  ...['UNDEFINED', 'OTHER', 'AUTO', 'BEAUTY', 'APPAREL', 'EDU', 'ENTERTAIN', 'EVENT_PLAN', 'FINANCE'],
  ...['GROCERY', 'GOVT', 'HOTEL', 'HEALTH', 'NONPROFIT', 'PROF_SERVICES', 'RETAIL', 'TRAVEL'],
  ...['RESTAURANT', 'NOT_A_BIZ', 'ALCOHOL', 'ONLINE_GAMBLING', 'PHYSICAL_GAMBLING', 'OTC_DRUGS'],
  'MATRIMONY_SERVICE',
];

const readProfile: LineOperation = ({ managed }, { line, query }) => {
  const { profile } = managed.of(line.phoneNumberId);
  const node = { ...emptyFields(PROFILE_FIELDS), ...profile, messaging_product: 'whatsapp', id: undefined };
  return {
    data: [selectFields(node, lastOf(query.fields), ['messaging_product'], 'WhatsAppBusinessProfile')],
  };
};

const editProfile: LineOperation = ({ managed }, { line, given }) => {
  validateProduct(given);
  const { profile_picture_handle: handle, ...changes } = given;
  for (const [name, most] of Object.entries(PROFILE_LIMITS)) {
    const value = given[name];
    if (value === undefined) continue;
    if (typeof value !== 'string') throw parameterInvalid(`${name} must be a text`);
    if (lengthOf(value) > most) throw parameterTooLong(name, most);
  }
  if (given.about === '') throw parameterInvalid('about must have 1 to 139 characters');
  const { websites = [], vertical } = given;
  if (!Array.isArray(websites) || websites.length > 2 || websites.some((one) => !isWebAddress(one)))
    throw parameterInvalid('websites takes up to 2 addresses of at most 256 characters');
  if (vertical !== undefined && !VERTICALS.includes(String(vertical)))
    throw parameterNotOneOf('vertical', VERTICALS, vertical);
  const { profile } = managed.of(line.phoneNumberId);
  if (handle !== undefined) {
    if (!managed.uploaded(String(handle)))
      throw parameterInvalid('profile_picture_handle is not a handle of an upload');
    profile.profile_picture_url = `https://pps.whatsapp.net/v/${line.phoneNumberId}.jpg`;
  }
  for (const name of PROFILE_FIELDS) if (changes[name] !== undefined) profile[name] = changes[name];
  return { success: true };
};

const isWebAddress = (value: unknown): boolean =>
  typeof value === 'string' && value.length <= 256 && /^https?:\/\//.test(value);

/** https://developers.facebook.com/docs/whatsapp/cloud-api/block-users */
const listBlocked: LineOperation = ({ managed }, { line, query, address }) =>
  page(
    managed.of(line.phoneNumberId).blocked.map((wa_id) => ({ messaging_product: 'whatsapp', wa_id })),
    query,
    address,
  );

/** @param change changes the list, and returns whether it did */
const blocking =
  (key: 'added_users' | 'removed_users', change: (blocked: string[], waId: string) => void): LineOperation =>
  ({ managed, contacts }, { line, given }) => {
    validateProduct(given);
    const { block_users: users } = given;
    if (!Array.isArray(users) || !users.length) throw parameterMissing('block_users');
    const { blocked } = managed.of(line.phoneNumberId);
    const done = users.map((one: unknown) => {
      const input = isObject(one) ? one.user : undefined;
      if (typeof input !== 'string') throw parameterMissing('block_users[0][user]');
      const { waId = input } = contacts.at(input.replace(/\D/g, ''));
      change(blocked, waId);
      return { input, wa_id: waId };
    });
    return { messaging_product: 'whatsapp', block_users: { [key]: done } };
  };

const block = blocking('added_users', (blocked, waId) => {
  if (!blocked.includes(waId)) blocked.push(waId);
});
const unblock = blocking('removed_users', (blocked, waId) => {
  const place = blocked.indexOf(waId);
  if (place >= 0) blocked.splice(place, 1);
});

/** https://developers.facebook.com/docs/whatsapp/business-management-api/qr-codes */
const QR_TEXT_MOST = 140;
const FORMATS = ['PNG', 'SVG'];

const listCodes: LineOperation = ({ managed }, { line, code, method }) => {
  const { qrCodes } = managed.of(line.phoneNumberId);
  const found = qrCodes.filter((one) => code === '' || one.code === code);
  if (code && !found.length) throw objectUnknown(method, code);
  return { data: found.map((one) => qrNode(one)) };
};

const saveCode: LineOperation = ({ managed }, { line, given, code, method }) => {
  const { qrCodes } = managed.of(line.phoneNumberId);
  const { prefilled_message: text, generate_qr_image: format } = given;
  if (isMissing(text)) throw parameterMissing('prefilled_message');
  if (typeof text !== 'string') throw parameterInvalid('prefilled_message must be a text');
  if (lengthOf(text) > QR_TEXT_MOST) throw parameterTooLong('prefilled_message', QR_TEXT_MOST);
  if (format !== undefined && !FORMATS.includes(String(format).toUpperCase()))
    throw parameterNotOneOf('generate_qr_image', FORMATS, format);
  const asked = code || (given.code as string | undefined);
  const existing = asked === undefined ? undefined : qrCodes.find((one) => one.code === asked);
  if (asked !== undefined && !existing) throw objectUnknown(method, asked);
  const saved = existing ?? { code: randomBytes(7).toString('hex').toUpperCase(), prefilled_message: '' };
  saved.prefilled_message = text;
  if (!existing) qrCodes.push(saved);
  return qrNode(saved, format);
};

const removeCode: LineOperation = ({ managed }, { line, code, method }) => {
  const { qrCodes } = managed.of(line.phoneNumberId);
  const place = qrCodes.findIndex((one) => one.code === code);
  if (place < 0) throw objectUnknown(method, code);
  qrCodes.splice(place, 1);
  return { success: true };
};

const qrNode = ({ code, prefilled_message }: QrCode, format?: unknown): JsonObject => ({
  code,
  prefilled_message,
  deep_link_url: `https://wa.me/message/${code}`,
  ...(format !== undefined && {
    qr_image_url: `https://scontent.whatsapp.net/qr/${code}.${String(format).toLowerCase()}`,
  }),
});

/** https://developers.facebook.com/docs/whatsapp/cloud-api/reference/registration */
const WRONG_PIN = 133005;
const CALLBACK_URL_MOST = 200;

const register: LineOperation = (deps, { line, given }) => {
  validateProduct(given);
  const state = deps.managed.of(line.phoneNumberId);
  const pin = pinIn(given);
  if (deps.lineStates.of(line).is_pin_enabled && state.pin !== null && state.pin !== pin)
    throw refusalOf(WRONG_PIN);
  state.pin = pin;
  deps.lineStates.change(line, { ...REGISTERED, is_pin_enabled: true }, deps.now());
  return { success: true };
};

const deregister: LineOperation = (deps, { line }) => {
  deps.lineStates.change(line, UNREGISTERED, deps.now());
  return { success: true };
};

/** Sets the PIN, the URL of the line's messages and statuses, or a display name, which waits for its review. */
export async function editLine(deps: SandboxDeps, { line, given }: LineCall): Promise<JsonObject> {
  const managed = deps.managed.of(line.phoneNumberId);
  if (isObject(given.webhook_configuration)) {
    managed.callbackUrl = await overrideIn(deps, line, given.webhook_configuration);
    return { success: true };
  }
  if (!isMissing(given.new_display_name)) {
    managed.newDisplayName = String(given.new_display_name);
    return { success: true };
  }
  managed.pin = pinIn(given);
  deps.lineStates.change(line, { is_pin_enabled: true }, deps.now());
  return { success: true };
}

/**
 * Returns the alternate callback URL after a handshake with it; undefined for an empty one, which removes it.
 * https://developers.facebook.com/documentation/business-messaging/whatsapp/webhooks/override
 */
async function overrideIn(
  { accountStates, callbacks }: SandboxDeps,
  { wabaId }: SandboxLine,
  { override_callback_uri: url, verify_token: verifyToken }: JsonObject,
): Promise<string | undefined> {
  if (url === '') return undefined;
  for (const [name, value] of Object.entries({ override_callback_uri: url, verify_token: verifyToken }))
    if (isMissing(value)) throw parameterMissing(`webhook_configuration[${name}]`);
  if (typeof url !== 'string' || lengthOf(url) > CALLBACK_URL_MOST || !URL.canParse(url))
    throw parameterInvalid('override_callback_uri must be a URL of at most 200 characters');
  if (!accountStates.of(wabaId).is_subscribed)
    throw parameterInvalid(
      'Before override the current callback uri, your app must be subscribed to receive messages for WhatsApp ' +
        'Business Account',
    );
  const reason = await callbacks.handshake(url, String(verifyToken));
  if (reason !== undefined) throw callbackNotVerified(reason);
  return url;
}

function pinIn({ pin }: JsonObject): string {
  if (isMissing(pin)) throw parameterMissing('pin');
  if (!/^\d{6}$/.test(String(pin))) throw parameterInvalid('pin must have 6 digits');
  return String(pin);
}

const requestCode: LineOperation = (_, { given: { code_method: method, language } }) => {
  if (!['SMS', 'VOICE'].includes(String(method)))
    throw parameterNotOneOf('code_method', ['SMS', 'VOICE'], method);
  if (isMissing(language)) throw parameterMissing('language');
  return { success: true };
};

const verifyCode: LineOperation = (deps, { line, given: { code } }) => {
  if (isMissing(code)) throw parameterMissing('code');
  if (!/^\d{3}-?\d{3}$/.test(String(code))) throw parameterInvalid('The code has 6 digits');
  deps.lineStates.change(line, { code_verification_status: 'VERIFIED' }, deps.now());
  return { success: true };
};

/** https://developers.facebook.com/docs/whatsapp/cloud-api/phone-numbers/conversational-components */
const PROMPTS = { most: 4, length: 80 };
const COMMANDS_MOST = 30;

const readAutomation: LineOperation = ({ managed }, { line }) => ({
  conversational_automation: managed.of(line.phoneNumberId).automation,
  id: line.phoneNumberId,
});

const setAutomation: LineOperation = ({ managed }, { line, given }) => {
  const prompts = listIn(given, 'prompts');
  const commands = listIn(given, 'commands');
  if (prompts.length > PROMPTS.most || prompts.some((one) => lengthOf(String(one)) > PROMPTS.length))
    throw parameterInvalid('prompts takes up to 4 texts of at most 80 characters');
  if (commands.length > COMMANDS_MOST) throw parameterInvalid('commands takes up to 30 commands');
  const { enable_welcome_message: welcome } = given;
  Object.assign(managed.of(line.phoneNumberId).automation, {
    ...(given.prompts !== undefined && { prompts }),
    ...(given.commands !== undefined && { commands }),
    ...(welcome !== undefined && { enable_welcome_message: String(welcome) === 'true' }),
  });
  return { success: true };
};

/** A list in a body, or as JSON in a query. */
function listIn(given: JsonObject, name: string): unknown[] {
  const value = given[name];
  const list: unknown = typeof value === 'string' ? JSON.parse(value) : (value ?? []);
  if (!Array.isArray(list)) throw parameterInvalid(`${name} must be a list`);
  return list;
}

const readSettings: LineOperation = () => ({ storage_configuration: { status: 'DEFAULT' } });

const readCommerce: LineOperation = ({ managed }, { line }) => ({
  data: [{ ...managed.of(line.phoneNumberId).commerce, id: line.phoneNumberId }],
});

const setCommerce: LineOperation = ({ managed }, { line, given }) => {
  const { commerce } = managed.of(line.phoneNumberId);
  for (const name of ['is_cart_enabled', 'is_catalog_visible'])
    if (given[name] !== undefined) commerce[name] = String(given[name]) === 'true';
  return { success: true };
};

/** Operations by method and the path after the phone number's id. */
export const LINE_OPERATIONS: Record<string, LineOperation> = {
  'GET whatsapp_business_profile': readProfile,
  'POST whatsapp_business_profile': editProfile,
  'GET block_users': listBlocked,
  'POST block_users': block,
  'DELETE block_users': unblock,
  'GET message_qrdls': listCodes,
  'POST message_qrdls': saveCode,
  'GET message_qrdls/:code': listCodes,
  'POST message_qrdls/:code': saveCode,
  'DELETE message_qrdls/:code': removeCode,
  'POST register': register,
  'POST deregister': deregister,
  'POST request_code': requestCode,
  'POST verify_code': verifyCode,
  'GET conversational_automation': readAutomation,
  'POST conversational_automation': setAutomation,
  'GET settings': readSettings,
  'GET whatsapp_commerce_settings': readCommerce,
  'POST whatsapp_commerce_settings': setCommerce,
};
