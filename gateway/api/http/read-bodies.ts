import { type IncomingMessage } from 'node:http';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { formEncoded, invalidJson, unsupportedMediaType } from '../../errors';
import { type ReadBody } from '../../http/arriving-bodies';
import { semaphore } from '../../primitives/semaphore';
import { parseBody } from './parse-body';

/** How long a sender is waited for, in milliseconds. */
export interface Patience {
  /** For the whole of a body that is no file. */
  body: number;
  /** For the rest of a body that was answered before its end: so long its sender gets to see the answer. */
  rest: number;
}

/** The operation reads a file itself, as fast as the platform accepts it. It also refuses invalid forms. */
export function leaveFormsUnread(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', async () => undefined);
}

const FORM_FIELDS = 'application/x-www-form-urlencoded';

/** As bytes: `parsesJson` makes a `ParsedBody` of them. */
export function readJsonBodies(app: FastifyInstance, read: ReadBody): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', read);
  app.addContentTypeParser(FORM_FIELDS, async (...given: Parameters<ReadBody>) => {
    const [first] = (await read(...given)).toString('latin1').trimStart();
    throw first === '{' ? unsupportedMediaType() : formEncoded();
  });
}

/** To parse more than that takes milliseconds: other requests come in between. */
const LONG = 16 * 1024;

/** @param count counts the bytes against the rate of the line, before they are parsed. @throws Refusal */
export const parsesJson =
  (count: (request: FastifyRequest, reply: FastifyReply, bytes: number) => Promise<void>) =>
  async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    const raw = request.body as Buffer | undefined;
    if (raw?.length) {
      await count(request, reply, raw.length);
      if (raw.length > LONG) await nextTurn();
      request.body = parseBody(raw, request.headers['content-encoding']);
    } else if (request.method === 'POST') throw invalidJson('it is empty.');
    else request.body = undefined;
  };

/**
 * A body that arrives too slowly gets the same answer as from Node for a slow request, only sooner; an answer
 * that has begun continues.
 */
export function giveUpSlowBodies(app: FastifyInstance, after: number): void {
  app.addHook('onRequest', ({ raw }, reply, done) => {
    const giveUp = () => {
      if (raw.complete || reply.raw.headersSent) return;
      const late = Object.assign(new Error('The body takes too long'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' });
      app.server.emit('clientError', late, raw.socket);
    };
    const waiting = setTimeout(giveUp, after).unref();
    raw.once('close', () => clearTimeout(waiting));
    done();
  });
}

/** How many bodies are discarded at the same time: discarding takes memory as well. */
const PASSED_OVER = 4;

/**
 * Discards the rest of a body that was answered before its end, because many clients read an answer only
 * after they have sent everything. It waits for its turn no longer than the time limit of a body, and then
 * reads no longer than a client needs to see the answer.
 */
export function passOverRests({ body, rest }: Patience): (request: IncomingMessage) => void {
  const passing = semaphore(PASSED_OVER);
  return (request) => {
    const { socket } = request;
    if (request.complete || request.destroyed || socket.destroyed) return;
    const cutAfter = (milliseconds: number) => setTimeout(() => request.destroy(), milliseconds).unref();
    let cut = cutAfter(body);
    const { promise: over, resolve: end } = Promise.withResolvers<void>();
    // Node does not close a request that was answered when its connection ends.
    request.once('close', end);
    socket.once('close', end);
    void over.then(() => {
      clearTimeout(cut);
      socket.off('close', end);
    });
    // Node reads on by itself as soon as the answer has gone out.
    setImmediate(() => {
      socket.pause();
      void passing.run(async () => {
        clearTimeout(cut);
        if (!request.destroyed && !socket.destroyed) cut = cutAfter(rest);
        socket.resume();
        await over;
      });
    });
  };
}
