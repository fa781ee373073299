import { type FastifyReply, type FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { type CloudApi } from '../cloud-api/client';
import { QUALITIES } from '../cloud-api/phone-number';
import { asksToMarkAsRead, messageFaults } from '../cloud-api/message-faults';
import {
  recipientOf,
  type MarkAsRead,
  type MessageRequest,
  type TemplateMessage,
} from '../cloud-api/message-request';
import { invalidPayload, lineNotConfigured } from '../errors';
import { traceOfRequest, traceparent } from '../http/trace-context';
import { type Line } from '../lines/line';
import { lineQuality, refuseByQuality } from '../lines/quality';
import { type Refresher } from '../lines/refresh';
import {
  needsWindow,
  refuseOutsideWindow,
  type CustomerServiceWindows,
} from '../messages/customer-service-window';
import { earlierAnswer, readIdempotencyKey, sendKey, sendUnderKey } from '../messages/idempotent-send';
import { markAsRead, sendMessage } from '../messages/send-message';
import { type SendRates } from '../messages/send-rates';
import { type Store } from '../store/database';
import { preflight } from '../templates/preflight';
import { type SyncTemplates } from '../templates/sync-templates';
import { templateRecord, type TemplateRecord } from '../templates/template-record';
import { type Clock } from '../time';
import { type ParsedBody } from './parse-body';

export interface SendDeps {
  store: Store;
  cloudApi: CloudApi;
  windows: CustomerServiceWindows;
  refresher: Refresher;
  sendRates: SendRates;
  syncTemplates: SyncTemplates;
  clock: Clock;
}

/** The answer to a message that upstream took. `contacts` and `messages` are upstream's own, as it sent them. */
export const SendAnswer = Type.Object({
  success: Type.Literal(true),
  messaging_product: Type.Literal('whatsapp'),
  contacts: Type.Optional(
    Type.Array(
      Type.Object(
        {
          input: Type.Optional(Type.String()),
          wa_id: Type.Optional(Type.String()),
          user_id: Type.Optional(Type.String()),
        },
        { additionalProperties: true },
      ),
    ),
  ),
  messages: Type.Array(
    Type.Object(
      { id: Type.String(), message_status: Type.Optional(Type.String()) },
      { additionalProperties: true },
    ),
  ),
  chat_message_id: Type.String(),
  gateway: Type.Object({
    line: Type.Integer(),
    quality: Type.Enum([...QUALITIES]),
    request_id: Type.String(),
  }),
});

/** The answer where nothing but the doing was asked for, as to a message that is marked as read. */
export const DoneAnswer = Type.Object({ success: Type.Literal(true) });

/** The last check before the body is looked at: a line that is rated too low sends nothing. */
export async function checkQuality({ line }: FastifyRequest): Promise<void> {
  const refused = refuseByQuality(line);
  if (refused) throw refused;
}

/**
 * POST …/{tid}/messages. Token, rate and quality are checked by now (`authenticateLine`, `checkRate`, `checkQuality`);
 * what follows is the body, what was answered under the same key before, the customer service window, the template's
 * own needs, how much this contact gets; only then is the message forwarded.
 */
export const postMessage =
  (deps: SendDeps) =>
  async (request: FastifyRequest, reply: FastifyReply): Promise<unknown> => {
    const { line } = request;
    const { value: body, raw } = request.body as ParsedBody;
    const faults = messageFaults(body);
    if (faults.length) throw invalidPayload(faults);
    const { accessToken } = line;
    if (accessToken === null) throw lineNotConfigured();
    const from = {
      id: line.id,
      phoneNumberId: line.phoneNumberId,
      accessToken,
      traceparent: traceparent(traceOfRequest(request.raw)),
    };

    if (asksToMarkAsRead(body)) {
      await markAsRead(deps.cloudApi, from, body as MarkAsRead, raw);
      return reply.send({ success: true });
    }

    // Node sorts all headers anew for whoever asks for the distinct ones.
    const given =
      request.headers['idempotency-key'] === undefined
        ? null
        : readIdempotencyKey(request.raw.headersDistinct['idempotency-key']);
    const key = given === null ? null : sendKey(line.id, given, raw);
    const earlier = key && (await earlierAnswer(deps, key));
    if (earlier) return reply.header('idempotency-replayed', 'true').send(earlier);

    const message = body as MessageRequest;
    await checkWindow(deps, line, message);
    if (message.type === 'template')
      await checkTemplate(deps, { ...line, accessToken }, message.template as TemplateMessage);

    const send = async () => {
      // Under its key: of several requests for one message, one counts, and a refusal frees the key again.
      const refused = await deps.sendRates.takePair(line.id, recipientOf(message));
      if (refused) throw refused;
      const accepted = await sendMessage(deps, from, message, raw, (error, wamid) =>
        request.log.error({ error, wamid }, 'accepted message not recorded'),
      );
      return {
        success: true,
        messaging_product: 'whatsapp',
        ...accepted,
        chat_message_id: accepted.messages[0]?.id,
        gateway: { line: line.id, quality: lineQuality(line) ?? 'UNKNOWN', request_id: request.id },
      };
    };
    if (!key) return reply.send(await send());
    const answer = await sendUnderKey(deps, key, send, (error) =>
      request.log.error({ error }, 'answer not kept under its idempotency key'),
    );
    return reply.send(answer);
  };

async function checkWindow({ windows }: SendDeps, line: Line, message: MessageRequest): Promise<void> {
  if (!needsWindow(line.windowMode, message.type)) return;
  const contact = recipientOf(message);
  const refused = refuseOutsideWindow(contact, await windows.lastInboundAt(line.id, contact), windows.now());
  if (refused) throw refused;
}

/** A template that is not known here may be new: upstream is asked once, within the cooldown, then left to judge. */
async function checkTemplate(
  deps: SendDeps,
  line: Line & { accessToken: string },
  message: TemplateMessage,
): Promise<void> {
  let template = await knownTemplate(deps.store, line.id, message);
  if (!template) {
    await deps.refresher.refresh(line, 'templates', 'gateway', () => deps.syncTemplates(line), false);
    template = await knownTemplate(deps.store, line.id, message);
  }
  const refused = template && preflight(message, template);
  if (refused) throw refused;
}

/** A starter template that upstream does not have is not known. */
async function knownTemplate(
  store: Store,
  lineId: number,
  { name, language }: TemplateMessage,
): Promise<TemplateRecord | null> {
  const row = await store.templates.find(lineId, name, language.code);
  return row && row.upstream_status !== null ? templateRecord(row) : null;
}
