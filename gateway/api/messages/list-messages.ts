import { type FastifyRequest } from 'fastify';
import * as Type from 'typebox';
import { spellingsOf } from '../../cloud-api/phone-spellings';
import { fileOf, messageIn, writerName, writtenText } from '../../cloud-api/written-text';
import { invalidQuery } from '../../errors';
import { MESSAGE_STATES, messageState } from '../../messages/message-record';
import { saidBefore, type ChatMessage } from '../../messages/said';
import { sentWords, templatesOf, type Templates } from '../../messages/sent-words';
import { MINUTE } from '../../time';
import { TextOrNull } from '../http/answer-parts';
import { contactIn, invalidContact } from '../http/contact';
import { readInteger } from '../http/query';
import { operation, type ApiDeps } from '../operation';

const LIMIT = { minimum: 1, maximum: 200, default: 50 };

const MessagesQuery = Type.Object({
  limit: Type.Optional(Type.Integer({ ...LIMIT, description: 'Messages on a page.' })),
  before: Type.Optional(
    Type.String({ description: '`next` of the previous answer: continues with older messages.' }),
  ),
});

const DIRECTIONS = ['received', 'sent'] as const;

const OneMessage = Type.Object({
  /** The platform's id; null if the content of a received message is no longer stored. */
  id: TextOrNull,
  direction: Type.Enum([...DIRECTIONS]),
  contact: TextOrNull,
  /** The sender's profile name. */
  name: TextOrNull,
  type: TextOrNull,
  /** Null if the message has no text, or if the text was not stored. */
  text: TextOrNull,
  /** The id for downloading the file of a received message while the platform has it. */
  media_id: TextOrNull,
  /** When the gateway received the message, or when the platform accepted it. */
  at: Type.String({ format: 'date-time' }),
  /** Null for a received message. */
  state: Type.Unsafe<ReturnType<typeof messageState> | null>({
    type: 'string',
    enum: [...MESSAGE_STATES, null],
    nullable: true,
  }),
  client_ref: TextOrNull,
});

const MessagesAnswer = Type.Object({
  success: Type.Literal(true),
  count: Type.Integer(),
  data: Type.Array(OneMessage),
  next: TextOrNull,
});

export const listMessages = operation('get /{tid}/conversations/{contact}', {
  tag: 'Messages',
  id: 'listMessages',
  scope: 'read',
  rate: 'reads',
  isList: true,
  summary: 'List the messages of a contact',
  description:
    'Messages from and to the contact, the newest first. The text of a sent message is there if the line stores what it sends, a setting of the line; of a received message for as long as the gateway keeps events. A page may hold a few more than `limit`, if they have the same time.',
  query: MessagesQuery,
  answers: { 200: { description: 'A page of messages.', schema: MessagesAnswer } },
  refusals: () => [invalidContact('nobody')],
  handler: list,
});

function list({ store, clock }: Pick<ApiDeps, 'store' | 'clock'>) {
  return async (request: FastifyRequest): Promise<Type.Static<typeof MessagesAnswer>> => {
    const { limit: given, before } = request.query as Record<string, unknown>;
    const limit = readInteger('limit', given, LIMIT);
    const names = await store.windows.identitiesOf(request.line.id, [contactIn(request)], spellingsOf);
    const end = before === undefined ? clock() + MINUTE : timeIn(before);
    const { said, older } = await saidBefore(store, request.line.id, names, end, limit);
    const templates = await templatesOf(
      store,
      said.flatMap(({ sent }) => sent ?? []),
    );
    const data = said.map((one) => toAnswer(one, templates));
    return { success: true, count: data.length, data, next: older === null ? null : String(older) };
  };
}

function timeIn(before: unknown): number {
  if (typeof before === 'string' && /^\d{1,15}$/.test(before)) return Number(before);
  throw invalidQuery('before is not what an answer gave as next.');
}

function toAnswer({ at, written, sent }: ChatMessage, templates: Templates): Type.Static<typeof OneMessage> {
  if (sent) {
    const { wamid: id, contact, type, client_ref } = sent;
    const text = sentWords(sent, templates);
    const state = messageState(sent);
    return { id, direction: 'sent', contact, name: null, type, text, media_id: null, at, state, client_ref };
  }
  const { body, contact, kind: type } = written;
  const { id } = messageIn(body);
  return {
    id: typeof id === 'string' ? id : null,
    direction: 'received',
    contact,
    name: writerName(body),
    type,
    text: writtenText(body),
    media_id: fileOf(body)?.id ?? null,
    at,
    state: null,
    client_ref: null,
  };
}
