import {
  AddedDestinationAnswer,
  DestinationsAnswer,
  MOST_DESTINATIONS,
  NewDestination,
} from '../api/destinations';
import { LineStatusAnswer, StatusQuery } from '../api/line-status';
import { TemplatesAnswer, TemplatesQuery } from '../api/list-templates';
import { MediaAnswer, MediaQuery, ObjectQuery, PhoneNumberAnswer } from '../api/graph-object';
import { GraphTemplatesAnswer, GraphTemplatesQuery } from '../api/graph-templates';
import { MessageAnswer } from '../api/message';
import { DoneAnswer, SendAnswer } from '../api/send-message';
import { MOST_TRANSFERS, TRANSFER_RETRY } from '../api/transfers';
import { MediaForm, MediaUploadAnswer } from '../api/upload-media';
import { WindowAnswer } from '../api/window';
import { UPSTREAM_VERSION } from '../cloud-api/client';
import {
  destinationNotFound,
  destinationUrlRefused,
  headersRefused,
  tooManyDestinations,
  fileMissing,
  fileTooLarge,
  formBroken,
  idempotencyConflict,
  idempotencyInProgress,
  lineNotConfigured,
  lineQualityLow,
  lineRateExceeded,
  mediaNotFound,
  messageNotFound,
  methodNotAllowed,
  notFound,
  notMultipart,
  notToldYet,
  outsideWindow,
  pairLimitExceeded,
  templateNotApproved,
  templateParamsMismatch,
  tooManyPlatformReads,
  tooManyTransfers,
} from '../errors';
import { MESSAGE_EXAMPLES } from './message-examples';
import { type Described, type Operation } from './operation';
import { ANY, badPayload, badQuery, CHANGES, FORWARDED, READS, REFRESHED, WITH_BODY } from './refusals';

/** The headings, in the order of the page. */
export const TAGS: Record<string, string> = {
  Messages: 'Send texts, templates, files, buttons and lists.',
  Templates: 'What can be sent at any time, approved by the platform.',
  Files: 'Upload what you want to send; download what contacts send you.',
  Line: 'Whether your phone line is connected, and how it is rated.',
  Destinations:
    'Where replies and delivery statuses go. Your own program, or a workflow, registers its address here.',
};

/** An id of upstream's objects: anything else there is an unknown path. */
const DIGITS = '^\\d{1,32}$';

/** What stands in braces in a path. */
export const PATH_PARAMETERS: Record<string, { description: string; example: string; pattern?: string }> = {
  tid: {
    description: "Your line: the platform's phone number id, or the line's number in the gateway.",
    example: '109351478203615',
  },
  id: { description: 'The id under which it was added.', example: '1' },
  message_id: {
    description:
      'The id that the send was answered (`chat_message_id`), URL-encoded: it may hold `/`, `+` and `=`.',
    example: 'wamid.HBgLMTIwMjU1NTAxNDcVAgARGBI5QTNDQTVCM0Q0Q0Q2RTY3RTcA',
  },
  contact: {
    description:
      'The phone number of the contact with country code, as in `to`, or an id that the platform gave.',
    example: '12025550147',
  },
  media_id: {
    description: 'The id of a file, as its upload or an event tells it.',
    example: '4490709327384033',
    pattern: DIGITS,
  },
  object_id: {
    description: 'The id of a file; or of your line, or of the business account that it belongs to.',
    example: '4490709327384033',
    pattern: DIGITS,
  },
  account_id: {
    description: 'The id of the business account that your line belongs to, or of the line itself.',
    example: '102290129340398',
    pattern: DIGITS,
  },
};

/** The headers of every answer to a path of this API, whatever its status. */
export const ANSWER_HEADERS: Record<string, Described> = {
  'X-Gateway-Version': {
    description: 'The version by which the request was served.',
    schema: { type: 'string', enum: [UPSTREAM_VERSION] },
  },
};

