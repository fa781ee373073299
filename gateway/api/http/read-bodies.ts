import { type IncomingMessage } from 'node:http';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { formEncoded, invalidJson, unsupportedMediaType } from '../../errors';
import { type ReadBody } from '../../http/arriving-bodies';
import { semaphore } from '../../primitives/semaphore';
import { parseBody } from './parse-body';

/** Time limits for request bodies, in milliseconds. */
export interface Patience {
  /** For a complete body that is not a file. */
  body: number;
  /** For the rest of a body after an early response, so that the client sees the response. */
  rest: number;
}

/** The operation reads a form itself, as fast as the platform accepts the file, and refuses invalid forms. */
export function leaveFormsUnread(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', async () => undefined);
}

const FORM_FIELDS = 'application/x-www-form-urlencoded';

/** As bytes, which `parsesJson` turns into a `ParsedBody`. */
export function readJsonBodies(app: FastifyInstance, read: ReadBody): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', read);
  app.addContentTypeParser(FORM_FIELDS, async (...given: Parameters<ReadBody>) => {
    const bytes = await read(...given);
    // Some clients declare a form if they send no body.
    if (bytes.length === 0) return bytes;
    const [first] = bytes.toString('latin1').trimStart();
    throw first === '{' ? unsupportedMediaType() : formEncoded();
  });
}

/** Parsing more than this takes milliseconds, so other requests run first. */
const LONG = 16 * 1024;

/**
 * @param count counts the bytes against the line's rate limit before they are parsed
 * @param isRequired whether a request without a body is refused
 * @throws Refusal
 */
export const parsesJson =
  (
    count: (request: FastifyRequest, reply: FastifyReply, bytes: number) => Promise<void>,
    isRequired: boolean,
  ) =>
  async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    const raw = request.body as Buffer | undefined;
    if (raw?.length) {
      await count(request, reply, raw.length);
      if (raw.length > LONG) await nextTurn();
      request.body = parseBody(raw, request.headers['content-encoding']);
    } else if (isRequired) throw invalidJson('it is empty.');
    else request.body = undefined;
  };

/** Answers a slow body as Node does for a slow request, only sooner. A response that has begun continues. */
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

/** How many bodies are discarded at a time, because discarding takes memory too. */
const PASSED_OVER = 4;

/**
 * Discards the rest of a body after an early response, because many clients read a response only after sending
 * everything. It waits for its turn up to the time limit of a body, then reads for as long as a client needs to see
 * the response.
 */
export function passOverRests({ body, rest }: Patience): (request: IncomingMessage) => void {
  const passing = semaphore(PASSED_OVER);
  return (request) => {
    const { socket } = request;
    if (request.complete || request.destroyed || socket.destroyed) return;
    const cutAfter = (milliseconds: number) => setTimeout(() => request.destroy(), milliseconds).unref();
    let cut = cutAfter(body);
    const { promise: over, resolve: end } = Promise.withResolvers<void>();
    // Node does not close an answered request when its connection ends.
    request.once('close', end);
    socket.once('close', end);
    void over.then(() => {
      clearTimeout(cut);
      socket.off('close', end);
    });
    // Node resumes reading by itself after the response is sent.
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
