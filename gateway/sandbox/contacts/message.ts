/**
 * Converts a contact's action (write, send a file, tap, react, delete) to the message that the platform
 * reports. Add new kinds to KINDS.
 * https://developers.facebook.com/documentation/business-messaging/whatsapp/webhooks/reference/messages
 */
import { digitsOf, type SandboxLine } from '../platform/account';
import { type MessageReader, type Phone, type Written } from './written';
import { sendMedia } from './media';
import {
  changeNumber,
  deleteMessage,
  editText,
  orderProducts,
  react,
  sendLocation,
  sendUnsupported,
  shareContacts,
  TEXT_MOST,
} from './actions';
import { chooseRow, fillFlow, tapButton } from './replies';
import { flagOf, listOf, objectOf, textOf } from '../control/body';
import { ControlRefusal } from '../control/refusal';
import { type JsonObject } from '../platform/json';

const KINDS: Record<string, MessageReader> = {
  text: writeText,
  button: tapButton,
  row: chooseRow,
  flow: fillFlow,
  image: sendMedia('image'),
  video: sendMedia('video'),
  audio: sendMedia('audio', { voice: false }),
  voice: sendMedia('audio', { voice: true }),
  document: sendMedia('document'),
  sticker: sendMedia('sticker'),
  location: sendLocation,
  contacts: shareContacts,
  reaction: react,
  order: orderProducts,
  edit: editText,
  delete: deleteMessage,
  number_change: changeNumber,
  unsupported: sendUnsupported,
};

/** Fields allowed besides the message itself. */
const BESIDE = ['message', 'line', 'name', 'forwarded', 'forwarded_often', 'referral', 'product'];

/** Returns the message that `body` describes; refuses an impossible one with a sentence. */
export async function writtenBy(phone: Phone, body: JsonObject): Promise<Written> {
  const kinds = Object.keys(KINDS);
  const unknown = Object.keys(body).find((key) => ![...kinds, ...BESIDE].includes(key));
  if (unknown !== undefined) {
    throw new ControlRefusal(
      `The field "${unknown.slice(0, 100)}" is not known here. A contact's message has one of ${listOf(kinds)}, ` +
        `and may have ${listOf(BESIDE)}.`,
    );
  }
  const given = kinds.filter((kind) => body[kind] !== undefined);
  const [kind = ''] = given;
  const action = KINDS[kind];
  if (!action || given.length > 1) {
    throw new ControlRefusal(
      `Say what the contact does with exactly one of ${listOf(kinds)}, for example {"text": "Hello"}.`,
    );
  }
  const { message } = body;
  if (message !== undefined && (typeof message !== 'string' || message === '')) {
    throw new ControlRefusal('"message" is the id of the message that the contact answers, a text.');
  }
  return action(phone, body[kind], message);
}

/**
 * Returns the `context` of a message in the platform's format: the quoted message, the product, and whether
 * it was forwarded. Undefined if there is no context.
 */
export function contextOf(
  line: SandboxLine,
  repliesTo: string | undefined,
  body: JsonObject,
): JsonObject | undefined {
  const { product } = body;
  const context = {
    ...(body.forwarded !== undefined && flagOf(body.forwarded, 'forwarded') && { forwarded: true }),
    ...(body.forwarded_often !== undefined &&
      flagOf(body.forwarded_often, 'forwarded_often') && { frequently_forwarded: true }),
    ...((repliesTo !== undefined || product !== undefined) && { from: digitsOf(line) }),
    ...(repliesTo !== undefined && { id: repliesTo }),
    ...(product !== undefined && { referred_product: productOf(product) }),
  };
  return Object.keys(context).length > 0 ? context : undefined;
}

function productOf(value: unknown): JsonObject {
  const { catalog_id, product_retailer_id } = objectOf(value, 'product');
  return {
    catalog_id: textOf(catalog_id, 'catalog_id', 100),
    product_retailer_id: textOf(product_retailer_id, 'product_retailer_id', 100),
  };
}

const SAMPLE_REFERRAL = {
  source_url: 'https://fb.me/3cr4Wqqkv',
  source_id: '120226305854810726',
  source_type: 'ad',
  body: 'Summer succulents are here!',
  headline: 'Chat with us',
  media_type: 'image',
  image_url: 'https://shop.example/ad.jpg',
  ctwa_clid: 'Aff-n8ZTODiE79d22KtAwQKj9e_mIEOOj27vDVwFjN80dp4_0NiNhEgpGo0AHemv',
  welcome_message: { text: 'Hi there! Let us know how we can help!' },
};

/** The advertisement that led the contact here: `true` for a sample, or the platform's object. */
export function referralOf({ referral }: JsonObject): JsonObject | undefined {
  if (referral === undefined) return undefined;
  return referral === true ? SAMPLE_REFERRAL : objectOf(referral, 'referral');
}

function writeText(_phone: Phone, value: unknown, repliesTo: string | undefined): Written {
  return { type: 'text', content: { body: textOf(value, 'text', TEXT_MOST) }, repliesTo };
}
