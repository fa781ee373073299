import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { type FastifyReply, type FastifyRequest } from 'fastify';

const compress = (page: string): Promise<Buffer> => promisify(gzip)(page, { level: 9 });

const TAKEN = {
  br: /\bbr\b(?!\s*;\s*q=0(?:\.0*)?\s*(?:,|$))/,
  gzip: /\bgzip\b(?!\s*;\s*q=0(?:\.0*)?\s*(?:,|$))/,
};

/** Whether the browser takes what is compressed so: brotli by https and from its own machine alone. */
export const takes = ({ headers }: FastifyRequest, encoding: 'br' | 'gzip'): boolean =>
  TAKEN[encoding].test(String(headers['accept-encoding'] ?? ''));

/** Answers with a page: an eighth of its size where the browser takes it compressed. */
export async function sendPage(reply: FastifyReply, status: number, html: string): Promise<FastifyReply> {
  const page = `<!doctype html>${html}`;
  const isPacked = takes(reply.request, 'gzip');
  reply.code(status).type('text/html; charset=utf-8').header('vary', 'accept-encoding');
  if (isPacked) reply.header('content-encoding', 'gzip');
  return reply.send(isPacked ? await compress(page) : page);
}
