import { type FastifyRequest } from 'fastify';
import * as Type from 'typebox';
import { messageNotFound } from '../../errors';
import { MESSAGE_STATES, messageFailure, messageState } from '../../messages/message-record';
import { sentWords, templatesOf } from '../../messages/sent-words';
import { TextOrNull, TimeOrNull } from '../http/answer-parts';
import { operation } from '../operation';

const Failure = Type.Object({
  /** The gateway's stable code, such as `outside_24h_window`. */
  error_code: Type.String(),
  /** The platform's integer. */
  code: Type.Unsafe<number | null>({ type: 'integer', nullable: true }),
  reason: Type.String(),
  action: Type.String(),
  /** Unchanged from the platform. */
  errors: Type.Array(Type.Unknown()),
});

/** A sent message with its status. Times come from the platform; null if it reported none. */
const MessageAnswer = Type.Object({
  success: Type.Literal(true),
  id: Type.String(),
  state: Type.Enum(MESSAGE_STATES),
  /** The recipient, as the platform names the contact. */
  contact: TextOrNull,
  /** Null for a message that was not sent through the gateway. */
  type: TextOrNull,
  /** Null if the message has no text, or if the line does not store sent messages. */
  text: TextOrNull,
  /** The `biz_opaque_callback_data` of the send. */
  client_ref: TextOrNull,
  accepted_at: TimeOrNull,
  sent_at: TimeOrNull,
  delivered_at: TimeOrNull,
  read_at: TimeOrNull,
  played_at: TimeOrNull,
  failed_at: TimeOrNull,
  failure: Type.Unsafe<Type.Static<typeof Failure> | null>({ ...Failure, nullable: true }),
});
type MessageAnswer = Type.Static<typeof MessageAnswer>;

/** Reads a message by the id from the response to its send. */
export const getMessage = operation('get /{tid}/messages/{message_id}', {
  tag: 'Messages',
  id: 'getMessage',
  scope: 'read',
  rate: 'reads',
  summary: 'Get the status of a message',
  description: 'Its latest status, the time of each status and, if it failed, why and what to do.',
  answers: { 200: { description: 'The message.', schema: MessageAnswer } },
  refusals: () => [messageNotFound()],
  handler:
    ({ store }) =>
    async (request: FastifyRequest): Promise<MessageAnswer> => {
      const { message_id: id } = request.params as { message_id: string };
      // Ids have no control characters, and PostgreSQL does not accept NUL.
      const [row] = /\p{Cc}/u.test(id) ? [] : await store.messageList.byId([request.line.id], id);
      if (!row) throw messageNotFound();
      return {
        success: true,
        id: row.wamid,
        state: messageState(row),
        contact: row.contact,
        type: row.type,
        text: sentWords(row, await templatesOf(store, [row])),
        client_ref: row.client_ref,
        accepted_at: row.accepted_at,
        sent_at: row.sent_at,
        delivered_at: row.delivered_at,
        read_at: row.read_at,
        played_at: row.played_at,
        failed_at: row.failed_at,
        failure: messageFailure(row),
      };
    },
});
