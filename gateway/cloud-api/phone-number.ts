/**
 * A phone number as upstream tells it. Any field may be missing: upstream drops some without a new version.
 * Shape: developers.facebook.com/docs/graph-api/reference/whats-app-business-account-to-number-current-status.
 */
export interface PhoneNumberNode {
  id?: string;
  display_phone_number?: string;
  verified_name?: string;
  quality_rating?: string;
  status?: string;
  name_status?: string;
  messaging_limit_tier?: string;
  whatsapp_business_manager_messaging_limit?: string;
}

export const PHONE_NUMBER_FIELDS = [
  'id',
  'display_phone_number',
  'verified_name',
  'quality_rating',
  'status',
  'name_status',
  'messaging_limit_tier',
  'whatsapp_business_manager_messaging_limit',
] as const;

/** No value that upstream documents is longer. */
const LONGEST_VALUE = 512;

/**
 * What can be read of a phone number: the fields above, in that order, where they are text. Whatever else upstream
 * answers is left out, so that nothing that it sends can break an answer of ours.
 */
export function readPhoneNumber(value: unknown): PhoneNumberNode {
  const node = typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  return Object.fromEntries(
    PHONE_NUMBER_FIELDS.map((field) => [field, node[field]]).filter(
      ([, told]) => typeof told === 'string' && told !== '' && told.length <= LONGEST_VALUE,
    ),
  );
}

/** A quality rating in the words of this API. */
export type Quality = 'HIGH' | 'MEDIUM' | 'LOW' | 'UNKNOWN';

const QUALITIES: Record<string, Quality> = { GREEN: 'HIGH', YELLOW: 'MEDIUM', RED: 'LOW' };

/** GREEN, YELLOW, RED in our words; anything else is UNKNOWN. */
export const qualityOf = (rating: string | null | undefined): Quality =>
  QUALITIES[rating?.toUpperCase() ?? ''] ?? 'UNKNOWN';

export type ConnectionState = 'connected' | 'disconnected' | 'pending' | 'unknown';

const CONNECTION_STATES: Record<string, ConnectionState> = {
  CONNECTED: 'connected',
  LINKED: 'connected',
  FLAGGED: 'connected',
  RATE_LIMITED: 'connected',
  RESTRICTED: 'connected',
  PENDING: 'pending',
  UNVERIFIED: 'pending',
  DISCONNECTED: 'disconnected',
  UNLINKED: 'disconnected',
  BANNED: 'disconnected',
  DELETED: 'disconnected',
  MIGRATED: 'disconnected',
};

/** @param upstreamStatus null when upstream was never asked. */
export const connectionStateOf = (upstreamStatus: string | null): ConnectionState =>
  CONNECTION_STATES[upstreamStatus?.toUpperCase() ?? ''] ?? 'unknown';
