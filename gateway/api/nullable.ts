import { Type } from 'typebox';

/** A text of an answer that may be null. */
export const TextOrNull = Type.Unsafe<string | null>({ type: 'string', nullable: true });

/** The same of a time: ISO 8601 in UTC. */
export const TimeOrNull = Type.Unsafe<string | null>({ type: 'string', format: 'date-time', nullable: true });
