import {
  fileEmpty,
  fileMissing,
  fileNotAsDeclared,
  fileNotSupported,
  fileTooLarge,
  invalidField,
  mediaTypeNotSupported,
} from '../errors';
import { type OutgoingFile } from '../cloud-api/media';
import { contentOf, SIGNATURE_BYTES, type FileContent } from './file-content';
import { kindOf, limitOf, MEDIA_KINDS, MEDIA_TYPES, readMediaType, typeByName } from './media-type';

/** One part of a form, in the order of arrival. A file's content must be read before the next part. */
export type FormPart =
  | { kind: 'field'; name: string; value: string }
  | {
      kind: 'file';
      name: string;
      filename: string;
      /** As declared in the part. */
      type: string;
      content: AsyncIterable<Buffer>;
    };

/** How many bytes a form may have besides the file: other fields, and boundaries. */
const FORM_MOST = 64 * 1024;

/**
 * The validated file of an upload. Parts may come in any order, and parts after the file are validated while the last
 * bytes of the file are held back. So `content` may fail late with a Refusal: if the file is too large, a later field
 * contradicts it, or the form breaks off.
 * @param announced the length of the whole form, if known
 * @throws Refusal for errors in the fields before the file and in its first bytes
 */
export async function validateUpload(
  parts: AsyncIterator<FormPart>,
  announced: number | null,
): Promise<OutgoingFile> {
  let declared: string | null = null;

  /** @returns the first part that is not a field; null at the end of the form */
  async function readFields(): Promise<Extract<FormPart, { kind: 'file' }> | null> {
    for (;;) {
      const { value: part, done } = await parts.next();
      if (done) return null;
      if (part.kind === 'file') return part;
      if (part.name === 'messaging_product') validateProduct(part.value);
      if (part.name === 'type') declared = part.value;
      // Other fields are not sent to the platform.
    }
  }

  const file = await readFields();
  if (!file) throw fileMissing();
  if (file.name !== 'file')
    throw invalidField('file', 'name', 'The part with the file must be called "file".');
  const chunks = file.content[Symbol.asyncIterator]();
  const head = await readHead(chunks);
  if (head.length === 0) throw fileEmpty();
  const found = contentOf(head.subarray(0, SIGNATURE_BYTES));
  const type = typeOf(found, declared, file);
  const limit = limitOf(kindOf(bare(type)) ?? 'document', found.isAnimated);
  if (announced !== null && announced > limit.bytes + FORM_MOST) throw fileTooLarge(limit.of, limit.named);

  async function* content(): AsyncGenerator<Buffer> {
    let size = 0;
    for await (const chunk of joined(head, chunks)) {
      size += chunk.length;
      if (size > limit.bytes) throw fileTooLarge(limit.of, limit.named);
      yield chunk;
    }
    const known = declared;
    if (await readFields()) throw invalidField('file', 'count', 'The form holds more than one file.');
    if (declared !== null && declared !== known) validateLateType(declared, type);
  }
  return { filename: file.filename, type, content: content() };
}

/** `chat` is this API's name, `whatsapp` the platform's; added if missing. */
function validateProduct(value: string): void {
  if (['chat', 'whatsapp', ''].includes(value)) return;
  throw invalidField('messaging_product', 'enum', 'messaging_product must be "chat" or "whatsapp".');
}

/** Default types of clients that set none. */
const VAGUE = ['application/octet-stream', 'binary/octet-stream', 'text/plain'];

/**
 * The type sent to the platform: the declared one if the content matches. Without a declared MIME type, the content
 * and the name decide.
 * @param declared the field `type`: a MIME type, or just `image`, `video`, `audio`, `document`, `sticker`
 */
function typeOf(
  found: FileContent,
  declared: string | null,
  file: { filename: string; type: string },
): string {
  const word = declared?.trim().toLowerCase() ?? '';
  const kind = MEDIA_KINDS.find((one) => one === word) ?? null;
  const fits = (type: string) => kind === null || kindOf(type) === kind;

  const ofField = word && !kind ? (readMediaType(word) ?? { type: word, whole: word }) : null;
  const ofPart = readMediaType(file.type);
  const given = ofField ?? (ofPart && !VAGUE.includes(ofPart.type) && fits(ofPart.type) ? ofPart : null);
  if (given) {
    if (kindOf(given.type) === null) throw mediaTypeNotSupported(given.type, allTypes());
    if (!found.types.includes(given.type)) throw fileNotAsDeclared(given.type, found.named);
    return given.whole;
  }
  const possible = found.types.filter(fits);
  const named = typeByName(file.filename);
  const type = named !== null && possible.includes(named) ? named : possible[0];
  if (type) return type;
  throw kind && found.types.length
    ? fileNotAsDeclared(kind, found.named)
    : fileNotSupported(found.named, allTypes());
}

/** Checks a field that arrives after the type was sent to the platform. */
function validateLateType(declared: string, told: string): void {
  const word = declared.trim().toLowerCase();
  if (word === kindOf(bare(told)) || readMediaType(word)?.type === bare(told)) return;
  throw fileNotAsDeclared(
    word,
    `${bare(told)} by its content and its own header; if the header is wrong, put "type" before "file"`,
  );
}

const bare = (type: string): string => type.split(';')[0]?.trim() ?? '';

const allTypes = (): string[] => MEDIA_KINDS.flatMap((kind) => MEDIA_TYPES[kind]);

async function readHead(chunks: AsyncIterator<Buffer>): Promise<Buffer> {
  const head: Buffer[] = [];
  let size = 0;
  while (size < SIGNATURE_BYTES) {
    const { value, done } = await chunks.next();
    if (done) break;
    head.push(value);
    size += value.length;
  }
  return Buffer.concat(head);
}

async function* joined(head: Buffer, chunks: AsyncIterator<Buffer>): AsyncGenerator<Buffer> {
  yield head;
  for (;;) {
    const { value, done } = await chunks.next();
    if (done) return;
    yield value;
  }
}
