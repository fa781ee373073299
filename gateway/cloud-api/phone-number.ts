/**
 * A phone number as the platform describes it. Any field may be missing: the platform drops some without a
 * new version. Shape: developers.facebook.com/docs/graph-api/reference/whats-app-business-account-to-number-
 * current-status.
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
  code_verification_status?: string;
  platform_type?: string;
  throughput?: { level?: string };
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
  'code_verification_status',
  'platform_type',
  'throughput',
] as const;

/** No value that the platform documents is longer. */
const LONGEST_VALUE = 512;

/**
 * The readable part of a phone number: the fields above, in that order, if they are text. All other fields
 * are left out, so that nothing from the platform can break our answers.
 */
export function readPhoneNumber(value: unknown): PhoneNumberNode {
  const node = typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  return Object.fromEntries(
    PHONE_NUMBER_FIELDS.map((field) => [
      field,
      field === 'throughput' ? levelOf(node[field]) : wordOf(node[field]),
    ]).filter(([, told]) => told !== null),
  );
}

const wordOf = (value: unknown): string | null =>
  typeof value === 'string' && value !== '' && value.length <= LONGEST_VALUE ? value : null;

/** The one field that is an object, as `{"level": "STANDARD"}`. */
function levelOf(value: unknown): { level: string } | null {
  const level = wordOf((value as { level?: unknown } | null | undefined)?.level);
  return level === null ? null : { level };
}

/** Never returned: with the certificate of a number, anybody could register the number elsewhere. */
export const PHONE_NUMBER_SECRETS: readonly string[] = ['certificate', 'new_certificate'];

/** The node in the platform's own shape: the stored fields, and the platform's default fields. */
export const PHONE_NUMBER_NODE = {
  known: [...PHONE_NUMBER_FIELDS, ...PHONE_NUMBER_SECRETS] as readonly string[],
  usual: [
    'verified_name',
    'code_verification_status',
    'display_phone_number',
    'quality_rating',
    'platform_type',
    'throughput',
  ],
  named: 'WhatsAppBusinessPhoneNumber',
};

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

/** @param upstreamStatus null when the platform was never asked. */
export const connectionStateOf = (upstreamStatus: string | null): ConnectionState =>
  STATES[upstreamStatus?.toUpperCase() ?? ''] ?? 'unknown';
