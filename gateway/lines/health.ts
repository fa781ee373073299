import { connectionStateOf, qualityOf, type ConnectionState } from '../cloud-api/phone-number';
import { type Line } from './line';

/** States of a line, most urgent first. Only a `connected` or `restricted` line can send. */
export const LINE_HEALTH = [
  'no_credentials',
  'credentials_refused',
  'account_restricted',
  'disconnected',
  'pending',
  'low_quality',
  'restricted',
  'unknown',
  'connected',
  'deactivated',
] as const;
export type LineHealth = (typeof LINE_HEALTH)[number];

/** The platform's statuses for a number that is connected but limited. */
export const RESTRICTED: readonly string[] = ['RESTRICTED', 'FLAGGED', 'RATE_LIMITED'];

/** Facts that are stored apart from the line, because they change more often. */
export interface HealthFacts {
  /** Whether the platform refused the line's access token in its latest response. */
  credentialsRefused: boolean;
  /** Whether the platform restricts the business account. */
  accountRestricted: boolean;
}

/** The single state of a line that the panel shows and filters by. Alerts use the same facts. */
export function lineHealth(
  line: Pick<Line, 'isActive' | 'accessToken' | 'upstream'>,
  { credentialsRefused, accountRestricted }: HealthFacts,
): LineHealth {
  if (!line.isActive) return 'deactivated';
  if (line.accessToken === null) return 'no_credentials';
  if (credentialsRefused) return 'credentials_refused';
  if (accountRestricted) return 'account_restricted';
  const status = line.upstream?.status ?? null;
  const state = connectionStateOf(status);
  if (state === 'disconnected' || state === 'pending') return state;
  if (line.upstream && qualityOf(line.upstream.quality_rating) === 'LOW') return 'low_quality';
  if (RESTRICTED.includes(status?.toUpperCase() ?? '')) return 'restricted';
  return state;
}

/**
 * The state that the API reports, as last read from the platform. A line whose access token was refused since is
 * `disconnected`, because it cannot send.
 */
export function reportedState(line: Pick<Line, 'upstream'>, credentialsRefused: boolean): ConnectionState {
  const state = connectionStateOf(line.upstream?.status ?? null);
  return credentialsRefused && state !== 'unknown' ? 'disconnected' : state;
}
