import { setImmediate as nextTurn } from 'node:timers/promises';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { type FastifyReply, type FastifyRequest } from 'fastify';
import { overloaded } from '../errors';
import { semaphore } from '../primitives/semaphore';

/** As fast as gzip, and smaller, with a window of 256 KB. */
const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 6, [constants.BROTLI_PARAM_LGWIN]: 18 } };

const COMPRESS: Record<'br' | 'gzip', (page: string) => Promise<Buffer>> = {
  br: (page) => promisify(brotliCompress)(page, BROTLI),
  gzip: (page) => promisify(gzip)(page, { level: 9 }),
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

/** Pages of one kind of reader that are rendered and compressed at once: an encoder takes 2 MB until it is done. */
export const PAGES_AT_ONCE = 2;
/** Requests of one kind of reader that wait for their page. Two pages take a few milliseconds. */
export const PAGES_WAITING = 250;

/**
 * Sends pages. Only a few are rendered and compressed at a time, so that requests for pages use little memory and leave
 * time for other requests. Readers who are logged in never wait behind strangers.
 */
export function pageSender() {
  const ofKnown = semaphore(PAGES_AT_ONCE);
  const ofStrangers = semaphore(PAGES_AT_ONCE);

  /** @param render makes the HTML of the page once it is its turn */
  return async (
    reply: FastifyReply,
    status: number,
    isKnown: boolean,
    render: () => string,
  ): Promise<FastifyReply> => {
    const turns = isKnown ? ofKnown : ofStrangers;
    if (turns.waiting() >= PAGES_WAITING) return refuse(reply);
    return turns.run(async () => {
      await nextTurn();
      if (reply.raw.destroyed) return reply;
      const page = `<!doctype html>${render()}`;
      const encoding = encodingFor(reply.request);
      reply.code(status).type('text/html; charset=utf-8').header('vary', 'accept-encoding');
      if (encoding) reply.header('content-encoding', encoding);
      return reply.send(encoding ? await COMPRESS[encoding](page) : page);
    });
  };
}

/** Without a page, which would have to wait as well. */
function refuse(reply: FastifyReply): FastifyReply {
  const { status, message, retryAfter } = overloaded('too many pages are asked for at once');
  reply.header('retry-after', String(retryAfter));
  return reply.code(status).type('text/plain; charset=utf-8').send(`${message}\n`);
}
