import { type IncomingMessage } from 'node:http';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { formEncoded, invalidJson, unsupportedMediaType, type Refusal } from '../../errors';
import { hasBody, type ReadBody } from '../../http/arriving-bodies';
import { semaphore } from '../../primitives/semaphore';
import { parseBody } from './parse-body';

/** Time limits for request bodies, in milliseconds. */
export interface Patience {
  /** For a complete body that is not a file. */
  body: number;
  /** For the rest of a body after an early response, so that the client sees the response. */
  rest: number;
}

/** Keeps Fastify from reading bodies, because its parsers take a tenth of the time of an event. */
export function leaveBodiesUnread(app: FastifyInstance): void {
  for (const method of app.supportedMethods) app.addHttpMethod(method, { overrideExisting: true });
}

/** Parsing more than this takes milliseconds, so other requests run first. */
const LONG = 16 * 1024;

/**
 * The hook that reads a JSON body as a `ParsedBody`.
 * @param read reads the bytes
 * @param count counts the bytes against the line's rate limit before they are parsed
 * @param isRequired whether a request without a body is refused
 * @throws Refusal
 */
export const readsJson =
  (
    read: ReadBody,
    count: (request: FastifyRequest, reply: FastifyReply, bytes: number) => Promise<void> | void,
    isRequired: boolean,
  ) =>
  async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    const type = hasBody(request.raw) ? mediaType(request.headers['content-type']) : JSON_TYPE;
    if (type !== JSON_TYPE && type !== FORM_FIELDS) throw unsupportedMediaType();
    await read(request, reply);
    const raw = request.body as Buffer | undefined;
    if (raw?.length) {
      // Not before it is read, because some clients declare a form if they send no body.
      if (type === FORM_FIELDS) throw refusalOfForm(raw);
      await count(request, reply, raw.length);
      if (raw.length > LONG) await nextTurn();
      request.body = parseBody(raw, request.headers['content-encoding']);
    } else if (isRequired) throw invalidJson('it is empty.');
    else request.body = undefined;
  };

const JSON_TYPE = 'application/json';
const FORM_FIELDS = 'application/x-www-form-urlencoded';

/** @param header Content-Type, such as `Application/JSON; charset=utf-8` */
const mediaType = (header = ''): string =>
  header === JSON_TYPE ? header : (header.split(';')[0] ?? '').trim().toLowerCase();

const refusalOfForm = (body: Buffer): Refusal =>
  body.toString('latin1').trimStart().startsWith('{') ? unsupportedMediaType() : formEncoded();

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
