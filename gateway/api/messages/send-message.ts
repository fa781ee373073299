import { type FastifyReply, type FastifyRequest } from 'fastify';
import * as Type from 'typebox';
import { QUALITIES } from '../../cloud-api/phone-number';
import {
  type MarkAsRead,
  type MessageRequest,
  type TemplateMessage,
  isRecipient,
  isToGroup,
  recipientOf,
} from '../../cloud-api/validate/message-request';
import { parseExactly } from '../../cloud-api/json/exact-json';
import { asRead } from '../../cloud-api/validate/as-read';
import { asksToMarkAsRead, validateMessage } from '../../cloud-api/validate/validate-message';
import {
  contactOptedOut,
  idempotencyConflict,
  idempotencyInProgress,
  invalidPayload,
  lineNotConfigured,
  lineQualityLow,
  outsideWindow,
  pairLimitExceeded,
  templateNotApproved,
  templateParamsMismatch,
} from '../../errors';
import { traceOfRequest, traceparent } from '../../http/trace-context';
import { type Line } from '../../lines/line';
import { lineQuality, refuseByQuality } from '../../lines/quality';
import { needsWindow, refuseOutsideWindow } from '../../messages/customer-service-window';
import { earlierAnswer, readIdempotencyKey, sendKey, sendUnderKey } from '../../messages/idempotent-send';
import { isOptedOut } from '../../messages/opt-outs';
import { markAsRead, sendMessage as send } from '../../messages/send-message';
import { preflight } from '../../templates/preflight';
import { accessTokenOf } from '../access/access-token';
import { answerTo, DoneAnswer } from '../http/answer-parts';
import { type ParsedBody } from '../http/parse-body';
import { operation, type ApiDeps } from '../operation';
import { badPayload, FORWARDED } from '../refusals';
import { MESSAGE_EXAMPLES } from './message-examples';

/** The answer to a message that the platform took. `contacts` and `messages` are its own, as it sent them. */
const SendAnswer = Type.Object({
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

const { messaging_product, contacts, messages } = SendAnswer.properties;

/** What tells of contact and line in the answer to a message, and in the one to a question. */
export const { contacts: ContactsOfAnswer, gateway: GatewayOfAnswer } = SendAnswer.properties;

/** For a token with the platform's answers. `Type.Pick` would bundle typebox's type evaluator. */
const PlatformAnswer = Type.Object({ messaging_product, contacts, messages });

/** What refuses a message because of its contact, its template or its line. */
export const REFUSALS_OF_CONTENT = [
  contactOptedOut('12025550147'),
  outsideWindow('12025550147 last wrote to this line 31 hours ago.'),
  templateParamsMismatch('Template "order_update" (en_US): its body needs 2 values, and 1 came.'),
  templateNotApproved(
    132015,
    'Template "flash_sale" (en_US) is paused by the platform because of its low quality.',
    'Use another template, or wait.',
  ),
  lineNotConfigured(),
];

export const sendMessage = operation('post /{tid}/messages', {
  tag: 'Messages',
  id: 'sendMessage',
  scope: 'send',
  rate: 'sends',
  check: checkQuality,
  summary: 'Send a message',
  description: [
    'Sends one message from your line to one contact. Choose one of the examples and change it.',
    '',
    'A **template** can be sent at any time. Everything that you write freely, such as a **text**, can be sent for 24 hours after the contact last wrote to you; otherwise the answer is `outside_24h_window`.',
    '',
    'A file comes from the web (`link`) or was uploaded before (`id`): one of the two. The answer holds the id of the message (`chat_message_id`); whether it was delivered and read is told to your destinations.',
  ].join('\n'),
  headers: {
    'Idempotency-Key': {
      description:
        'A word of your own for this message. Within 24 hours the same word and body are sent once, however often you ask.',
      schema: { type: 'string', minLength: 1, maxLength: 255 },
    },
  },
  body: { schema: 'SendRequest', examples: MESSAGE_EXAMPLES },
  answers: {
    200: {
      description:
        'The platform took the message, or marked the message as read. A token with the platform’s answers gets the platform’s fields alone.',
      schema: { anyOf: [SendAnswer, PlatformAnswer, DoneAnswer] },
      headers: {
        'Idempotency-Replayed': {
          description: 'The message was sent before under this key, and this is what was answered then.',
          schema: { type: 'string', enum: ['true'] },
        },
      },
      examples: {
        sent: {
          summary: 'Sent',
          value: {
            success: true,
            messaging_product: 'whatsapp',
            contacts: [{ input: '12025550147', wa_id: '12025550147' }],
            messages: [{ id: 'wamid.HBgLMTIwMjU1NTAxNDcVAgARGBI5QTNDQTVCM0Q0Q0Q2RTY3RTcA' }],
            chat_message_id: 'wamid.HBgLMTIwMjU1NTAxNDcVAgARGBI5QTNDQTVCM0Q0Q0Q2RTY3RTcA',
            gateway: { line: 1, quality: 'HIGH', request_id: '0b0f2c1e-7d0a-4f0e-9d61-2f6f3a6d8c55' },
          },
        },
        read: { summary: 'Marked as read', value: { success: true } },
      },
    },
  },
  refusals: [
    pairLimitExceeded('12025550147', 45, 6),
    lineQualityLow(),
    badPayload('text.body', 'required', 'text.body is missing: the text to send.'),
    ...REFUSALS_OF_CONTENT,
    idempotencyConflict(),
    idempotencyInProgress(),
    ...FORWARDED,
  ],
  keepsPlatformStatus: true,
  handler: postMessage,
});

/** The last check before the body is looked at: a line that is rated too low sends nothing. */
export async function checkQuality({ line }: FastifyRequest): Promise<void> {
  const refused = refuseByQuality(line);
  if (refused) throw refused;
}

/** Token, rate and quality are checked by now. */
function postMessage(deps: ApiDeps) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<unknown> => {
    const { answer, isReplayed } = await sendOne(deps, senderOf(request), request.body as ParsedBody, () =>
      // Node sorts all headers anew for whoever asks for the distinct ones.
      request.headers['idempotency-key'] === undefined
        ? undefined
        : request.raw.headersDistinct['idempotency-key'],
    );
    if (isReplayed) reply.header('idempotency-replayed', 'true');
    return reply.send(answerTo(request.token, answer));
  };
}

/** Whose message it is, and under which id it is asked for. */
export interface Sender {
  line: Line;
  /** Whether what is sent is kept. */
  isKept: boolean;
  requestId: string;
  traceparent: string;
  log: Pick<FastifyRequest['log'], 'error'>;
}

export const senderOf = (request: FastifyRequest): Sender => ({
  line: request.line,
  isKept: request.line.keepsSent,
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
  deps: ApiDeps,
  { line, isKept, requestId, log, traceparent: trace }: Sender,
  given: ParsedBody,
  keys: () => string[] | undefined,
): Promise<{ answer: object; isReplayed: boolean }> {
  const issues = validateMessage(given.value);
  if (issues.length) throw invalidPayload(issues);
  const { value: body, raw } = asPlatformReads(given);
  const accessToken = accessTokenOf(line);
  const { id, phoneNumberId } = line;
  const from = { id, phoneNumberId, accessToken, traceparent: trace };

  if (asksToMarkAsRead(body)) {
    await markAsRead(deps.cloudApi, from, body as MarkAsRead, raw);
    return { answer: { success: true }, isReplayed: false };
  }

  const word = readIdempotencyKey(keys());
  const key = word === null ? null : sendKey(line.id, word, given.raw);
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
      isKept: isKept && !(await isCode(deps, line.id, message)),
      answerOf: (accepted) => ({
        success: true,
        messaging_product: 'whatsapp',
        ...accepted,
        chat_message_id: accepted.messages[0]?.id,
        gateway: gatewayOfAnswer(line, requestId),
      }),
      onUnrecorded: (error, wamid) => log.error({ error, wamid }, 'accepted message not recorded'),
    });
  };
  if (!key) return { answer: await sendNow(), isReplayed: false };
  return sendUnderKey(deps, key, sendNow, (error) =>
    log.error({ error }, 'outcome not kept under its idempotency key'),
  );
}

