import { type FastifyReply, type FastifyRequest } from 'fastify';
import * as Type from 'typebox';
import { memberText, withMember } from '../../cloud-api/json/exact-json';
import { replyIdsIn } from '../../cloud-api/sent-text';
import { spellingsOf } from '../../cloud-api/phone-spellings';
import { enteredRecipient, isToGroup } from '../../cloud-api/validate/message-request';
import { asksToMarkAsRead, validateMessage } from '../../cloud-api/validate/validate-message';
import {
  contactInvalid,
  idempotencyConflict,
  idempotencyInProgress,
  invalidField,
  invalidPayload,
  lineQualityLow,
  pairLimitExceeded,
  questionNotFound,
  questionOpen,
} from '../../errors';
import { destinationOfCallback } from '../../forwarding/answers';
import { faultOfUrl } from '../../forwarding/destinations/destination-input';
import { createSecret } from '../../forwarding/signatures';
import { logOf } from '../../http/trace-context';
import { type Line } from '../../lines/line';
import { askQuestion as ask, type AskedBy } from '../../questions/ask-question';
import { readQuestion } from '../../questions/question';
import { LONGEST_KEY, sendKey, sendUnderKey } from '../../sending/idempotent-send';
import { gatewayOfAnswer, send as sendMessage, type SendAnswer } from '../../sending/send';
import { registrantOf } from '../access/registrant';
import { bodyOf, type ParsedBody } from '../http/parse-body';
import { operation, type ApiDeps } from '../operation';
import { badPayload, FORWARDED } from '../refusals';
import {
  checkQuality,
  ContactsOfAnswer,
  GatewayOfAnswer,
  refusalsOfContent,
  sentBy,
} from '../messages/send-message';
import { Accepts } from './question-answer';

const NewQuestion = Type.Object(
  {
    contact: Type.String({ minLength: 1 }),
    message: Type.Optional(
      Type.Object(
        {},
        {
          additionalProperties: true,
          description: 'The message that asks, as the body of a message that is sent alone, without `to`.',
        },
      ),
    ),
    message_id: Type.Optional(
      Type.String({
        minLength: 1,
        description: 'Instead of `message`: a message that was sent to this contact before.',
      }),
    ),
    accepts: Accepts,
    choices: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: 256 }), {
        minItems: 1,
        maxItems: 100,
        description:
          'The reply ids that a tap must have. By default those of the buttons or rows of `message`; a tap with any id answers if it has none.',
      }),
    ),
    expires_in: Type.Integer({
      minimum: 60,
      maximum: 366 * 24 * 3600,
      description: 'After how many seconds the question ends without an answer.',
    }),
    callback_url: Type.String({ minLength: 1, maxLength: 2048, description: 'Where the answer is sent.' }),
    key: Type.Optional(
      Type.Unsafe<string | null>({
        type: 'string',
        nullable: true,
        minLength: 1,
        maxLength: LONGEST_KEY,
        description:
          'A word of your own for this question, 1 to 255 characters. Within 24 hours the same word and body ask once.',
      }),
    ),
    replaces: Type.Optional(
      Type.Boolean({ description: 'Replaces the open question of this contact instead of answering 409.' }),
    ),
    also_forward: Type.Optional(
      Type.Boolean({ description: 'Sends the answer to the destinations of your line as well.' }),
    ),
  },
  { additionalProperties: false },
);
const read = bodyOf(NewQuestion);
type NewQuestion = Type.Static<typeof NewQuestion>;

const AskedAnswer = Type.Object({
  success: Type.Literal(true),
  id: Type.String(),
  message_id: Type.String(),
  contacts: ContactsOfAnswer,
  expires_at: Type.String({ format: 'date-time' }),
  secret: Type.String(),
  gateway: GatewayOfAnswer,
});
type AskedAnswer = Type.Static<typeof AskedAnswer>;

/** Stored with the key. The rest is stored with the question, whose secret is encrypted. */
type KeptAnswer = Pick<AskedAnswer, 'id' | 'contacts' | 'gateway'>;

