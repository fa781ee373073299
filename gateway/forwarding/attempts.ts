import { type AttemptRecord } from '../store/writes';
import { isoTime } from '../time';
import { type HeldDelivery } from './contact-order';
import { type Outcome } from './deliver';
import { nextWait } from './retry-schedule';

/** What an attempt makes of its delivery. @param number of the attempt */
export function recordOf(
  destinationId: number,
  { eventId, attemptsBefore }: HeldDelivery,
  number: number,
  outcome: Outcome,
): AttemptRecord {
  const finishedAt = outcome.startedAt + outcome.durationMs;
  const wait =
    outcome.outcome === 'delivered'
      ? null
      : nextWait(number - attemptsBefore, outcome.retryAfter, Math.random());
  return {
    destination_id: destinationId,
    event_id: eventId,
    number,
    started_at: isoTime(outcome.startedAt),
    duration_ms: outcome.durationMs,
    http_status: outcome.httpStatus,
    outcome: outcome.outcome,
    answer: outcome.answer,
    state: outcome.outcome === 'delivered' ? 'delivered' : wait === null ? 'dead' : 'pending',
    due_at: isoTime(finishedAt + (wait ?? 0)),
  };
}
