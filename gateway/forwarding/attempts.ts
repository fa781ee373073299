import { type AttemptRecord } from '../store/writes';
import { isoTime } from '../time';
import { type HeldDelivery } from './contact-order';
import { type Outcome } from './deliver';
import { nextWait } from './retry-schedule';

/** What is kept of the answers after the first one, in characters: 16 attempts at each of many events add up. */
const LATER_ANSWER = 1024;

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
  const failed = wait === null ? 'dead' : 'pending';
  return {
    destination_id: destinationId,
    event_id: eventId,
    number,
    started_at: isoTime(outcome.startedAt),
    duration_ms: outcome.durationMs,
    http_status: outcome.httpStatus,
    outcome: outcome.outcome,
    answer: number === 1 ? outcome.answer : (outcome.answer?.slice(0, LATER_ANSWER) ?? null),
    state: outcome.outcome === 'delivered' ? 'delivered' : failed,
    due_at: isoTime(finishedAt + (wait ?? 0)),
  };
}
