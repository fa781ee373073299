import { type LastAttempt } from '../store/reports/destination-report';
import { type DestinationRow } from '../store/tables/destinations';

/** The last attempt or probe at a destination. */
export interface LastTry {
  /** ISO time. */
  at: string;
  /** Null for a failed probe, which is not stored as an attempt. */
  attempt: LastAttempt | null;
}

/** The later of the last attempt and the last probe; null if there was neither. */
export function lastTryOf(
  { last_tried_at: triedAt }: Pick<DestinationRow, 'last_tried_at'>,
  attempt: LastAttempt | null,
): LastTry | null {
  if (triedAt !== null && triedAt > (attempt?.started_at ?? '')) return { at: triedAt, attempt: null };
  return attempt && { at: attempt.started_at, attempt };
}
