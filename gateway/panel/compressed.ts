import { setImmediate as nextTurn } from 'node:timers/promises';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { type FastifyReply, type FastifyRequest } from 'fastify';
import { overloaded } from '../errors';
import { fairTurns } from '../primitives/fair-turns';

/** As fast as gzip, and smaller, with a window of 256 KB. */
const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 6, [constants.BROTLI_PARAM_LGWIN]: 18 } };

/** At once: a page takes a millisecond, and threads keep the megabytes of their encoders. */
const COMPRESS: Record<'br' | 'gzip', (page: string) => Buffer> = {
  br: (page) => brotliCompressSync(page, BROTLI),
  gzip: (page) => gzipSync(page, { level: 9 }),
};

const TAKEN = {
  br: /\bbr\b(?!\s*;\s*q=0(?:\.0*)?\s*(?:,|$))/,
  gzip: /\bgzip\b(?!\s*;\s*q=0(?:\.0*)?\s*(?:,|$))/,
};

/** Whether the browser accepts this encoding: brotli only over https and from its own machine. */
export const takes = ({ headers }: FastifyRequest, encoding: 'br' | 'gzip'): boolean =>
  TAKEN[encoding].test(String(headers['accept-encoding'] ?? ''));

/** The smallest encoding that the browser accepts. */
export const encodingFor = (request: FastifyRequest): 'br' | 'gzip' | undefined =>
  (['br', 'gzip'] as const).find((one) => takes(request, one));

/** Requests of one kind of visitor that wait for their page. A page takes a few milliseconds. */
export const PAGES_WAITING = 250;

/** Who asks for a page. */
export interface PageVisitor {
  isLoggedIn: boolean;
  /** The same for all requests of one user, browser or address. */
  key: string;
}

/**
 * Sends pages. Each is rendered and compressed in its own turn of the event loop, so that requests for pages
 * use little memory and leave time for other requests. Logged-in users never wait behind strangers, and no
 * visitor waits for more than one page of each other visitor.
 */
export function pageSender() {
  const ofUsers = fairTurns(PAGES_WAITING);
  const ofStrangers = fairTurns(PAGES_WAITING);

  /** @param render makes the HTML of the page once it is its turn */
  return async (
    reply: FastifyReply,
    status: number,
    { isLoggedIn, key }: PageVisitor,
    render: () => string,
  ): Promise<FastifyReply> => {
    const inTurn = isLoggedIn ? ofUsers : ofStrangers;
    // To wait for a reply is to wait until it has gone out: a turn must not take as long as its visitor reads.
    const isSent = await inTurn(key, async () => {
      await nextTurn();
      if (reply.raw.destroyed) return;
      const page = `<!doctype html>${render()}`;
      const encoding = encodingFor(reply.request);
      reply.code(status).type('text/html; charset=utf-8').header('vary', 'accept-encoding');
      if (encoding) reply.header('content-encoding', encoding);
      reply.send(encoding ? COMPRESS[encoding](page) : page);
    });
    return isSent ? reply : refuse(reply);
  };
}

/** Without a page, which would have to wait as well. */
function refuse(reply: FastifyReply): FastifyReply {
  const { status, message, retryAfter } = overloaded('too many pages are asked for at once');
  reply.header('retry-after', String(retryAfter));
  return reply.code(status).type('text/plain; charset=utf-8').send(`${message}\n`);
}
