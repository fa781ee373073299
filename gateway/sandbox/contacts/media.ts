/**
 * Files sent by a contact. The business can download each by its ID.
 * https://developers.facebook.com/documentation/business-messaging/whatsapp/webhooks/reference/messages/image
 * and its sibling pages
 */
import { hash } from 'node:crypto';
import { type MessageReader, type Written } from './written';
import { flagOf, onlyFields, textOf } from '../control/body';
import { ControlRefusal } from '../control/refusal';
import { isObject, type JsonObject } from '../platform/json';
import { LANDSCAPE, SMILE } from './sample-pictures';

type MediaType = 'image' | 'video' | 'audio' | 'document' | 'sticker';

/** Default files: real pictures, and the smallest valid file for every other type. */
const SAMPLES: Record<MediaType, { mimeType: string; base64: string }> = {
  image: { mimeType: 'image/jpeg', base64: LANDSCAPE },
  video: { mimeType: 'video/mp4', base64: 'AAAAFGZ0eXBpc29tAAAAAGlzb20AAAAIbW9vdg==' },
  audio: {
    mimeType: 'audio/ogg; codecs=opus',
    base64: 'T2dnUwACAAAAAAAAAAAAAAAAAAAAAAAAAAABE09wdXNIZWFkAQEAAIC7AAAAAAA=',
  },
  document: {
    mimeType: 'application/pdf',
    base64: Buffer.from(
      '%PDF-1.1\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj\n' +
        '3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]>>endobj\ntrailer<</Root 1 0 R>>\n%%EOF\n',
    ).toString('base64'),
  },
  sticker: { mimeType: 'image/webp', base64: SMILE },
};

const CAPTION_MOST = 1024;
const FILENAME_MOST = 240;
const MIME_TYPE = /^[\w.+-]{1,60}\/[\w.+-]{1,60}(?:; ?[\w=.+-]{1,60})?$/;

/** Fields allowed for each type, besides `mime_type` and `data`. */
const DETAILS: Record<MediaType, readonly string[]> = {
  image: ['caption'],
  video: ['caption'],
  audio: [],
  document: ['caption', 'filename'],
  sticker: ['animated'],
};

/**
 * Sends a file. `value` is `true` for a sample, or an object with `data` (base64) and `mime_type`, and
 * optionally `caption`, `filename` or `animated`.
 */
export const sendMedia =
  (type: MediaType, more: JsonObject = {}): MessageReader =>
  async ({ line, media }, value, message): Promise<Written> => {
    const given = value === true ? {} : value;
    if (!isObject(given)) {
      throw new ControlRefusal(
        `"${type}" is true for a sample, or an object that may have "data" (the file in base64), "mime_type"` +
          `${DETAILS[type].map((name) => `, "${name}"`).join('')}.`,
      );
    }
    onlyFields(given, ['data', 'mime_type', ...DETAILS[type]]);
    const { bytes, mimeType } = fileOf(type, given);
    const { id } = media.keep(line, mimeType, bytes);
    const { caption, filename } = given;
    const content = {
      ...(caption !== undefined && { caption: textOf(caption, 'caption', CAPTION_MOST) }),
      ...(type === 'document' && { filename: textOf(filename ?? 'document.pdf', 'filename', FILENAME_MOST) }),
      id,
      mime_type: mimeType,
      sha256: hash('sha256', bytes, 'base64'),
      ...(type === 'sticker' && { animated: flagOf(given.animated ?? false, 'animated') }),
      ...more,
    };
    return { type, content, repliesTo: message };
  };

function fileOf(type: MediaType, { data, mime_type }: JsonObject): { bytes: Buffer; mimeType: string } {
  const sample = SAMPLES[type];
  const mimeType = mime_type === undefined ? sample.mimeType : textOf(mime_type, 'mime_type', 190);
  if (!MIME_TYPE.test(mimeType)) throw new ControlRefusal('"mime_type" is one like "image/jpeg".');
  if (data === undefined) return { bytes: Buffer.from(sample.base64, 'base64'), mimeType };
  if (typeof data !== 'string' || data === '' || !/^[A-Za-z0-9+/]+={0,2}$/.test(data))
    throw new ControlRefusal('"data" is the file in base64.');
  return { bytes: Buffer.from(data, 'base64'), mimeType };
}
