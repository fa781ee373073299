/**
 * The simulated lines, each with its access token and its business account. Demo numbers come from the range
 * reserved for fiction.
 */
import { emptyFields } from './read';

/** One phone number. `displayPhoneNumber` is in the platform's format: "+1 202-555-0123". */
export interface SandboxLine {
  phoneNumberId: string;
  displayPhoneNumber: string;
  verifiedName: string;
  wabaId: string;
  accessToken: string;
}

export const DEMO_WABA_ID = '102748391650274';

/** The demo line; the caller adds an access token. */
export const DEMO_LINE: Omit<SandboxLine, 'accessToken'> = {
  phoneNumberId: '109351478203615',
  displayPhoneNumber: '+1 202-555-0123',
  verifiedName: 'Demo Shop',
  wabaId: DEMO_WABA_ID,
};

/** A demo contact; any other number works too. */
export const DEMO_CONTACT = '12025550147';

/** The number in the format of callbacks (`metadata.display_phone_number`, `context.from`): digits only. */
export const digitsOf = (line: SandboxLine): string => line.displayPhoneNumber.replace(/\D/g, '');

/** Fields that the platform has and omits if empty. */
const EMPTY_PHONE_FIELDS = emptyFields([
  'certificate',
  'conversational_automation',
  'country_code',
  'country_dial_code',
  'eligibility_for_api_business_global_search',
  'health_status',
  'new_certificate',
  'new_display_name',
  'official_business_account',
  'search_visibility',
  'username',
  'webhook_configuration',
]);

/**
 * Returns the line as a Graph node with every field that the sandbox knows.
 * https://developers.facebook.com/docs/graph-api/reference/whats-app-business-account-to-number-current-status
 */
export const phoneNode = (line: SandboxLine): Record<string, unknown> => ({
  verified_name: line.verifiedName,
  code_verification_status: 'VERIFIED',
  display_phone_number: line.displayPhoneNumber,
  quality_rating: 'GREEN',
  quality_score: { score: 'GREEN' },
  platform_type: 'CLOUD_API',
  throughput: { level: 'STANDARD' },
  status: 'CONNECTED',
  name_status: 'APPROVED',
  new_name_status: 'NONE',
  messaging_limit_tier: 'TIER_1K',
  whatsapp_business_manager_messaging_limit: 'TIER_1K',
  account_mode: 'SANDBOX',
  host_platform: 'CLOUD_API',
  is_official_business_account: false,
  is_pin_enabled: false,
  is_on_biz_app: false,
  is_preverified_number: false,
  last_onboarded_time: '2026-01-05T09:00:00+0000',
  ...EMPTY_PHONE_FIELDS,
  id: line.phoneNumberId,
});

/** The platform's default fields for a request without `fields`. */
export const PHONE_DEFAULT_FIELDS = [
  'verified_name',
  'code_verification_status',
  'display_phone_number',
  'quality_rating',
  'platform_type',
  'throughput',
];
