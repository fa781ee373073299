import { connectionStateOf, qualityOf, type ConnectionState } from '../cloud-api/phone-number';
import { judgePlatform, type PlatformCheck } from './checks/judge';
import { type LineChecks } from './checks/line-checks';
import { type Line } from './line';

/** States of a line, most urgent first: those that stop it, those that limit it, all others. */
export const LINE_HEALTH = [
  'no_credentials',
  'credentials_refused',
  'account_restricted',
  'disconnected',
  'not_registered',
  'pending',
  'low_quality',
  'no_payment_method',
  'no_webhook',
  'restricted',
  'unknown',
  'connected',
  'deactivated',
] as const;
export type LineHealth = (typeof LINE_HEALTH)[number];

/** The states in which a line can send every message. */
const SENDING: readonly LineHealth[] = ['no_webhook', 'restricted', 'unknown', 'connected'];
export const canSend = (health: LineHealth): boolean => SENDING.includes(health);

/** The platform's statuses for a number that is connected but limited. */
export const RESTRICTED: readonly string[] = ['RESTRICTED', 'FLAGGED', 'RATE_LIMITED'];

/** Facts that are stored apart from the line, because they change more often. */
export interface HealthFacts {
  /** Whether the platform refused the line's access token in its latest response. */
  credentialsRefused: boolean;
  /** Whether the platform restricts the business account. */
  accountRestricted: boolean;
  /** Whether the platform has never called the gateway for the line. */
  notCalled: boolean;
  /** What the platform last reported for the checks of the line; null if it was never read. */
  checks: LineChecks | null;
  /** Milliseconds. */
  now: number;
}

/** Statuses of a number that registration does not change. */
const NOT_REGISTRABLE: readonly string[] = ['BANNED', 'DELETED', 'MIGRATED'];

/** The single state of a line, which the panel, the API, alerts and commands show. */
export function lineHealth(
  line: Pick<Line, 'isActive' | 'accessToken' | 'upstream'>,
  { credentialsRefused, accountRestricted, notCalled, checks, now }: HealthFacts,
): LineHealth {
  const isFailed = (check: PlatformCheck): boolean =>
    judgePlatform(check, { line, isRefused: credentialsRefused, checks, now }).state === 'failed';
  if (!line.isActive) return 'deactivated';
  if (line.accessToken === null) return 'no_credentials';
  if (credentialsRefused) return 'credentials_refused';
  if (accountRestricted) return 'account_restricted';
  const status = line.upstream?.status ?? null;
  const state = connectionStateOf(status);
  const isRegistrable = !NOT_REGISTRABLE.includes(status?.toUpperCase() ?? '');
  if (isRegistrable && isFailed('registration')) return 'not_registered';
  if (state === 'disconnected' || state === 'pending') return state;
  if (line.upstream && qualityOf(line.upstream.quality_rating) === 'LOW') return 'low_quality';
  if (isFailed('payment_method')) return 'no_payment_method';
  if (isFailed('subscription') || notCalled) return 'no_webhook';
  if (RESTRICTED.includes(status?.toUpperCase() ?? '')) return 'restricted';
  return state;
}

/**
 * The state that the API reports, as last read from the platform. A line whose access token is missing, or was refused
 * since, is `disconnected`, because it cannot send.
 */
export function reportedState({ upstream }: Pick<Line, 'upstream'>, health: LineHealth): ConnectionState {
  const state = connectionStateOf(upstream?.status ?? null);
  const hasNoToken = health === 'no_credentials' || health === 'credentials_refused';
  return hasNoToken && state !== 'unknown' ? 'disconnected' : state;
}