export const askQuestion = operation('post /{tid}/questions', {
  tag: 'Questions',
  id: 'askQuestion',
  scope: 'send',
  rate: 'sends',
  check: checkQuality,
  summary: 'Ask a contact and wait for the answer',
  description: [
    'Sends a message and waits for the answer of the contact. The first message that fits goes to your `callback_url`, signed with the `secret` of this answer, and not to the destinations of your line. It has the form of every event, and the header `X-Gateway-Answer-To` with the id of the question.',
    '',
    'A tap answers only if it is on the message of this question. A text, a file, a location or a contact card answers unless it quotes the message of another question. Every other message goes to your destinations as usual.',
    '',
    'A contact has one open question on a line. If the message cannot be sent, no question exists.',
  ].join('\n'),
  body: {
    schema: NewQuestion,
    examples: {
      buttons: {
        summary: 'Two buttons',
        value: {
          contact: '12025550147',
          message: {
            type: 'interactive',
            interactive: {
              type: 'button',
              body: { text: 'Does Tuesday at 10 suit you?' },
              action: {
                buttons: [
                  { type: 'reply', reply: { id: 'yes', title: 'Yes' } },
                  { type: 'reply', reply: { id: 'no', title: 'No' } },
                ],
              },
            },
          },
          accepts: ['button'],
          choices: ['yes', 'no'],
          expires_in: 86_400,
          callback_url: 'https://example.com/answers/4711',
        },
      },
      text: {
        summary: 'Any text',
        value: {
          contact: '12025550147',
          message: { type: 'text', text: { body: 'What is your name?' } },
          accepts: ['text'],
          expires_in: 3600,
          callback_url: 'https://example.com/answers/4712',
          key: 'name-of-4712',
          replaces: true,
        },
      },
      sent: {
        summary: 'By a message that was sent before',
        value: {
          contact: '12025550147',
          message_id: 'wamid.HBgLMTIwMjU1NTAxNDcVAgARGBI5QTNDQTVCM0Q0Q0Q2RTY3RTcA',
          accepts: ['button', 'text'],
          expires_in: 3600,
          callback_url: 'https://example.com/answers/4713',
          replaces: true,
        },
      },
    },
  },
  answers: {
    201: {
      description: 'The question is open.',
      schema: AskedAnswer,
      headers: {
        'Idempotency-Replayed': {
          description: 'The question was asked before under this key, and this is what was answered then.',
          schema: { type: 'string', enum: ['true'] },
        },
      },
    },
  },
  refusals: () => [
    pairLimitExceeded('12025550147', 45, 6),
    lineQualityLow(),
    contactInvalid(),
    ...refusalsOfContent(),
    questionOpen('12025550147'),
    questionNotFound(),
    idempotencyConflict(),
    idempotencyInProgress(),
    ...FORWARDED,
  ],
  keepsPlatformStatus: true,
  handler: askForCustomer,
});

function askForCustomer(deps: ApiDeps) {
  return async (request: FastifyRequest, reply: FastifyReply) => {
    const given = read(request);
    const { raw } = request.body as ParsedBody;
    const { line } = request;
    const contact = enteredRecipient(given.contact);
    const url = callbackUrlIn(deps, given);
    const message = messageIn(given, contact, raw);
    // Prefixed, so that keys of questions do not collide with keys of sends.
    const key = given.key ? sendKey(line.id, `question:${given.key}`, raw) : null;

    async function askNow(): Promise<KeptAnswer> {
      const question = {
        lineId: line.id,
        ...registrantOf(request.token),
        contact,
        messageId: given.message_id ?? null,
        accepts: given.accepts,
        choices: given.choices ?? replyIdsIn(given.message),
        expiresIn: given.expires_in,
        callback: { url, secret: createSecret() },
        destinationId: await destinationOfCallback(deps, line.id, url),
        alsoForward: given.also_forward ?? false,
        replaces: given.replaces ?? false,
      };
      const send = message
        ? (id: string) => sendQuestion(deps, request, message, id)
        : () => findSent(deps, line, contact, given.message_id ?? '');
      const gateway = gatewayOfAnswer(line, request.id);
      const kept = (id: string, { contacts }: Sent): KeptAnswer => ({ id, contacts, gateway });
      const { id, asked } = await ask(deps, question, send, (of, sent) =>
        key ? { line_id: line.id, key: key.key, answer: JSON.stringify(kept(of, sent)) } : null,
      );
      return kept(id, asked);
    }

    const { answer, isReplayed } = key
      ? await sendUnderKey(deps, key, askNow, (error) =>
          logOf(request).error({ error }, 'outcome not kept under its idempotency key'),
        )
      : { answer: await askNow(), isReplayed: false };
    if (isReplayed) reply.header('idempotency-replayed', 'true');
    return reply.code(201).send(await answerOf(deps, line.id, answer));
  };
}

