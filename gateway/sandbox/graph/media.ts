/**
 * Media files: upload by form, description with a URL that is valid for five minutes, download with the
 * access token, deletion.
 * https://developers.facebook.com/docs/whatsapp/cloud-api/reference/media
 */
import { hash } from 'node:crypto';
import { type IncomingMessage } from 'node:http';
import { Busboy, type BusboyHeaders } from '@fastify/busboy';
import { type FastifyReply, type FastifyRequest } from 'fastify';
import { type SandboxLine } from '../platform/account';
import {
  fileTypeNotOneOf,
  mediaIdUnknown,
  mediaLinkExpired,
  objectUnknown,
  parameterInvalid,
  parameterMissing,
} from '../platform/errors';
import { lastOf, type QueryParameters } from '../platform/read';
import { isMissing, isObject, type JsonObject } from '../platform/json';
import { type AcceptedMessage } from '../contacts/accepted-message';
import { validateProduct } from './validate-message';
import { FILE_MOST, type MediaFiles, WITH_FILE } from '../platform/media-files';

/** Types in the order of the platform's own refusal, then the archives allowed as documents. */
const TYPES = [
  'audio/aac',
  'audio/mp4',
  'audio/mpeg',
  'audio/amr',
  'audio/ogg',
  'audio/opus',
  'application/vnd.ms-powerpoint',
  'application/msword',
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  'application/vnd.openxmlformats-officedocument.presentationml.presentation',
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  'application/pdf',
  'text/plain',
  'application/vnd.ms-excel',
  'application/zip',
  'image/jpeg',
  'image/png',
  'image/webp',
  'video/mp4',
  'video/3gpp',
];

/** `POST /{phone number id}/media`. */
export async function uploadMedia(
  files: MediaFiles,
  line: SandboxLine,
  query: QueryParameters,
  request: IncomingMessage,
) {
  const { fields, file } = await readForm(request);
  validateProduct({ messaging_product: lastOf(query.messaging_product), ...fields });
  if (!file) throw parameterMissing('file');
  if (!TYPES.includes(file.type)) throw fileTypeNotOneOf(TYPES, file.type);
  if (file.isCut) throw parameterInvalid('The file is larger than 100 MB');
  return { id: files.keep(line, file.type, file.bytes).id };
}

/** `GET /{media id}`; undefined if the request may see no such file. */
export function describeMedia(
  files: MediaFiles,
  lines: readonly SandboxLine[],
  id: string,
  query: QueryParameters,
  server: string,
) {
  const file = seen(files, lines, id, query);
  return (
    file && {
      url: `${server}/whatsapp_business/attachments/?${files.sign(file)}`,
      mime_type: file.type,
      sha256: hash('sha256', file.bytes),
      file_size: file.bytes.length,
      id: file.id,
      messaging_product: 'whatsapp',
    }
  );
}

/** `DELETE /{media id}`. */
export function deleteMedia(
  files: MediaFiles,
  lines: readonly SandboxLine[],
  id: string,
  query: QueryParameters,
) {
  const file = seen(files, lines, id, query);
  if (!file) throw objectUnknown('delete', id);
  files.delete(file.id);
  return { success: true };
}

/** Sends the file at the URL from its description. */
export function sendContent(
  files: MediaFiles,
  lines: readonly SandboxLine[],
  { query }: FastifyRequest,
  reply: FastifyReply,
) {
  const { mid, ext, hash: signature } = query as QueryParameters;
  const id = lastOf(mid) ?? '';
  const file = files.find(id, lines);
  if (!file || !files.isSigned(id, lastOf(ext) ?? '', lastOf(signature) ?? '')) throw mediaLinkExpired();
  return reply.type(file.type).send(file.bytes);
}

/** Refuses a message that names an unknown media ID. */
export function validateMediaId(
  files: MediaFiles,
  line: SandboxLine,
  { type, content }: AcceptedMessage,
): void {
  if (!WITH_FILE.includes(type) || !isObject(content)) return;
  const { id } = content;
  if (isMissing(id)) return;
  if (!files.find(String(id), [line])) throw mediaIdUnknown(type);
}

function seen(files: MediaFiles, lines: readonly SandboxLine[], id: string, query: QueryParameters) {
  const asked = lastOf(query.phone_number_id);
  const among = asked === undefined ? lines : lines.filter(({ phoneNumberId }) => phoneNumberId === asked);
  return files.find(id, among);
}

interface Form {
  fields: JsonObject;
  file?: { type: string; bytes: Buffer; isCut: boolean };
}

/** Reads the form. Like the platform, treats an invalid form as empty. */
function readForm(request: IncomingMessage): Promise<Form> {
  const { promise, resolve, reject } = Promise.withResolvers<Form>();
  const form: Form = { fields: {} };
  let parser;
  try {
    const limits = { fileSize: FILE_MOST, files: 1, fields: 20, fieldSize: 4096 };
    parser = new Busboy({ headers: request.headers as BusboyHeaders, limits });
  } catch {
    return Promise.resolve(form);
  }
  const brokeOff = () => reject(parameterInvalid('The form broke off before its end'));
  parser
    .on('field', (name, value) => void Object.assign(form.fields, { [name]: value }))
    .on('file', (name, content, _filename, _encoding, type) => {
      const chunks: Buffer[] = [];
      content.on('error', brokeOff);
      content.on('data', (chunk: Buffer) => void chunks.push(chunk));
      content.on('end', () => {
        if (name === 'file') form.file = { type, bytes: Buffer.concat(chunks), isCut: content.truncated };
      });
    })
    .on('error', brokeOff)
    .on('finish', () => resolve(form));
  request.on('close', () => request.complete || brokeOff());
  request.pipe(parser);
  return promise;
}
