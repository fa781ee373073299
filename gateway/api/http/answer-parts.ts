import * as Type from 'typebox';
import { type LineToken } from '../../lines/line-token';
import { LONGEST_LIFE, SECRET_LENGTH } from '../../forwarding/destinations/destination-input';
import { type HandshakeReport } from '../../forwarding/destinations/handshake';
import { say } from '../../wording/say';

/** A nullable string in a response. */
export const TextOrNull = Type.Unsafe<string | null>({ type: 'string', nullable: true });

/** A nullable time in a response: ISO 8601 in UTC. */
export const TimeOrNull = Type.Unsafe<string | null>({ type: 'string', format: 'date-time', nullable: true });

/** The result of a requested refresh (`lines/refresh.ts`). `retry_after`: seconds, if the request was too early. */
export const RefreshAnswer = Type.Object({
  requested: Type.Boolean(),
  performed: Type.Optional(Type.Boolean()),
  reason: Type.Optional(Type.Enum(['cooldown', 'upstream_error', 'no_credentials'])),
  retry_after: Type.Optional(Type.Integer()),
});

/** A list in the form of all lists without pages. */
export const listOf = <Item extends Type.TSchema>(item: Item) =>
  Type.Object({ success: Type.Literal(true), count: Type.Integer(), data: Type.Array(item) });

/** The fields for registering a URL. */
export const Receiver = {
  url: Type.String({ minLength: 1, maxLength: 2048 }),
  secret: Type.Optional(Type.Unsafe<string | null>({ type: 'string', nullable: true, ...SECRET_LENGTH })),
};

/** Seconds until the registration ends automatically. */
export const ExpiresIn = Type.Optional(Type.Integer({ minimum: 1, maximum: LONGEST_LIFE }));

/** Whether the URL responded correctly. */
export const HandshakeAnswer = Type.Object({ ok: Type.Boolean(), detail: Type.String() });

export const shownHandshake = ({ ok, said }: HandshakeReport): Type.Static<typeof HandshakeAnswer> => ({
  ok,
  detail: say('en', said),
});

/** The response of an action without a result, such as marking a message as read. */
export const DoneAnswer = Type.Object({ success: Type.Literal(true) });

/** Fields that the gateway adds to the platform's response to a message or an upload. */
const ADDED = ['success', 'chat_message_id', 'gateway'];

/** The response, without the gateway's fields if the token is set to the platform's responses. */
export const answerTo = ({ answers }: Pick<LineToken, 'answers'>, answer: object): object =>
  answers === 'platform' && ('messages' in answer || 'id' in answer)
    ? Object.fromEntries(Object.entries(answer).filter(([name]) => !ADDED.includes(name)))
    : answer;

/** The same fields, each of which may be omitted. `Type.Partial` would bundle typebox's type evaluator. */
export const optionalFields = <Fields extends Record<string, Type.TSchema>>(fields: Fields) =>
  Object.fromEntries(Object.entries(fields).map(([name, schema]) => [name, Type.Optional(schema)])) as {
    [Name in keyof Fields]: Type.TOptional<Fields[Name]>;
  };
