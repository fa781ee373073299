import { type Store } from '../store/database';
import { type AttemptRecord, type ClaimedDelivery } from '../store/writes';
import { isoTime, SECOND } from '../time';
import { type Outcome } from './deliver';
import { holdsLane, nextWait } from './retry-schedule';

/** Between two tries to record an attempt while the database is away. */
const RECORD_AGAIN = SECOND;

/**
 * What an attempt makes of its delivery. It stays claimed while it holds its lane back.
 * @param attempt its number
 * @param processId of the process that made it
 * @param isGivenBack whether the process keeps nothing of the destination
 * @param heldBack milliseconds for which it has held its lane back
 */
export function recordOf(
  delivery: ClaimedDelivery,
  attempt: number,
  outcome: Outcome,
  processId: string,
  isGivenBack: boolean,
  heldBack: number,
): AttemptRecord {
  const finishedAt = outcome.startedAt + outcome.durationMs;
  const tried = attempt - delivery.attempts_before;
  const wait = outcome.outcome === 'delivered' ? null : nextWait(tried, outcome.retryAfter, Math.random());
  const state = outcome.outcome === 'delivered' ? 'delivered' : wait === null ? 'dead' : 'pending';
  const holds = wait !== null && holdsLane(tried, wait, heldBack) && !isGivenBack;
  return {
    destination_id: delivery.destination_id,
    event_id: delivery.event_id,
    number: attempt,
    started_at: isoTime(outcome.startedAt),
    duration_ms: outcome.durationMs,
    http_status: outcome.httpStatus,
    outcome: outcome.outcome,
    answer: outcome.answer,
    state,
    due_at: isoTime(finishedAt + (wait ?? 0)),
    claimed_by: holds ? processId : null,
    made_by: processId,
  };
}

/** An attempt that is not recorded would be made again, so nothing else happens in its lane until it is. */
export async function recordUntilStored(
  store: Store,
  attempt: AttemptRecord,
  isStopping: () => boolean,
  failed: (error: unknown) => void,
): Promise<void> {
  for (;;) {
    try {
      await store.write({ kind: 'attempt', attempt });
      return;
    } catch (error) {
      failed(error);
      if (isStopping()) return;
      await new Promise((resolve) => setTimeout(resolve, RECORD_AGAIN));
    }
  }
}
