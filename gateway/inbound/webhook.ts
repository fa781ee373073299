import { timingSafeEqual } from 'node:crypto';
import { type FastifyReply, type FastifyRequest } from 'fastify';
import { NotANotification, readNotification } from '../cloud-api/notification';
import { isSignedBy, SIGNATURE_HEADER } from '../cloud-api/signature';
import { invalidJson, notFound, wrongSignature, wrongVerifyToken } from '../errors';
import { recordNotification, type RecordingDeps } from './record-notification';

/** The app secret and the verify token of one callback address. */
export interface Callback {
  appSecret: string | null;
  verifyToken: string | null;
}

type CallbackRequest = FastifyRequest<{ Params: { tid?: string }; Querystring: Record<string, unknown> }>;

/** Upstream's callback, for all lines or for one: `common` is that for all lines. */
export function platformWebhook(deps: RecordingDeps, common: Callback) {
  function callbackOf(request: CallbackRequest): Callback {
    const { tid } = request.params;
    if (tid === undefined) return common;
    const line = deps.lines.byTid(tid);
    return { appSecret: line?.appSecret ?? null, verifyToken: line?.verifyToken ?? null };
  }

  return {
    /** The handshake, when the address is entered upstream: answers the bare challenge. */
    async verify(request: CallbackRequest, reply: FastifyReply): Promise<unknown> {
      const { verifyToken } = callbackOf(request);
      if (verifyToken === null) throw notFound(request.routeOptions.url ?? '');
      const { 'hub.mode': mode, 'hub.verify_token': given, 'hub.challenge': challenge } = request.query;
      if (mode !== 'subscribe' || typeof given !== 'string' || !isSame(given, verifyToken))
        throw wrongVerifyToken();
      return reply.type('text/plain; charset=utf-8').send(typeof challenge === 'string' ? challenge : '');
    },

    /** A notification. It is recorded before it is answered 200: upstream repeats what was not accepted. */
    async receive(request: CallbackRequest, reply: FastifyReply): Promise<unknown> {
      const { appSecret } = callbackOf(request);
      if (appSecret === null) throw notFound(request.routeOptions.url ?? '');
      const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
      const header = request.headers[SIGNATURE_HEADER];
      if (!isSignedBy(appSecret, body, typeof header === 'string' ? header : undefined))
        throw wrongSignature();
      await recordNotification(deps, read(body));
      return reply.send({ success: true });
    },
  };
}

function read(body: Buffer) {
  try {
    return readNotification(body);
  } catch (error) {
    if (error instanceof NotANotification) throw invalidJson(error.message);
    throw error;
  }
}

function isSame(given: string, expected: string): boolean {
  const one = Buffer.from(given);
  const other = Buffer.from(expected);
  return one.length === other.length && timingSafeEqual(one, other);
}
