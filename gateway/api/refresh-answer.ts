import { Type } from 'typebox';

/** What became of a refresh that was asked for (`lines/refresh.ts`). `retry_after` in seconds, where it was too early. */
export const RefreshAnswer = Type.Object({
  requested: Type.Boolean(),
  performed: Type.Optional(Type.Boolean()),
  reason: Type.Optional(Type.Enum(['cooldown', 'upstream_error', 'no_credentials'])),
  retry_after: Type.Optional(Type.Integer()),
});
