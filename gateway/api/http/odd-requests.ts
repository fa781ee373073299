import { METHODS } from 'node:http';
import { type Socket } from 'node:net';
import { type FastifyInstance } from 'fastify';
import { methodNotAllowed } from '../../errors';
import { answerInBytes, unreadableRequest } from './error-answers';

/** Answers data that is not valid HTTP, which never reaches a route, in the usual error format. */
export function answerUnreadable(error: { code?: string }, socket: Socket): void {
  if (error.code !== 'ECONNRESET' && socket.writable) socket.write(unreadableRequest(error.code));
  // The gateway closes the connection, because the client may never do so.
  socket.destroySoon();
}

/** Answers requests that Node itself would refuse without a body: unknown methods, CONNECT and `Expect`. */
export function answerOddRequests(app: FastifyInstance): void {
  for (const method of METHODS) {
    if (method !== 'CONNECT' && !app.supportedMethods.includes(method)) app.addHttpMethod(method);
  }
  // The request is answered in the usual way. Node would respond with 417.
  app.server.on('checkExpectation', (request, response) => app.server.emit('request', request, response));
  // The gateway is not a proxy. Node would close the connection without a response.
  app.server.on('connect', (request, socket) => {
    socket.on('error', () => undefined);
    const refused = methodNotAllowed(request.method ?? 'CONNECT', 'GET, POST or DELETE');
    socket.end(answerInBytes(refused, '405 Method Not Allowed'), () => socket.destroy());
  });
}

/** Browsers, proxies and clients of the platform send one request at a time per connection. */
const MOST_PIPELINED = 16;

/** Closes a connection that keeps sending requests without waiting for responses, because each takes memory. */
export function boundPipelines(app: FastifyInstance): void {
  /** Requests that wait for the response to an earlier one. */
  const waiting = new WeakMap<Socket, number>();
  const count = (socket: Socket, more: number): number => {
    const counted = (waiting.get(socket) ?? 0) + more;
    waiting.set(socket, counted);
    return counted;
  };
  app.addHook('onRequest', ({ raw: { socket } }, reply, done) => {
    // Node gives the socket to one response at a time.
    if (reply.raw.socket) return done();
    reply.raw.once('close', () => count(socket, -1));
    if (count(socket, 1) < MOST_PIPELINED) return done();
    reply.hijack();
    socket.destroy();
  });
}
