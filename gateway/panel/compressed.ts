import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { type FastifyReply, type FastifyRequest } from 'fastify';

/** As quick as gzip, and smaller, with a window of 256 KB. */
const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 6, [constants.BROTLI_PARAM_LGWIN]: 18 } };

const COMPRESS: Record<'br' | 'gzip', (page: string) => Promise<Buffer>> = {
  br: (page) => promisify(brotliCompress)(page, BROTLI),
  gzip: (page) => promisify(gzip)(page, { level: 9 }),
};

const TAKEN = {
  br: /\bbr\b(?!\s*;\s*q=0(?:\.0*)?\s*(?:,|$))/,
  gzip: /\bgzip\b(?!\s*;\s*q=0(?:\.0*)?\s*(?:,|$))/,
};

/** Whether the browser takes what is compressed so: brotli by https and from its own machine alone. */
export const takes = ({ headers }: FastifyRequest, encoding: 'br' | 'gzip'): boolean =>
  TAKEN[encoding].test(String(headers['accept-encoding'] ?? ''));

/** The smallest of those that the browser takes. */
export const encodingFor = (request: FastifyRequest): 'br' | 'gzip' | undefined =>
  (['br', 'gzip'] as const).find((one) => takes(request, one));

/** Answers with a page: an eighth of its size where the browser takes it compressed. */
export async function sendPage(reply: FastifyReply, status: number, html: string): Promise<FastifyReply> {
  const page = `<!doctype html>${html}`;
  const encoding = encodingFor(reply.request);
  reply.code(status).type('text/html; charset=utf-8').header('vary', 'accept-encoding');
  if (encoding) reply.header('content-encoding', encoding);
  return reply.send(encoding ? await COMPRESS[encoding](page) : page);
}
