import { type LastAttempt } from '../store/reports/destination-report';
import { type DestinationRow } from '../store/tables/destinations';

/** The last attempt or probe at a destination. */
export interface LastTry {
  /** ISO time. */
  at: string;
  /** Null if it was a failed probe while the breaker was open, for which no attempt is stored. */
  attempt: LastAttempt | null;
}

/** The later one of the last attempt and of the last try without an attempt; null if there was neither. */
export function lastTryOf(
  { last_tried_at: triedAt }: Pick<DestinationRow, 'last_tried_at'>,
  attempt: LastAttempt | null,
): LastTry | null {
  if (triedAt !== null && triedAt > (attempt?.started_at ?? '')) return { at: triedAt, attempt: null };
  return attempt && { at: attempt.started_at, attempt };
}
