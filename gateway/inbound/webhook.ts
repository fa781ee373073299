import { timingSafeEqual } from 'node:crypto';
import { type FastifyBaseLogger, type FastifyReply, type FastifyRequest } from 'fastify';
import {
  NotANotification,
  readNotification,
  TooMuchAtOnce,
  type NotificationEvent,
} from '../cloud-api/notification';
import { isSignedBy, SIGNATURE_HEADER } from '../cloud-api/signature';
import { callbackNotFound, invalidJson, payloadTooLarge, wrongSignature, wrongVerifyToken } from '../errors';
import { type Line } from '../lines/line';
import { type AuditedDeps } from '../store/with-audit';
import { HOUR, isoTime } from '../time';
import { type AccountEvents } from './account-events';
import { type EventRates } from './event-rates';
import { linesOf } from './lines-of-event';
import { recordNotification, type RecordingDeps } from './record-notification';

/** The app secret and the verify token of one callback URL. */
export interface WebhookSecrets {
  appSecret: string | null;
  verifyToken: string | null;
}

/** How long wrong signatures say nothing about the app secret after a right one. */
const SIGNATURE_TRUSTED = HOUR;

type CallbackRequest = FastifyRequest<{ Params: { tid?: string }; Querystring: Record<string, unknown> }>;

/**
 * The platform's callback, shared (`common`) or of one line. A line's URL accepts notifications signed with the
 * line's app secret, and only their events for lines with the same secret, because one app of the platform may have
 * several numbers. So the holder of one secret cannot forge events for another customer's line, or for a line that is
 * added later.
 */
export function platformWebhook(
  deps: RecordingDeps &
    Pick<AuditedDeps, 'registry'> & {
      accountEvents: AccountEvents;
      eventRates: EventRates;
      log: FastifyBaseLogger;
    },
  common: WebhookSecrets,
) {
  /** When each line's own callback last received a right signature, in milliseconds. */
  const signedAt = new Map<number, number>();
  /** Lines whose signatures are being noted. */
  const noting = new Set<number>();

  function callbackOf(request: CallbackRequest): WebhookSecrets {
    const { tid } = request.params;
    if (tid === undefined) return common;
    const line = deps.lines.byTid(tid);
    return { appSecret: line?.appSecret ?? null, verifyToken: line?.verifyToken ?? null };
  }

  /**
   * Stores the verification, which the panel shows during setup. If storing fails, the verification still succeeds.
   */
  async function noteHandshake(tid: string | undefined): Promise<void> {
    const id = tid === undefined ? null : (deps.lines.byTid(tid)?.id ?? 0);
    await deps.store.lines
      .noteHandshake(id, isoTime(deps.clock()))
      .catch((error: unknown) => deps.log.warn({ error, tid }, 'handshake not noted'));
  }

  /**
   * Stores since when signatures are wrong, for the checks of the line. Strangers can send wrong ones too, so they count
   * only if no right one arrived here for a while.
   */
  async function noteSignature(line: Line, isRight: boolean): Promise<void> {
    const now = deps.clock();
    if (isRight) signedAt.set(line.id, now);
    const isKnown = isRight === (line.signatureFailedAt === null);
    const isTrusted = now - (signedAt.get(line.id) ?? -Infinity) < SIGNATURE_TRUSTED;
    if (isKnown || noting.has(line.id) || (!isRight && isTrusted)) return;
    noting.add(line.id);
    await deps.store.lines
      .noteSignature(line.id, isRight ? null : isoTime(now))
      .then(() => deps.registry.refresh())
      .catch((error: unknown) => deps.log.warn({ error, line: line.id }, 'signature not noted'))
      .finally(() => noting.delete(line.id));
  }

  return {
    /** Verifies the callback URL when it is entered at the platform, by returning the bare challenge. */
    async verify(request: CallbackRequest, reply: FastifyReply): Promise<unknown> {
      const { verifyToken } = callbackOf(request);
      if (verifyToken === null) throw callbackNotFound();
      const { 'hub.mode': mode, 'hub.verify_token': given, 'hub.challenge': challenge } = request.query;
      if (mode !== 'subscribe' || typeof given !== 'string' || !isSame(given, verifyToken))
        throw wrongVerifyToken();
      await noteHandshake(request.params.tid);
      // Keeps browsers from rendering the challenge as a page.
      reply.header('x-content-type-options', 'nosniff');
      return reply.type('text/plain; charset=utf-8').send(typeof challenge === 'string' ? challenge : '');
    },

    /** Refuses unknown URLs before a body is read, so that it uses no memory. */
    isKnown(request: FastifyRequest, _reply: FastifyReply, done: (refused?: Error) => void): void {
      done(callbackOf(request as CallbackRequest).appSecret === null ? callbackNotFound() : undefined);
    },

    /**
     * Receives a notification and stores it before responding with 200, because the platform resends what was not
     * accepted.
     */
    async receive(request: CallbackRequest, reply: FastifyReply): Promise<unknown> {
      const { appSecret } = callbackOf(request);
      if (appSecret === null) throw callbackNotFound();
      const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
      const header = request.headers[SIGNATURE_HEADER];
      const { tid } = request.params;
      const line = tid === undefined ? undefined : deps.lines.byTid(tid);
      const isRight = isSignedBy(appSecret, body, typeof header === 'string' ? header : undefined);
      if (line) await noteSignature(line, isRight);
      if (!isRight) throw wrongSignature();
      if (!line) await record(body, read(body));
      else
        await deps.eventRates.run(line.id, body.length, () => record(body, eventsOf(body, appSecret, tid)));
      return reply.send({ success: true });
    },
  };

  async function record(body: Buffer, events: NotificationEvent[]): Promise<void> {
    deps.accountEvents.heard(await recordNotification(deps, events, body).catch(refuse));
  }

  /** The events for lines with this app secret. */
  function eventsOf(body: Buffer, appSecret: string, tid: string | undefined): NotificationEvent[] {
    const events = read(body);
    const own = events.filter((event) => {
      const lines = linesOf(deps.lines, event);
      return lines.length > 0 && lines.every((line) => line.appSecret === appSecret);
    });
    if (own.length < events.length)
      deps.log.warn(
        { tid, events: events.length - own.length },
        'events of lines with another app secret, or of no line here, refused',
      );
    return own;
  }
}

function read(body: Buffer) {
  try {
    return readNotification(body);
  } catch (error) {
    return refuse(error);
  }
}

function refuse(error: unknown): never {
  if (error instanceof NotANotification) throw invalidJson(error.message);
  if (error instanceof TooMuchAtOnce) throw payloadTooLarge(error.message);
  throw error;
}

function isSame(given: string, expected: string): boolean {
  const one = Buffer.from(given);
  const other = Buffer.from(expected);
  return one.length === other.length && timingSafeEqual(one, other);
}