/** The headers of every answer to a request whose token is right, whatever its status; none where the limit is off. */
export const RATE_HEADERS: Record<string, Described> = {
  'X-RateLimit-Limit': {
    description: 'How many requests of this kind (sends, changes, reads) the line may make at once.',
    schema: { type: 'integer' },
  },
  'X-RateLimit-Remaining': { description: 'How many of them are left.', schema: { type: 'integer' } },
  'X-RateLimit-Reset': { description: 'Seconds until all of them are back.', schema: { type: 'integer' } },
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
    scope: 'send',
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
      lineRateExceeded(80, 1),
      pairLimitExceeded('12025550147', 45, 6),
      lineQualityLow(),
      badPayload('text.body', 'required', 'text.body is missing: the text to send.'),
      outsideWindow('12025550147 last wrote to this line 31 hours ago.'),
      templateParamsMismatch('Template "order_update" (en_US): its body needs 2 values, and 1 came.'),
      templateNotApproved(
        132015,
        'Template "flash_sale" (en_US) is paused by the platform because of its low quality.',
        'Use another template, or wait.',
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
    path: '/{tid}/messages/{message_id}',
    tag: 'Messages',
    id: 'getMessage',
    scope: 'read',
    summary: 'Ask what became of a message',
    description:
      'How far the message has come, when it got there and, where it failed, what happened and what to do about it.',
    answers: { 200: { description: 'The message.', schema: MessageAnswer } },
    refusals: [...ANY, READS, messageNotFound(), notFound('/v22.0/109351478203615/messages/')],
  },
  {
    method: 'get',
    path: '/{tid}/window/{contact}',
    tag: 'Messages',
    id: 'getWindow',
    scope: 'read',
    summary: 'Ask whether a contact may be written to freely',
    description:
      'A contact may be written to freely for 24 hours after the last message from there. Outside that time, send a template.',
    answers: { 200: { description: 'The window of the contact.', schema: WindowAnswer } },
    refusals: [
      ...ANY,
      READS,
      ...badQuery('The contact is "nobody"; it takes a phone number with country code.'),
      notFound('/v22.0/109351478203615/window/'),
    ],
  },
  {
    method: 'get',
    path: '/{tid}/templates',
    tag: 'Templates',
    id: 'listTemplates',
    scope: 'read',
    summary: 'List the templates of your line',
    description:
      'The templates that the platform has for your line, by name and language, with everything that is needed to fill one in: its text, how many variables it has, its buttons.',
    query: TemplatesQuery,
    queryMeaning: {
      status: 'Only templates in this state. An `approved` one can be sent.',
      name: 'Only templates whose name holds this.',
      limit: 'How many at most.',
      refresh: REFRESH,
    },
    answers: { 200: { description: 'The templates.', schema: TemplatesAnswer } },
    refusals: [
      ...ANY,
      READS,
      ...badQuery('limit is "0"; it takes a whole number from 1 to 500.'),
      ...REFRESHED,
    ],
  },
  {
    method: 'get',
    path: '/{account_id}/message_templates',
    tag: 'Templates',
    id: 'listMessageTemplates',
    scope: 'read',
    summary: "List templates in the platform's own form",
    description:
      'For programs that were written for the platform: its own form, in pages with cursors. Takes the id of the business account, or of your line. What the gateway does not keep (a summary, further fields and filters) is asked of the platform.',
    query: GraphTemplatesQuery,
    queryMeaning: {
      fields: 'Which fields, separated by commas.',
      limit: 'How many of them on a page.',
      after: 'The cursor of an answer: what comes after it.',
      before: 'The cursor of an answer: what comes before it.',
      name: 'Only templates with this in their name.',
      status: "Only templates in this state, in the platform's words.",
      language: 'Only templates in this language.',
      category: 'Only templates of this category.',
      content: 'Only templates with this in their text.',
      name_or_content: 'Only templates with this in their name or their text.',
      quality_score: "Only templates of this quality, in the platform's words.",
      summary: 'What to tell of all templates together, as `total_count,message_template_count`.',
    },
    answers: { 200: { description: 'A page of templates.', schema: GraphTemplatesAnswer } },
    refusals: [
      ...ANY,
      READS,
      ...badQuery('limit is "0"; it takes a whole number from 1 to 6000.'),
      notFound('/v22.0/account/message_templates'),
      lineNotConfigured(),
      notToldYet('the templates of this account', 37),
      tooManyPlatformReads(5),
      ...FORWARDED,
      ...REFRESHED,
    ],
    keepsUpstreamStatus: true,
  },
  {
    method: 'post',
    path: '/{tid}/media',
    tag: 'Files',
    id: 'uploadMedia',
    scope: 'send',
    summary: 'Upload a file',
    description: [
      'Uploads a file, then send it by its `id`. What is in the file decides its type, not its name.',
      '',
      'Images (JPEG, PNG) up to 5 MB; videos (MP4, 3GPP) and audio (MP3, OGG, AAC, M4A, AMR) up to 16 MB; documents (PDF, Word, Excel, ZIP and the like) up to 100 MB; stickers (WebP) up to 100 KB, animated ones up to 500 KB.',
    ].join('\n'),
    body: {
      contentType: 'multipart/form-data',
      schema: MediaForm,
      examples: {
        image: {
          summary: 'A picture',
          value: { messaging_product: 'whatsapp', type: 'image/jpeg', file: '…' },
        },
      },
    },
    answers: { 200: { description: 'The platform has the file.', schema: MediaUploadAnswer } },
    refusals: [
      ...ANY,
      READS,
      tooManyTransfers(MOST_TRANSFERS, TRANSFER_RETRY),
      notMultipart(),
      formBroken('The form ended before its end.'),
      fileMissing(),
      fileTooLarge('images', '5 MB'),
      lineNotConfigured(),
      ...FORWARDED,
    ],
    keepsUpstreamStatus: true,
  },
  {
    method: 'get',
    path: '/{object_id}',
    tag: 'Files',
    id: 'getObject',
    scope: 'read',
    summary: 'Ask for a file by its id',
    description:
      "Tells the type and size of a file, and the address of this API where your token opens it. With your line's own id or that of its business account, it is the platform's own record of them.",
    query: ObjectQuery,
    queryMeaning: {
      fields:
        "Which fields of the line's record, separated by commas. Those that the gateway does not keep are asked of the platform.",
      phone_number_id:
        'Only files of your own line are reached, with this or without. Where it is given, it has to be your own line.',
    },
    answers: {
      200: { description: 'The file, or the record.', schema: { anyOf: [MediaAnswer, PhoneNumberAnswer] } },
    },
    refusals: [
      ...ANY,
      READS,
      ...badQuery('Leave it out of "fields".'),
      tooManyPlatformReads(5),
      mediaNotFound(),
      notFound('/v22.0/file'),
      lineNotConfigured(),
      notToldYet('this phone number', 37),
      ...FORWARDED,
      ...REFRESHED,
    ],
    keepsUpstreamStatus: true,
  },
  {
    method: 'delete',
    path: '/{object_id}',
    tag: 'Files',
    id: 'deleteMedia',
    scope: 'send',
    summary: 'Delete a file',
    description: 'Deletes a file that was uploaded or received.',
    query: MediaQuery,
    queryMeaning: {
      phone_number_id:
        'Only files of your own line are reached, with this or without. Where it is given, it has to be your own line.',
    },
    answers: { 200: { description: 'It was deleted.', schema: DoneAnswer } },
    refusals: [
      ...ANY,
      CHANGES,
      ...WITH_BODY,
      mediaNotFound(),
      notFound('/v22.0/file'),
      methodNotAllowed('DELETE', 'GET'),
      lineNotConfigured(),
      ...FORWARDED,
    ],
    keepsUpstreamStatus: true,
  },
  {
    method: 'get',
    path: '/{media_id}/content',
    tag: 'Files',
    id: 'downloadMedia',
    scope: 'read',
    summary: 'Download a file',
    description:
      'The bytes of a file, by way of the gateway: your token is enough. `Range` is handed on to the platform.',
    query: MediaQuery,
    queryMeaning: {
      phone_number_id:
        'Only files of your own line are reached, with this or without. Where it is given, it has to be your own line.',
    },
    answers: {
      200: {
        description: 'The file, with its own content type.',
        contentType: '*/*',
        schema: { type: 'string', format: 'binary' },
      },
      206: {
        description: 'The part that was asked for.',
        contentType: '*/*',
        schema: { type: 'string', format: 'binary' },
      },
    },
    refusals: [
      ...ANY,
      READS,
      tooManyTransfers(MOST_TRANSFERS, TRANSFER_RETRY),
      mediaNotFound(),
      notFound('/v22.0/file/content'),
      lineNotConfigured(),
      ...FORWARDED,
    ],
    keepsUpstreamStatus: true,
  },
  {
    method: 'get',
    path: '/{tid}/status',
    tag: 'Line',
    id: 'getLineStatus',
    scope: 'read',
    summary: 'Ask how your line is doing',
    description:
      'Whether the platform has your line connected, how it rates its quality, and how much it may send.',
    query: StatusQuery,
    queryMeaning: { refresh: REFRESH },
    answers: { 200: { description: 'The state of the line.', schema: LineStatusAnswer } },
    refusals: [...ANY, READS, ...badQuery('refresh is "yes"; it takes 1 or 0.'), ...REFRESHED],
  },
  {
    method: 'get',
    path: '/{tid}/destinations',
    tag: 'Destinations',
    id: 'listDestinations',
    scope: 'destinations',
    summary: 'List where events go',
    description:
      'The addresses that receive what contacts write to your line and what becomes of your messages. Of those that another token added, or an operator, the address is cut after the host. `failing_since` and `last_failure` tell of one that takes nothing at present: its events wait. `paused_at` and `paused_because` tell of one that is sent nothing until somebody lets it go on.',
    answers: { 200: { description: 'The destinations.', schema: DestinationsAnswer } },
    refusals: [...ANY, READS],
  },
  {
    method: 'post',
    path: '/{tid}/destinations',
    tag: 'Destinations',
    id: 'addDestination',
    scope: 'destinations',
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
        headers: {
          summary: 'To a receiver that wants a password of its own',
          value: {
            url: 'https://example.com/webhook',
            headers: { Authorization: 'Bearer of-your-receiver' },
          },
        },
      },
    },
    answers: { 201: { description: 'It was added.', schema: AddedDestinationAnswer } },
    refusals: [
      ...ANY,
      CHANGES,
      ...WITH_BODY,
      headersRefused('The header "Host" is sent by the gateway itself.'),
      destinationUrlRefused('url is not a web address. It looks like https://example.com/webhook'),
      tooManyDestinations(MOST_DESTINATIONS),
    ],
  },
  {
    method: 'delete',
    path: '/{tid}/destinations/{id}',
    tag: 'Destinations',
    id: 'removeDestination',
    scope: 'destinations',
    summary: 'Stop sending events to an address',
    description: 'Removes a destination that was added with a token, and what was still to be sent there.',
    answers: { 200: { description: 'It was removed.', schema: DoneAnswer } },
    refusals: [...ANY, CHANGES, ...WITH_BODY, destinationNotFound()],
  },
];
