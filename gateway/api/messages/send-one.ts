import { type FastifyRequest } from 'fastify';
import { type CloudApi } from '../../cloud-api/client';
import { asksToMarkAsRead, validateMessage } from '../../cloud-api/validate/validate-message';
import {
  type MarkAsRead,
  type MessageRequest,
  type TemplateMessage,
  recipientOf,
} from '../../cloud-api/validate/message-request';
import { contactOptedOut, invalidPayload, lineNotConfigured } from '../../errors';
import { traceOfRequest, traceparent } from '../../http/trace-context';
import { type Line } from '../../lines/line';
import { lineQuality } from '../../lines/quality';
import { type Refresher } from '../../lines/refresh';
import {
  needsWindow,
  refuseOutsideWindow,
  type CustomerServiceWindows,
} from '../../messages/customer-service-window';
import { earlierAnswer, readIdempotencyKey, sendKey, sendUnderKey } from '../../messages/idempotent-send';
import { isOptedOut } from '../../messages/opt-outs';
import { markAsRead, sendMessage as send } from '../../messages/send-message';
import { type SendRates } from '../../messages/send-rates';
import { type Store } from '../../store/store';
import { type KnownTemplates } from '../../templates/known-templates';
import { preflight } from '../../templates/preflight';
import { type SyncTemplates } from '../../templates/sync-templates';
import { type Clock } from '../../time';
import { type ParsedBody } from '../http/parse-body';

export interface SendDeps {
  store: Store;
  cloudApi: CloudApi;
  windows: CustomerServiceWindows;
  refresher: Refresher;
  sendRates: SendRates;
  syncTemplates: SyncTemplates;
  knownTemplates: KnownTemplates;
  clock: Clock;
}

/** Whose message it is, and under which id it is asked for. */
export interface Sender {
  line: Line;
  requestId: string;
  traceparent: string;
  log: Pick<FastifyRequest['log'], 'error'>;
}

export const senderOf = (request: FastifyRequest): Sender => ({
  line: request.line,
  requestId: request.id,
  traceparent: traceparent(traceOfRequest(request.raw)),
  log: request.log,
});

/**
 * Sends one message of a customer, or marks one as read. Token, rate and quality are checked by now; what follows is the
 * body, who opted out, the customer service window, the template's own needs, what was answered under the same key
 * before, how much this contact gets; only then is the message forwarded.
 * @param keys tells every Idempotency-Key that came with it
 * @throws Refusal, or what became of the platform
 */
export async function sendOne(
  deps: SendDeps,
  { line, requestId, log, traceparent: trace }: Sender,
  { value: body, raw }: ParsedBody,
  keys: () => string[] | undefined,
): Promise<{ answer: object; isReplayed: boolean }> {
  const issues = validateMessage(body);
  if (issues.length) throw invalidPayload(issues);
  const { accessToken } = line;
  if (accessToken === null) throw lineNotConfigured();
  const { id, phoneNumberId } = line;
  const from = { id, phoneNumberId, accessToken, traceparent: trace };

  if (asksToMarkAsRead(body)) {
    await markAsRead(deps.cloudApi, from, body as MarkAsRead, raw);
    return { answer: { success: true }, isReplayed: false };
  }

  const given = readIdempotencyKey(keys());
  const key = given === null ? null : sendKey(line.id, given, raw);
  const message = body as MessageRequest;
  try {
    await check(deps, { ...line, accessToken }, message);
  } catch (refused) {
    // What was sent under the key before was sent, whatever would be refused by now.
    const earlier = key && (await earlierAnswer(deps, key));
    if (earlier) return { answer: earlier, isReplayed: true };
    throw refused;
  }

  const sendNow = async () => {
    // Under its key: of several requests for one message, one counts, and a refusal frees the key again.
    const refused = await deps.sendRates.takePair(line.id, recipientOf(message));
    if (refused) throw refused;
    return send(deps, {
      line: from,
      request: message,
      raw,
      key,
      isKept: line.keepsSent && !(await isCode(deps, line.id, message)),
      answerOf: (accepted) => ({
        success: true,
        messaging_product: 'whatsapp',
        ...accepted,
        chat_message_id: accepted.messages[0]?.id,
        gateway: { line: id, quality: lineQuality(line) ?? 'UNKNOWN', request_id: requestId },
      }),
      onUnrecorded: (error, wamid) => log.error({ error, wamid }, 'accepted message not recorded'),
    });
  };
  if (!key) return { answer: await sendNow(), isReplayed: false };
  return sendUnderKey(deps, key, sendNow, (error) =>
    log.error({ error }, 'outcome not kept under its idempotency key'),
  );
}

/** @throws Refusal */
async function check(
  deps: SendDeps,
  line: Line & { accessToken: string },
  message: MessageRequest,
): Promise<void> {
  await checkOptOut(deps, line, message);
  await checkWindow(deps, line, message);
  if (message.type === 'template') await checkTemplate(deps, line, message.template as TemplateMessage);
}

/** Who asked for nothing more still gets the code that a log-in asks for. */
async function checkOptOut(deps: SendDeps, line: Line, message: MessageRequest): Promise<void> {
  const contact = recipientOf(message);
  if (!(await isOptedOut(deps, line, contact))) return;
  if (await isCode(deps, line.id, message)) return;
  throw contactOptedOut(contact);
}

/** Whether it is a code that a log-in asks for. */
async function isCode(
  { knownTemplates }: SendDeps,
  lineId: number,
  message: MessageRequest,
): Promise<boolean> {
  if (message.type !== 'template') return false;
  const { name, language } = message.template as TemplateMessage;
  const template = await knownTemplates.find(lineId, name, language.code);
  return template?.category.toLowerCase() === 'authentication';
}

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
  const { name, language } = message;
  const find = () => deps.knownTemplates.find(line.id, name, language.code);
  let template = await find();
  if (!template) {
    await deps.refresher.refresh(line, 'templates', 'gateway', () => deps.syncTemplates(line), false);
    template = await find();
  }
  const refused = template && preflight(message, template);
  if (refused) throw refused;
}
