import { type FastifyReply, type FastifyRequest } from 'fastify';
import * as Type from 'typebox';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { itemTexts, memberText } from '../../cloud-api/json/exact-json';
import { spellingsOf } from '../../cloud-api/phone-spellings';
import { isToGroup, normalizedRecipient } from '../../cloud-api/validate/message-request';
import { batchOutOfTime, payloadTooLarge, type Refusal } from '../../errors';
import { inWords } from '../../http/arriving-bodies';
import { logOf } from '../../http/trace-context';
import { semaphore } from '../../primitives/semaphore';
import { send as sendOne } from '../../sending/send';
import { sendsIn } from '../../sending/send-rates';
import { SECOND } from '../../time';
import { charge } from '../access/check-rate';
import { answerTo } from '../http/answer-parts';
import { errorBody, refusalOf } from '../http/error-answers';
import { bodyOf, type ParsedBody } from '../http/parse-body';
import { MESSAGE_LIMIT, operation, type ApiDeps } from '../operation';
import { badPayload } from '../refusals';
import { sentBy } from './send-message';

const MEGABYTE = 1024 * 1024;
const MOST_MESSAGES = 50;

/**
 * No message of a batch starts after this time. With the platform's longest timeout, the batch is then answered
 * within a minute, which is the limit of many clients and proxies.
 */
const BEGUN_WITHIN = 20 * SECOND;

interface BatchItem {
  key?: string | null;
  message: Record<string, unknown>;
}

const BatchItem = Type.Object(
  {
    key: Type.Optional(
      Type.Unsafe<string | null>({
        type: 'string',
        nullable: true,
        description: 'The Idempotency-Key of this message, 1 to 255 characters: give each its own.',
      }),
    ),
    message: Type.Object(
      {},
      { additionalProperties: true, description: 'As the body of a message that is sent alone.' },
    ),
  },
  { additionalProperties: false },
);

const Batch = Type.Object(
  { messages: Type.Array(BatchItem, { minItems: 1, maxItems: MOST_MESSAGES }) },
  { additionalProperties: false },
);
const read = bodyOf(Batch);

const BatchAnswer = Type.Object({
  success: Type.Literal(true),
  results: Type.Array(
    Type.Object({
      status: Type.Integer({ description: 'The HTTP status that this message alone would get.' }),
      body: Type.Object({}, { additionalProperties: true, description: 'The body of that answer.' }),
      retry_after: Type.Optional(
        Type.Integer({ description: 'Seconds to wait before sending this one again.' }),
      ),
      replayed: Type.Optional(
        Type.Literal(true, { description: 'It was sent before with this key; this is the stored answer.' }),
      ),
    }),
  ),
});

const TEXT = {
  messaging_product: 'whatsapp',
  to: '12025550147',
  type: 'text',
  text: { body: 'Your order 1 is on its way.' },
};

export const sendBatch = operation('post /{tid}/messages/batch', {
  tag: 'Messages',
  id: 'sendBatch',
  scope: 'send',
  rate: 'sends',
  bodyLimit: MEGABYTE,
  summary: 'Send up to 50 messages in one request',
  description: [
    'An extension: the platform has no such operation. Each message is checked, counted, sent and answered as if it came alone, with its own key. `results` has the answers in the order of the list. The HTTP status is 200 even if messages were refused: check the `status` of each. A refused message does not stop the others.',
    '',
    'Messages to one contact are sent in the order of the list. If one is refused for now (`retry_after`), the later ones to the same contact are refused too: send them again together, with the same keys.',
    '',
    `What has not begun after ${BEGUN_WITHIN / SECOND} seconds is answered \`batch_out_of_time\`, and nothing more is begun once nobody waits for the answer any more.`,
  ].join('\n'),
  body: {
    schema: Batch,
    examples: {
      two: {
        summary: 'Two texts',
        value: {
          messages: [
            { key: 'order 1', message: TEXT },
            { key: 'order 2', message: { ...TEXT, to: '12025550148' } },
          ],
        },
      },
    },
  },
  answers: {
    200: {
      description: 'The answer to each message.',
      schema: BatchAnswer,
      examples: {
        two: {
          summary: 'One sent, one refused',
          value: {
            success: true,
            results: [
              { status: 200, body: { success: true, chat_message_id: 'wamid.HBgLMTIwMjU1NTAxNDc' } },
              { status: 400, body: { success: false, error_code: 'outside_24h_window' } },
            ],
          },
        },
      },
    },
  },
  refusals: () => [tooManyMessages(MOST_MESSAGES + 1)],
  handler: postBatch,
});

