import { type FastifyReply, type FastifyRequest } from 'fastify';
import { Type, type Static } from 'typebox';
import { type CloudApi } from '../cloud-api/client';
import { lineNotConfigured, notMultipart } from '../errors';
import { judgeForm } from '../media/judge-form';
import { openForm } from './form';

/** The form of an upload, as multipart/form-data; its parts may come in any order. */
export const MediaForm = Type.Object({
  /** Filled in where it is missing. */
  messaging_product: Type.Optional(Type.Enum(['chat', 'whatsapp'])),
  /** A MIME type; or image, video, audio, document, sticker; or nothing, and the file's own content tells. */
  type: Type.Optional(Type.String()),
  file: Type.String({ format: 'binary' }),
});

export const MediaUploadAnswer = Type.Object({ success: Type.Literal(true), id: Type.String() });

/**
 * POST …/{tid}/media: hands a file to upstream while it arrives. It is judged by its first bytes before upstream is
 * asked at all; upstream is told that it is whole only once it is, and once nothing that follows it speaks against it.
 */
export const postMedia =
  ({ cloudApi }: { cloudApi: CloudApi }) =>
  async (request: FastifyRequest, reply: FastifyReply): Promise<unknown> => {
    const { phoneNumberId, accessToken } = request.line;
    if (accessToken === null) throw lineNotConfigured();
    if (!/^multipart\/form-data\b/i.test(request.headers['content-type'] ?? '')) throw notMultipart();
    const form = openForm(request.raw);
    try {
      const file = await judgeForm(form.parts, lengthOf(request));
      const uploaded = await cloudApi.uploadMedia({ phoneNumberId, accessToken }, file);
      const answer: Static<typeof MediaUploadAnswer> = { success: true, ...uploaded };
      return await reply.send(answer);
    } finally {
      form.stop();
    }
  };

/** Null where the form comes in chunks. */
function lengthOf(request: FastifyRequest): number | null {
  const told = request.headers['content-length'];
  return told === undefined ? null : Number(told);
}
