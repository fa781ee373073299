/**
 * The platform's description of a phone number. Any field can be missing: the platform removes some without a
 * new version.
 * Format:
 * developers.facebook.com/docs/graph-api/reference/whats-app-business-account-to-number-current-status
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

/** Longer than any documented value. */
const LONGEST_VALUE = 512;

/**
 * Returns the readable fields of a phone number, in the order above. Other fields are dropped, so that
 * nothing from the platform can break our answers.
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

/** Reads the only field that is an object, such as `{"level": "STANDARD"}`. */
function levelOf(value: unknown): { level: string } | null {
  const level = wordOf((value as { level?: unknown } | null | undefined)?.level);
  return level === null ? null : { level };
}

/** Never returned: with a number's certificate, anyone could register the number elsewhere. */
export const PHONE_NUMBER_SECRETS: readonly string[] = ['certificate', 'new_certificate'];

/** Fields for reads in the platform's format: the stored fields, and the platform's default fields. */
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

/** Quality ratings in this API. */
export const QUALITIES = ['HIGH', 'MEDIUM', 'LOW', 'UNKNOWN'] as const;
export type Quality = (typeof QUALITIES)[number];

const RATINGS: Record<string, Quality> = { GREEN: 'HIGH', YELLOW: 'MEDIUM', RED: 'LOW' };

/** Converts GREEN, YELLOW and RED; any other value is UNKNOWN. */
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

/** @param upstreamStatus null if the platform was never asked */
export const connectionStateOf = (upstreamStatus: string | null): ConnectionState =>
  STATES[upstreamStatus?.toUpperCase() ?? ''] ?? 'unknown';
