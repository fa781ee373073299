import { AddedDestinationAnswer, DestinationsAnswer, NewDestination } from '../api/destinations';
import { LineStatusAnswer, StatusQuery } from '../api/line-status';
import { TemplatesAnswer, TemplatesQuery } from '../api/list-templates';
import { DoneAnswer, SendAnswer } from '../api/send-message';
import { UPSTREAM_VERSION } from '../cloud-api/client';
import {
  destinationNotFound,
  destinationUrlRefused,
  idempotencyConflict,
  idempotencyInProgress,
  lineNotConfigured,
  lineQualityLow,
  outsideWindow,
  templateNotApproved,
  templateParamsMismatch,
} from '../errors';
import { MESSAGE_EXAMPLES } from './message-examples';
import { type Described, type Operation } from './operation';
import { ANY, badPayload, badQuery, FORWARDED, REFRESHED, WITH_BODY } from './refusals';

/** The headings, in the order of the page. */
export const TAGS: Record<string, string> = {
  Messages: 'Send texts, templates, files, buttons and lists.',
  Templates: 'What can be sent at any time, approved by the platform.',
  Line: 'Whether your phone line is connected, and how it is rated.',
  Destinations:
    'Where replies and delivery statuses go. Your own program, or a workflow, registers its address here.',
};

/** What stands in braces in a path. */
export const PATH_PARAMETERS: Record<string, { description: string; example: string }> = {
  tid: {
    description: "Your line: the platform's phone number id, or the line's number in the gateway.",
    example: '109351478203615',
  },
  id: { description: 'The id under which it was added.', example: '1' },
};

/** The headers of every answer to a path of this API, whatever its status. */
export const ANSWER_HEADERS: Record<string, Described> = {
  'X-Gateway-Version': {
    description: 'The version by which the request was served.',
    schema: { type: 'string', enum: [UPSTREAM_VERSION] },
  },
};

const REFRESH =
  '`1` asks the platform first. Once a minute at most: asked again sooner, the answer is what is stored, and `refresh` in it says when to ask again.';

/**
 * Every operation of the API: the document and the page are made of this list, and tests hold every answer that they
 * see against it, so that an operation, a status, a field or a word that is missing here fails them.
 *
 * To add one: export its TypeBox schemas (query, body, answer) beside its handler in `gateway/api`, and add an entry
 * here with
 * - `path` behind the version; a new word in braces gets its line in `PATH_PARAMETERS`, a new `tag` its line in `TAGS`.
 *   Two operations whose paths differ only in the word in braces are one to OpenAPI: `GET /{id}` is one entry, with
 *   `Type.Union([…])` of its answers;
 * - `answers` by status (a header of every answer goes into `ANSWER_HEADERS`), `refusals` as one of each kind, made by the functions of `errors.ts`: their statuses, words,
 *   sentences and `Retry-After` are read off them. A refusal that any operation may give (a rate limit) goes into `ANY`
 *   in `refusals.ts`;
 * - `keepsUpstreamStatus` where upstream's errors are handed on as they are, with `FORWARDED` among the refusals.
 */
export const OPERATIONS: Operation[] = [
  {
    method: 'post',
    path: '/{tid}/messages',
    tag: 'Messages',
    id: 'sendMessage',
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
        description: 'The platform took the message, or marked the message as read.',
        schema: { anyOf: [SendAnswer, DoneAnswer] },
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
      ...ANY,
      ...WITH_BODY,
      lineQualityLow(),
      badPayload('text.body', 'required', 'text.body is missing: the text to send.'),
      outsideWindow('12025550147 last wrote to this line 31 hours ago. Send an approved template instead.'),
      templateParamsMismatch('Template "order_update" (en_US): its body needs 2 values, and 1 came.'),
      templateNotApproved(
        132015,
        'Template "flash_sale" (en_US) is paused by upstream because of its low quality. Use another template, or wait.',
      ),
      lineNotConfigured(),
      idempotencyConflict(),
      idempotencyInProgress(),
      ...FORWARDED,
    ],
    keepsUpstreamStatus: true,
  },
  {
    method: 'get',
    path: '/{tid}/templates',
    tag: 'Templates',
    id: 'listTemplates',
    summary: 'List the templates of your line',
    description:
      'The templates that the platform has for your line, by name and language, with everything that is needed to fill one in: its text, how many variables it has, its buttons.',
    query: TemplatesQuery,
    queryMeaning: {
      status: 'Only templates in this state. An `approved` one can be sent.',
      limit: 'How many at most.',
      refresh: REFRESH,
    },
    answers: { 200: { description: 'The templates.', schema: TemplatesAnswer } },
    refusals: [...ANY, ...badQuery('limit is "0"; it takes a whole number from 1 to 500.'), ...REFRESHED],
  },
  {
    method: 'get',
    path: '/{tid}/status',
    tag: 'Line',
    id: 'getLineStatus',
    summary: 'Ask how your line is doing',
    description:
      'Whether the platform has your line connected, how it rates its quality, and how much it may send.',
    query: StatusQuery,
    queryMeaning: { refresh: REFRESH },
    answers: { 200: { description: 'The state of the line.', schema: LineStatusAnswer } },
    refusals: [...ANY, ...badQuery('refresh is "yes"; it takes 1 or 0.'), ...REFRESHED],
  },
  {
    method: 'get',
    path: '/{tid}/destinations',
    tag: 'Destinations',
    id: 'listDestinations',
    summary: 'List where events go',
    description:
      'The addresses that receive what contacts write to your line and what becomes of your messages.',
    answers: { 200: { description: 'The destinations.', schema: DestinationsAnswer } },
    refusals: ANY,
  },
  {
    method: 'post',
    path: '/{tid}/destinations',
    tag: 'Destinations',
    id: 'addDestination',
    summary: 'Have events sent to an address of yours',
    description:
      'From now on every event is sent there with POST, as the platform itself sends it, signed with the `secret` that is told only now. It is asked for the challenge first; what came of that stands in `handshake`.',
    body: {
      schema: NewDestination,
      examples: {
        everything: {
          summary: 'What contacts write, and what becomes of your messages',
          value: { url: 'https://example.com/webhook' },
        },
        some: {
          summary: 'Only what contacts write, for one hour',
          value: { url: 'https://example.com/webhook', events: ['messages'], expires_in: 3600 },
        },
      },
    },
    answers: { 201: { description: 'It was added.', schema: AddedDestinationAnswer } },
    refusals: [
      ...ANY,
      ...WITH_BODY,
      destinationUrlRefused('url is not a web address. It looks like https://example.com/webhook'),
    ],
  },
  {
    method: 'delete',
    path: '/{tid}/destinations/{id}',
    tag: 'Destinations',
    id: 'removeDestination',
    summary: 'Stop sending events to an address',
    description: 'Removes a destination that was added with a token, and what was still to be sent there.',
    answers: { 200: { description: 'It was removed.', schema: DoneAnswer } },
    refusals: [...ANY, ...WITH_BODY, destinationNotFound()],
  },
];
