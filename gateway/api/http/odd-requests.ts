import { METHODS } from 'node:http';
import { type Socket } from 'node:net';
import { type FastifyInstance } from 'fastify';
import { methodNotAllowed } from '../../errors';
import { answerInBytes, unreadableRequest } from './error-answers';

/** A request that is no HTTP never reaches a route; it is answered in the same shape. */
export function answerUnreadable(error: { code?: string }, socket: Socket): void {
  if (error.code !== 'ECONNRESET' && socket.writable) socket.write(unreadableRequest(error.code));
  // The gateway closes the connection: the client may never do so.
  socket.destroySoon();
}

/** Answers as any other request what Node would refuse itself, without a body: all its methods, CONNECT and `Expect`. */
export function answerOddRequests(app: FastifyInstance): void {
  for (const method of METHODS) {
    if (method !== 'CONNECT' && !app.supportedMethods.includes(method)) app.addHttpMethod(method);
  }
  // An unknown expectation is no reason not to answer; Node would answer 417.
  app.server.on('checkExpectation', (request, response) => app.server.emit('request', request, response));
  // The gateway is no proxy; Node would close the connection without an answer.
  app.server.on('connect', (request, socket) => {
    socket.on('error', () => undefined);
    const refused = methodNotAllowed(request.method ?? 'CONNECT', 'GET, POST or DELETE');
    socket.end(answerInBytes(refused, '405 Method Not Allowed'), () => socket.destroy());
  });
}

/** Browsers, proxies and clients of the platform wait for each answer before they send the next request. */
const MOST_PIPELINED = 16;

/** Closes a connection that sends more and more requests without waiting for answers: each takes memory until then. */
export function boundPipelines(app: FastifyInstance): void {
  const unanswered = new WeakMap<Socket, number>();
  const count = (socket: Socket, more: number): number => {
    const counted = (unanswered.get(socket) ?? 0) + more;
    unanswered.set(socket, counted);
    return counted;
  };
  app.addHook('onRequest', ({ raw: { socket } }, reply, done) => {
    reply.raw.once('close', () => count(socket, -1));
    if (count(socket, 1) <= MOST_PIPELINED) return done();
    reply.hijack();
    socket.destroy();
  });
}
