/**
 * Failures between the platform and its caller: a proxy answers instead, the connection breaks, or no answer
 * arrives.
 */
import { type Socket } from 'node:net';
import { type FastifyReply, type FastifyRequest } from 'fastify';

/** A number is the status of a proxy's web page. */
export type Fault = 'cut' | 'silent' | 500 | 502 | 503 | 504;

export const FAULTS: readonly Fault[] = ['cut', 'silent', 500, 502, 503, 504];

/** Thrown by a request handler instead of an answer. */
export class TransportFault extends Error {
  constructor(readonly fault: Fault) {
    super(`The answer is ${fault}`);
  }
}

const PAGE_TITLES = {
  500: 'Internal Server Error',
  502: 'Bad Gateway',
  503: 'Service Temporarily Unavailable',
  504: 'Gateway Time-out',
};

/**
 * Applies the fault. A silent connection stays open until the caller closes it or the sockets in `silent` are
 * closed.
 */
export function injectFault(
  { fault }: TransportFault,
  silent: Set<Socket>,
  { raw: { socket } }: FastifyRequest,
  reply: FastifyReply,
): unknown {
  if (fault === 'cut') {
    reply.hijack();
    socket.destroy();
    return reply;
  }
  if (fault === 'silent') {
    reply.hijack();
    silent.add(socket);
    socket.once('close', () => silent.delete(socket));
    return reply;
  }
  const title = `${fault} ${PAGE_TITLES[fault]}`;
  return reply
    .code(fault)
    .type('text/html')
    .send(
      `<html>\r\n<head><title>${title}</title></head>\r\n<body><center><h1>${title}</h1></center></body>\r\n</html>\r\n`,
    );
}
