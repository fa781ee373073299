import * as Type from 'typebox';
import { type LineToken } from '../../lines/line-token';
import { LONGEST_LIFE, SECRET_LENGTH } from '../../forwarding/destinations/destination-input';
import { type HandshakeReport } from '../../forwarding/destinations/handshake';
import { say } from '../../wording/say';

/** A text of an answer that may be null. */
export const TextOrNull = Type.Unsafe<string | null>({ type: 'string', nullable: true });

/** The same of a time: ISO 8601 in UTC. */
export const TimeOrNull = Type.Unsafe<string | null>({ type: 'string', format: 'date-time', nullable: true });

/** The result of a requested refresh (`lines/refresh.ts`). `retry_after` in seconds, if it was too early. */
export const RefreshAnswer = Type.Object({
  requested: Type.Boolean(),
  performed: Type.Optional(Type.Boolean()),
  reason: Type.Optional(Type.Enum(['cooldown', 'upstream_error', 'no_credentials'])),
  retry_after: Type.Optional(Type.Integer()),
});

/** A list of these, in the form of all lists without pages. */
export const listOf = <Item extends Type.TSchema>(item: Item) =>
  Type.Object({ success: Type.Literal(true), count: Type.Integer(), data: Type.Array(item) });

/** The fields with which a program registers a URL. */
export const Receiver = {
  url: Type.String({ minLength: 1, maxLength: 2048 }),
  secret: Type.Optional(Type.Unsafe<string | null>({ type: 'string', nullable: true, ...SECRET_LENGTH })),
};

/** After how many seconds it ends by itself. */
export const ExpiresIn = Type.Optional(Type.Integer({ minimum: 1, maximum: LONGEST_LIFE }));

/** Whether the URL answered correctly. */
export const HandshakeAnswer = Type.Object({ ok: Type.Boolean(), detail: Type.String() });

export const shownHandshake = ({ ok, said }: HandshakeReport): Type.Static<typeof HandshakeAnswer> => ({
  ok,
  detail: say('en', said),
});

/** The answer of an action without a result, such as marking a message as read. */
export const DoneAnswer = Type.Object({ success: Type.Literal(true) });

/** What the gateway adds to the platform's answer to a message or an upload. */
const ADDED = ['success', 'chat_message_id', 'gateway'];

/** The answer, without what the gateway adds if the token has the platform's answers. */
export const answerTo = ({ answers }: LineToken, answer: object): object =>
  answers === 'platform' && ('messages' in answer || 'id' in answer)
    ? Object.fromEntries(Object.entries(answer).filter(([name]) => !ADDED.includes(name)))
    : answer;
