import { type FastifyReply, type FastifyRequest } from 'fastify';
import * as Type from 'typebox';
import { QUALITIES } from '../../cloud-api/phone-number';
import {
  budgetReached,
  contactOptedOut,
  idempotencyConflict,
  idempotencyInProgress,
  lineNotConfigured,
  lineQualityLow,
  outsideWindow,
  pairLimitExceeded,
  templateNotApproved,
  templateNotFound,
  templateParamsMismatch,
} from '../../errors';
import { traceOfRequest } from '../../http/trace-context';
import { refuseByQuality } from '../../lines/quality';
import { send } from '../../sending/send';
import { answerTo, DoneAnswer } from '../http/answer-parts';
import { type ParsedBody } from '../http/parse-body';
import { operation, type ApiDeps } from '../operation';
import { badPayload, FORWARDED } from '../refusals';
import { MESSAGE_EXAMPLES } from './message-examples';

/** The response to an accepted message. `contacts` and `messages` are the platform's, unchanged. */
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

/** The contact and line in responses to messages and questions. */
export const { contacts: ContactsOfAnswer, gateway: GatewayOfAnswer } = SendAnswer.properties;

/** For tokens set to the platform's responses. `Type.Pick` would bundle typebox's type evaluator. */
const PlatformAnswer = Type.Object({ messaging_product, contacts, messages });

/** Refusals because of the message's contact, template or line. */
export const refusalsOfContent = () => [
  contactOptedOut('12025550147'),
  budgetReached(),
  outsideWindow('12025550147 last wrote to this line 31 hours ago.'),
  templateParamsMismatch('Template "order_update" (en_US): its body needs 2 values, and 1 came.'),
  templateNotApproved(
    132015,
    'Template "flash_sale" (en_US) is paused by the platform because of its low quality.',
    'Use another template, or wait.',
  ),
  templateNotFound(132001),
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
    'A file comes from the web (`link`) or was uploaded before (`id`). The answer holds the id of the message (`chat_message_id`); your destinations receive its delivery statuses.',
  ].join('\n'),
  headers: {
    'Idempotency-Key': {
      description:
        'A unique value that you choose for this message. Within 24 hours, the same key with the same body sends it only once.',
      schema: { type: 'string', minLength: 1, maxLength: 255 },
    },
  },
  body: { schema: 'SendRequest', examples: MESSAGE_EXAMPLES },
  answers: {
    200: {
      description:
        'The platform accepted the message, or marked it as read. A token with `answers: platform` gets only the fields of the platform.',
      schema: { anyOf: [SendAnswer, PlatformAnswer, DoneAnswer] },
      headers: {
        'Idempotency-Replayed': {
          description: 'The message was sent before with this key; this is the stored answer.',
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
  refusals: () => [
    pairLimitExceeded('12025550147', 45, 6),
    lineQualityLow(),
    badPayload('text.body', 'required', 'text.body is missing: the text to send.'),
    ...refusalsOfContent(),
    idempotencyConflict(),
    idempotencyInProgress(),
    ...FORWARDED,
  ],
  keepsPlatformStatus: true,
  handler: postMessage,
});

/** The last check before the body is read: a line with too low a rating sends nothing. */
export function checkQuality({ line }: FastifyRequest): void {
  const refused = refuseByQuality(line);
  if (refused) throw refused;
}

function postMessage(deps: ApiDeps) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<unknown> => {
    const { value, raw } = request.body as ParsedBody;
    // Node sorts all headers again on every access to `headersDistinct`.
    const hasKey = request.headers['idempotency-key'] !== undefined;
    const keys = hasKey ? request.raw.headersDistinct['idempotency-key'] : undefined;
    const { answer, isReplayed } = await send(deps, { ...sentBy(request), request: value, raw, keys });
    if (isReplayed) reply.header('idempotency-replayed', 'true');
    return reply.send(answerTo(request.token, answer));
  };
}

/** The parts of the request that a send uses. */
export const sentBy = (request: FastifyRequest) => ({
  line: request.line,
  origin: 'token' as const,
  requestId: request.id,
  trace: traceOfRequest(request.raw),
});