export const gatewayOfAnswer = (line: Line, requestId: string): Type.Static<typeof GatewayOfAnswer> => ({
  line: line.id,
  quality: lineQuality(line) ?? 'UNKNOWN',
  request_id: requestId,
});

/** The same body, byte for byte, unless something in it has another form. */
function asPlatformReads({ value, raw }: ParsedBody): ParsedBody {
  const read = asRead(value);
  if (read === value) return { value, raw };
  const exact = parseExactly(new TextDecoder().decode(raw)) as Record<string, unknown>;
  return { value: read, raw: Buffer.from(JSON.stringify(asRead(exact, parseExactly))) };
}

/** @throws Refusal */
async function check(
  deps: ApiDeps,
  line: Line & { accessToken: string },
  message: MessageRequest,
): Promise<void> {
  await checkOptOut(deps, line, message);
  // Whether a group may be written to is for the platform to say.
  if (!isToGroup(message)) await checkWindow(deps, line, message);
  if (message.type === 'template') await checkTemplate(deps, line, message.template as TemplateMessage);
}

/** Who asked for nothing more still gets the code that a log-in asks for. */
async function checkOptOut(deps: ApiDeps, line: Line, message: MessageRequest): Promise<void> {
  // A number that is called a group is still the number of a contact.
  const contact = recipientOf(isRecipient(message.to ?? '') ? { to: message.to } : message);
  if (!(await isOptedOut(deps, line, contact))) return;
  if (await isCode(deps, line.id, message)) return;
  throw contactOptedOut(contact);
}

/** Whether it is a code that a log-in asks for. */
async function isCode(
  { knownTemplates }: ApiDeps,
  lineId: number,
  message: MessageRequest,
): Promise<boolean> {
  if (message.type !== 'template') return false;
  const { name, language } = message.template as TemplateMessage;
  const template = await knownTemplates.find(lineId, name, language.code);
  return template?.category.toLowerCase() === 'authentication';
}

async function checkWindow({ windows }: ApiDeps, line: Line, message: MessageRequest): Promise<void> {
  if (!needsWindow(line.windowMode, message.type)) return;
  const contact = recipientOf(message);
  const refused = refuseOutsideWindow(contact, await windows.lastInboundAt(line.id, contact), windows.now());
  if (refused) throw refused;
}

/** A template that is not known here may be new: the platform is asked once, within the cooldown, and then decides. */
async function checkTemplate(
  deps: ApiDeps,
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
