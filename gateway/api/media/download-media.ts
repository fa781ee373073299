import { accessTokenOf } from '../../lines/line';
import { Readable } from 'node:stream';
import { type FastifyReply, type FastifyRequest } from 'fastify';
import { lineNotConfigured, mediaNotFound } from '../../errors';
import { operation, type ApiDeps } from '../operation';
import { FORWARDED } from '../refusals';
import { MediaQuery, mediaOf } from './media-file';

export const downloadMedia = operation('get /{media_id}/content', {
  tag: 'Files',
  id: 'downloadMedia',
  scope: 'read',
  rate: 'reads',
  isTransfer: true,
  summary: 'Download a file',
  description:
    'The bytes of a file. Your token is enough: the gateway downloads it from the platform. The header `Range` works.',
  query: MediaQuery,
  answers: {
    200: {
      description: 'The file, with its own content type.',
      contentType: '*/*',
      schema: { type: 'string', format: 'binary' },
    },
    206: {
      description: 'The requested part.',
      contentType: '*/*',
      schema: { type: 'string', format: 'binary' },
    },
  },
  refusals: () => [mediaNotFound(), lineNotConfigured(), ...FORWARDED],
  keepsPlatformStatus: true,
  handler: getContent,
});

/** Streams a media file through the gateway, which does not store it. */
function getContent(deps: ApiDeps) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<unknown> => {
    const download = new AbortController();
    reply.raw.once('close', () => download.abort());
    const opened = await openContent(deps, request, download.signal).catch((error: unknown) => {
      if (download.signal.aborted) return null;
      throw error;
    });
    // The client disconnected while the gateway waited for the platform, so there is nothing to answer.
    if (!opened) return reply.hijack();
    const { node, status, headers, body } = opened;
    // The content comes from a contact, so browsers must not execute it.
    reply.code(status).headers({
      'content-type': node.mime_type ?? 'application/octet-stream',
      ...headers,
      'content-disposition': 'attachment',
      'content-security-policy': "default-src 'none'; sandbox",
      'x-content-type-options': 'nosniff',
      'cache-control': 'private, no-store',
    });
    if (request.method !== 'HEAD') return reply.send(body);
    // A small file has arrived already, and reports then that it was not read.
    body.on('error', () => undefined).destroy();
    return reply.send(Readable.from([]));
  };
}

/** The platform's URL is valid for five minutes, so each download requests a new one. */
async function openContent(deps: ApiDeps, request: FastifyRequest, signal: AbortSignal) {
  const { media_id: id } = request.params as { media_id: string };
  const node = await mediaOf(deps, request, id);
  const accessToken = accessTokenOf(request.line);
  const { range } = request.headers;
  return { node, ...(await deps.cloudApi.mediaContent(accessToken, node.url, { range, signal })) };
}
