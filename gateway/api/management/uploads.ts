import { type FastifyRequest } from 'fastify';
import * as Type from 'typebox';
import { fileTooLarge, lineNotConfigured, tooManyPlatformReads, uploadNotFound } from '../../errors';
import { parsed } from '../../cloud-api/json/json-value';
import { accessTokenOf } from '../../lines/line';
import { uploadBytes, uploadIdIn, UPLOADS } from '../../management/uploads';
import { operation, type ApiDeps } from '../operation';
import { FORWARDED } from '../refusals';
import { forward, givenOf, NODE, sendText, textQuery } from './forward';

/** The largest file: a document of a template. */
const MOST_MEGABYTES = 100;

const BEGIN_QUERY = {
  file_name: 'The name of the file.',
  file_length: 'Its bytes.',
  file_type: '`application/pdf`, `image/jpeg`, `image/png` or `video/mp4`.',
};

const SessionAnswer = Type.Object({ id: Type.String() }, { additionalProperties: true });

export const beginUpload = operation('post /{app_id}/uploads', {
  tag: 'Management',
  id: 'beginUpload',
  scope: 'manage',
  rate: 'changes',
  summary: 'Begin an upload',
  description:
    'Begins the upload of a picture for the profile, or of a sample file for a template. `app_id` is `app` or any number: the gateway uses the app of the line’s access token. Only tokens of this line can continue the upload.',
  query: textQuery(BEGIN_QUERY),
  body: { schema: NODE, isOptional: true, examples: { picture: { value: { file_type: 'image/png' } } } },
  answers: { 200: { description: 'The upload.', schema: SessionAnswer } },
  refusals: () => [lineNotConfigured(), ...FORWARDED],
  keepsPlatformStatus: true,
  handler: (deps) => async (request) => {
    const text = await forward(deps, request, {
      method: 'post',
      path: UPLOADS,
      query: givenOf(request, Object.keys(BEGIN_QUERY)),
    });
    return { ...(parsed(text) as object), id: sealed(deps, request, uploadIdIn(text)) };
  },
});

export const continueUpload = operation('post /upload:{upload_id}', {
  tag: 'Management',
  id: 'continueUpload',
  scope: 'manage',
  rate: 'changes',
  isTransfer: true,
  summary: 'Upload the bytes',
  description:
    'Uploads the bytes of the file from `file_offset` on. The answer has the handle `h`, for `profile_picture_handle` or `header_handle`.',
  headers: {
    file_offset: {
      description: 'The first byte: 0, or where a broken upload continues.',
      schema: { type: 'string' },
    },
  },
  body: {
    contentType: 'application/octet-stream',
    schema: { type: 'string', format: 'binary' },
    examples: { file: { value: '…' } },
  },
  answers: { 200: { description: 'The handle of the file.', schema: NODE } },
  refusals: () => [
    fileTooLarge('files', `${MOST_MEGABYTES} MB`),
    uploadNotFound(),
    lineNotConfigured(),
    ...FORWARDED,
  ],
  keepsPlatformStatus: true,
  handler: (deps) => async (request, reply) => {
    const { headers, line, raw } = request;
    const length = Number(headers['content-length'] ?? Number.NaN);
    if (!(length <= MOST_MEGABYTES * 1024 * 1024)) throw fileTooLarge('files', `${MOST_MEGABYTES} MB`);
    const offset = headers.file_offset ?? headers['file-offset'];
    const id = opened(deps, request);
    const bytes = { body: raw, length, offset: String(offset ?? '0') };
    return sendText(reply, await uploadBytes(deps.cloudApi, accessTokenOf(line), id, bytes));
  },
});

export const getUpload = operation('get /upload:{upload_id}', {
  tag: 'Management',
  id: 'getUpload',
  scope: 'manage:read',
  rate: 'reads',
  summary: 'Ask how far an upload is',
  description: 'Returns `file_offset`: how many bytes the platform has.',
  answers: { 200: { description: 'The upload.', schema: SessionAnswer } },
  refusals: () => [uploadNotFound(), lineNotConfigured(), tooManyPlatformReads(5), ...FORWARDED],
  keepsPlatformStatus: true,
  handler: (deps) => async (request) => {
    const path = opened(deps, request);
    const text = await forward(deps, request, { method: 'get', path, query: {} });
    const { upload_id: id } = request.params as { upload_id: string };
    return { ...(parsed(text) as object), id: `upload:${id}` };
  },
});

/** The platform's id, encrypted with the token that began the upload: no other token can continue it. */
const sealed = ({ vault }: ApiDeps, request: FastifyRequest, id: string): string =>
  `upload:${vault.seal('api.upload', JSON.stringify([beginnerOf(request), id]))}`;

/** Who may continue an upload: tokens of the chain of a line token, or one admin token for the same line. */
const beginnerOf = ({ token, line }: FastifyRequest): number | string =>
  token.kind === 'admin' ? `admin token ${token.id} of line ${line.id}` : token.firstId;

/** The platform's id of an upload. @throws Refusal if another token began it */
function opened({ vault }: ApiDeps, request: FastifyRequest): string {
  const { upload_id: sealedId } = request.params as { upload_id: string };
  try {
    const [beginner, id] = JSON.parse(vault.open('api.upload', sealedId)) as [number | string, string];
    if (beginner === beginnerOf(request)) return id;
  } catch {
    // Not an id of this gateway.
  }
  throw uploadNotFound();
}
