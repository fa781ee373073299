import * as Type from 'typebox';
import { EVENT_KINDS, type Destination } from '../../forwarding/destination';
import { publicFailure, publicReason } from '../../forwarding/failures';
import { fact } from '../../wording/facts';
import { say } from '../../wording/say';
import { DESTINATION_MODES, ORIGINS } from '../../store/schema';
import { TextOrNull, TimeOrNull } from '../http/answer-parts';

export const DestinationAnswer = Type.Object({
  id: Type.Integer(),
  url: Type.String(),
  events: Type.Array(Type.Enum([...EVENT_KINDS])),
  mode: Type.Enum([...DESTINATION_MODES]),
  quiet_seconds: Type.Unsafe<number | null>({ type: 'integer', nullable: true }),
  origin: Type.Enum([...ORIGINS]),
  created_at: Type.String({ format: 'date-time' }),
  expires_at: TimeOrNull,
  paused_at: TimeOrNull,
  paused_because: TextOrNull,
  failing_since: TimeOrNull,
  last_failure: TextOrNull,
});

/** A destination, as the API returns it. The secret is only returned when it is added, and header values never. */
export const shown = (destination: Destination): Type.Static<typeof DestinationAnswer> => ({
  id: destination.id,
  url: destination.url,
  events: [...destination.events],
  mode: destination.mode,
  quiet_seconds: destination.quietSeconds,
  // Destinations of questions are not listed.
  origin: destination.origin as (typeof ORIGINS)[number],
  created_at: destination.createdAt,
  expires_at: destination.expiresAt,
  paused_at: destination.pausedAt,
  paused_because: destination.pausedBecause && say('en', publicReason(destination.pausedBecause)),
  failing_since: destination.failingSince,
  last_failure: shownFailure(destination.lastFailure),
});

/** Describes a stored failure: an outcome, or an HTTP status with its usual meaning. */
export function shownFailure(failure: string | null): string | null {
  const shown = publicFailure(failure);
  return shown?.startsWith('HTTP ') ? say('en', fact('attempt.failed', { failure: shown })) : shown;
}