interface Result {
  status: number;
  /** JSON. */
  body: string;
  retryAfter?: number | undefined;
  isReplayed?: boolean;
}

function postBatch(deps: ApiDeps) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<unknown> => {
    const { line } = request;
    const messages = messagesIn(request);
    const { raw } = request.body as ParsedBody;
    const texts = itemTexts(memberText(raw.toString(), 'messages') ?? '[]');
    const counted = sendsIn(raw.length);
    const turns = semaphore(1);
    const by = sentBy(request);
    const began = deps.clock();
    let isLogged = false;

    async function send(index: number): Promise<Result> {
      // Counted before validation, as for a single message. The body itself has counted the first ones.
      if (index >= counted) await charge(deps.sendRates.takeLine, line.id, reply);
      const { key, message } = messages[index] as BatchItem;
      const bytes = Buffer.from(memberText(texts[index] ?? '', 'message') ?? '');
      if (bytes.length > MESSAGE_LIMIT) throw payloadTooLarge(inWords(MESSAGE_LIMIT));
      // Lets other requests run in between.
      if (raw.length > MESSAGE_LIMIT) await turns.run(nextTurn);
      const keys = typeof key === 'string' ? [key] : undefined;
      const { answer, isReplayed } = await sendOne(deps, { ...by, request: message, raw: bytes, keys });
      return { status: 200, body: JSON.stringify(answerTo(request.token, answer)), isReplayed };
    }

    function refusalTo(error: unknown): Result {
      const refusal = refusalOf(error, request);
      if (refusal.status >= 500 && !isLogged) {
        isLogged = true;
        logOf(request).error({ error, status: refusal.status }, 'a message of a batch failed');
      }
      const { status, retryAfter } = refusal;
      return { status, body: errorBody(refusal, request.id, request.token.answers), retryAfter };
    }

    const results: Result[] = [];
    /** Sends the messages to one contact one after the other. */
    async function sendAll(indexes: number[]): Promise<void> {
      let held: Result | null = null;
      for (const index of indexes) {
        if (reply.raw.destroyed) return;
        const isLate = deps.clock() - began > BEGUN_WITHIN;
        held ??= isLate ? refusalTo(batchOutOfTime(BEGUN_WITHIN / SECOND)) : null;
        const result: Result = held ?? (await send(index).catch(refusalTo));
        results[index] = result;
        if (result.retryAfter !== undefined) held = result;
      }
    }
    const ofContact = Map.groupBy(messages.keys(), (index) => contactOf(messages[index] as BatchItem, index));
    await Promise.all(Array.from(ofContact.values(), sendAll));
    return reply.type('application/json; charset=utf-8').send(answerOf(results));
  };
}

/** @throws Refusal */
function messagesIn(request: FastifyRequest): BatchItem[] {
  const { messages } = (request.body as ParsedBody).value;
  // Checked before thousands of messages are validated.
  if (Array.isArray(messages) && messages.length > MOST_MESSAGES) throw tooManyMessages(messages.length);
  return read(request).messages as BatchItem[];
}

function tooManyMessages(count: number): Refusal {
  return badPayload(
    'messages',
    'maxItems',
    `messages has ${count} entries; at most ${MOST_MESSAGES} are possible.`,
  );
}

/** One spelling of the recipient; a message without a recipient is its own group. */
function contactOf({ message }: BatchItem, index: number): string | number {
  const { to, recipient } = message as { to?: unknown; recipient?: unknown };
  const named = [to, recipient].find((one) => typeof one === 'string' && one !== '');
  if (typeof named !== 'string') return index;
  return isToGroup(message) ? named : spellingsOf(normalizedRecipient(named))[0];
}

/** Bodies are inserted unchanged: platform errors byte for byte. */
const answerOf = (results: Result[]): string =>
  `{"success":true,"results":[${results
    .map(({ status, body, retryAfter, isReplayed }) =>
      [
        `{"status":${status}`,
        `"body":${body}`,
        ...(retryAfter === undefined ? [] : [`"retry_after":${retryAfter}`]),
        ...(isReplayed ? ['"replayed":true'] : []),
      ].join(','),
    )
    .join('},')}}]}`;