async function answerOf(deps: ApiDeps, lineId: number, kept: KeptAnswer): Promise<AskedAnswer> {
  const { messageId, expiresAt, callback } = await readQuestion(deps, lineId, kept.id);
  const { id, contacts, gateway } = kept;
  return {
    success: true,
    id,
    message_id: messageId ?? '',
    contacts,
    expires_at: expiresAt,
    secret: callback.secret,
    gateway,
  };
}

/** The message with the question. */
interface Sent extends AskedBy {
  /** From the platform's response; undefined if the message was sent earlier. */
  contacts?: AskedAnswer['contacts'];
}

/** @throws Refusal for an invalid URL, or one that is not allowed */
function callbackUrlIn({ customerRules }: ApiDeps, { callback_url: text }: NewQuestion): string {
  const fault = faultOfUrl(customerRules, text);
  if (fault !== null) throw invalidField('callback_url', 'address', fault);
  return new URL(text).href;
}

/**
 * The message with the question, as the body of a send to the contact; null if an earlier message asks.
 * @throws Refusal
 */
function messageIn(
  { message, message_id: id }: NewQuestion,
  contact: string,
  raw: Buffer,
): ParsedBody | null {
  if ((message === undefined) === (id === undefined))
    throw badPayload('message', 'required', 'Send either message or message_id.');
  if (message === undefined) return null;
  const value = { ...message, messaging_product: 'whatsapp', to: contact };
  const issues = asksToMarkAsRead(value) ? [] : validateMessage(value);
  const prefixed = issues.map((issue) => ({ ...issue, path: `message.${issue.path}` }));
  if (prefixed.length) throw invalidPayload(prefixed);
  if (asksToMarkAsRead(value) || isToGroup(message))
    throw badPayload('message', 'enum', 'message takes a message to one contact.');
  let text = memberText(new TextDecoder().decode(raw), 'message') ?? '';
  text = withMember(text, 'messaging_product', '"whatsapp"');
  return { value, raw: Buffer.from(withMember(text, 'to', JSON.stringify(contact))) };
}

async function sendQuestion(
  deps: ApiDeps,
  request: FastifyRequest,
  message: ParsedBody,
  asks: string,
): Promise<Sent> {
  const { value, raw } = message;
  const { answer } = await sendMessage(deps, { ...sentBy(request), request: value, raw, asks });
  const { chat_message_id: messageId, contacts } = answer as SendAnswer;
  const names = (contacts ?? []).flatMap((one) => [one.wa_id, one.user_id]);
  return { messageId, names: names.filter((name) => typeof name === 'string'), contacts };
}

/** @throws Refusal if the message was not sent to that contact */
async function findSent({ store }: ApiDeps, line: Line, contact: string, messageId: string): Promise<Sent> {
  const [sent] = await store.messageList.byId([line.id], messageId);
  const names = await store.windows.identitiesOf(line.id, [contact], spellingsOf);
  if (sent?.contact && sent.accepted_at !== null && names.includes(sent.contact))
    return { messageId, names: [] };
  throw badPayload(
    'message_id',
    'unknown',
    'message_id names no message that was sent to this contact from this line.',
  );
}
