import { setImmediate as nextTurn } from 'node:timers/promises';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { type FastifyReply, type FastifyRequest } from 'fastify';
import { overloaded } from '../errors';
import { fairTurns } from '../primitives/fair-turns';

/** As fast as gzip but smaller, with a window of 256 KB. */
const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 6, [constants.BROTLI_PARAM_LGWIN]: 18 } };

/** Synchronous: a page takes a millisecond, and threads would keep megabytes for their encoders. */
const COMPRESS: Record<'br' | 'gzip', (page: string) => Buffer> = {
  br: (page) => brotliCompressSync(page, BROTLI),
  gzip: (page) => gzipSync(page, { level: 9 }),
};

const TAKEN = {
  br: /\bbr\b(?!\s*;\s*q=0(?:\.0*)?\s*(?:,|$))/,
  gzip: /\bgzip\b(?!\s*;\s*q=0(?:\.0*)?\s*(?:,|$))/,
};

/** Whether the browser accepts this encoding. Browsers accept brotli only over https or from localhost. */
export const takes = ({ headers }: FastifyRequest, encoding: 'br' | 'gzip'): boolean =>
  TAKEN[encoding].test(String(headers['accept-encoding'] ?? ''));

/** The smallest encoding that the browser accepts. */
export const encodingFor = (request: FastifyRequest): 'br' | 'gzip' | undefined =>
  (['br', 'gzip'] as const).find((one) => takes(request, one));

/** Most waiting requests from users, and from strangers. A page takes a few milliseconds. */
export const PAGES_WAITING = 250;

/** The visitor who requests a page. */
export interface PageVisitor {
  isLoggedIn: boolean;
  /** Groups all requests of one user, browser or address. */
  key: string;
}

/**
 * Sends pages. Each page is rendered in its own turn of the event loop, to save memory and leave time for
 * other requests. Users never wait for strangers, and visitors take turns.
 */
export function pageSender() {
  const ofUsers = fairTurns(PAGES_WAITING);
  const ofStrangers = fairTurns(PAGES_WAITING);

  /** @param render makes the HTML of the page when its turn comes */
  return async (
    reply: FastifyReply,
    status: number,
    { isLoggedIn, key }: PageVisitor,
    render: () => string,
  ): Promise<FastifyReply> => {
    const inTurn = isLoggedIn ? ofUsers : ofStrangers;
    // Don't await the reply: it resolves only when the visitor has read it, and the turn must end before.
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

/** Plain text, because an error page would have to wait too. */
function refuse(reply: FastifyReply): FastifyReply {
  const { status, message, retryAfter } = overloaded('too many pages are asked for at once');
  reply.header('retry-after', String(retryAfter));
  return reply.code(status).type('text/plain; charset=utf-8').send(`${message}\n`);
}
