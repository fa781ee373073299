import { accessTokenOf } from '../../lines/line';
import { type FastifyReply, type FastifyRequest } from 'fastify';
import * as Type from 'typebox';
import { fileMissing, fileTooLarge, formBroken, lineNotConfigured, notMultipart } from '../../errors';
import { validateUpload } from '../../media/validate-upload';
import { answerTo } from '../http/answer-parts';
import { openForm } from '../http/form';
import { operation, type ApiDeps } from '../operation';
import { FORWARDED } from '../refusals';

/** The upload form (multipart/form-data), with parts in any order. */
const MediaForm = Type.Object({
  /** Added if missing. */
  messaging_product: Type.Optional(Type.Enum(['chat', 'whatsapp'])),
  /** A MIME type; or image, video, audio, document or sticker; or empty, to derive it from the content. */
  type: Type.Optional(Type.String()),
  file: Type.String({ format: 'binary' }),
});

const MediaUploadAnswer = Type.Object({ success: Type.Optional(Type.Literal(true)), id: Type.String() });

export const uploadMedia = operation('post /{tid}/media', {
  tag: 'Files',
  id: 'uploadMedia',
  scope: 'send',
  rate: 'reads',
  isTransfer: true,
  summary: 'Upload a file',
  description: [
    'Uploads a file, then send it by its `id`. What is in the file decides its type, not its name.',
    '',
    'Images (JPEG, PNG) up to 5 MB; videos (MP4, 3GPP) and audio (MP3, OGG, AAC, M4A, AMR) up to 16 MB; documents (PDF, Word, Excel, ZIP and the like) up to 100 MB; stickers (WebP) up to 100 KB, animated ones up to 500 KB.',
  ].join('\n'),
  body: {
    contentType: 'multipart/form-data',
    schema: MediaForm,
    examples: {
      image: {
        summary: 'A picture',
        value: { messaging_product: 'whatsapp', type: 'image/jpeg', file: '…' },
      },
    },
  },
  answers: { 200: { description: 'The platform has the file.', schema: MediaUploadAnswer } },
  refusals: () => [
    notMultipart(),
    formBroken('The form ended before its end.'),
    fileMissing(),
    fileTooLarge('images', '5 MB'),
    lineNotConfigured(),
    ...FORWARDED,
  ],
  keepsPlatformStatus: true,
  handler: postMedia,
});

/**
 * Streams a file to the platform. Its first bytes are checked before the platform is called. The upload is completed
 * only if the whole form is valid.
 */
function postMedia({ cloudApi }: ApiDeps) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<unknown> => {
    const { phoneNumberId } = request.line;
    const accessToken = accessTokenOf(request.line);
    if (!/^multipart\/form-data\b/i.test(request.headers['content-type'] ?? '')) throw notMultipart();
    const form = openForm(request.raw);
    try {
      const file = await validateUpload(form.parts, lengthOf(request));
      const uploaded = await cloudApi.uploadMedia({ phoneNumberId, accessToken }, file);
      const answer: Type.Static<typeof MediaUploadAnswer> = { success: true, ...uploaded };
      return await reply.send(answerTo(request.token, answer));
    } finally {
      form.stop();
    }
  };
}

/** Null if the form is sent in chunks. */
function lengthOf(request: FastifyRequest): number | null {
  const told = request.headers['content-length'];
  return told === undefined ? null : Number(told);
}
