/**
 * A phone number as upstream tells it. Any field may be missing: upstream drops some without a new version.
 * Shape: developers.facebook.com/docs/graph-api/reference/whats-app-business-account-to-number-current-status.
 */
export interface PhoneNumberNode {
  id: string;
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

/** A quality rating in the words of this API. */
export const QUALITIES = ['HIGH', 'MEDIUM', 'LOW', 'UNKNOWN'] as const;
export type Quality = (typeof QUALITIES)[number];

const RATINGS: Record<string, Quality> = { GREEN: 'HIGH', YELLOW: 'MEDIUM', RED: 'LOW' };

/** GREEN, YELLOW, RED in our words; anything else is UNKNOWN. */
export const qualityOf = (rating: string | null | undefined): Quality =>
  RATINGS[rating?.toUpperCase() ?? ''] ?? 'UNKNOWN';

export const CONNECTION_STATES = ['connected', 'disconnected', 'pending', 'unknown'] as const;
export type ConnectionState = (typeof CONNECTION_STATES)[number];

const STATES: Record<string, ConnectionState> = {
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
  STATES[upstreamStatus?.toUpperCase() ?? ''] ?? 'unknown';
