import * as Type from 'typebox';

/** A text of an answer that may be null. */
export const TextOrNull = Type.Unsafe<string | null>({ type: 'string', nullable: true });

/** The same of a time: ISO 8601 in UTC. */
export const TimeOrNull = Type.Unsafe<string | null>({ type: 'string', format: 'date-time', nullable: true });

/** What became of a refresh that was asked for (`lines/refresh.ts`). `retry_after` in seconds, where it was too early. */
export const RefreshAnswer = Type.Object({
  requested: Type.Boolean(),
  performed: Type.Optional(Type.Boolean()),
  reason: Type.Optional(Type.Enum(['cooldown', 'upstream_error', 'no_credentials'])),
  retry_after: Type.Optional(Type.Integer()),
});

/** The answer where nothing but the doing was asked for, as to a message that is marked as read. */
export const DoneAnswer = Type.Object({ success: Type.Literal(true) });
