import { apiDisabled, customerSuspended, lineInactive, lineNotConfigured, type Refusal } from '../errors';
import { readPhoneNumber, type PhoneNumberNode } from '../cloud-api/phone-number';
import { type LineRow } from '../store/tables/lines';
import { type AuditedLooks, type OptOutWords, type QualityMode, type WindowMode } from '../store/schema';
import { type Vault } from '../store/vault';

/** A phone number that a customer sends through, as held in memory. */
export interface Line {
  id: number;
  /** The customer that the line belongs to; null if none. */
  customerId: number | null;
  name: string;
  phoneNumberId: string;
  phoneNumber: string;
  wabaId: string;
  /** The access token for the platform. */
  accessToken: string | null;
  /** The secret with which the platform signs notifications to the line's own callback. */
  appSecret: string | null;
  verifyToken: string;
  windowMode: WindowMode;
  qualityMode: QualityMode;
  /** Words with which contacts opt out and in again; null if the line never had an opt-out list. */
  optOutWords: OptOutWords | null;
  /**
   * Hours for which a colleague's reply pauses automations. 0: replies don't pause; null: as 0, and no contact was
   * ever paused.
   */
  automationPauseHours: number | null;
  /** Whether the bodies of sends are stored; login codes never are. */
  keepsSent: boolean;
  isActive: boolean;
  /** Whether the line's customer is suspended. */
  isSuspended: boolean;
  /** Whether marketing templates are refused, because the customer's budget is reached. */
  holdsMarketing: boolean;
  /** Null if the line belongs to no customer. */
  customerName: string | null;
  /** Whose looks at the line's messages the audit of its customer records. */
  auditLooks: AuditedLooks;
  apiEnabled: boolean;
  /** The platform's last data about the phone number; null if it was never read. */
  upstream: PhoneNumberNode | null;
  /** Since when notifications to the line's own callback have a wrong signature (ISO); null if the last one was right. */
  signatureFailedAt: string | null;
  /** ISO time of the last successful poll when the registry was read. Polls without changes do not update it. */
  statusCheckedAt: string | null;
}

export const lineOf = (row: LineRow, vault: Vault): Line => ({
  id: row.id,
  customerId: row.customer_id,
  name: row.name,
  phoneNumberId: row.phone_number_id,
  phoneNumber: row.phone_number,
  wabaId: row.waba_id,
  accessToken:
    row.access_token_sealed === null ? null : vault.open('lines.access_token', row.access_token_sealed),
  appSecret: row.app_secret_sealed === null ? null : vault.open('lines.app_secret', row.app_secret_sealed),
  verifyToken: row.verify_token,
  windowMode: row.window_mode,
  qualityMode: row.quality_mode,
  optOutWords: row.opt_out_words === null ? null : (JSON.parse(row.opt_out_words) as OptOutWords),
  automationPauseHours: row.automation_pause_hours,
  keepsSent: row.sent_kept_at !== null,
  isActive: row.deactivated_at === null,
  isSuspended: row.customer_suspended_at !== null,
  holdsMarketing: row.customer_holds_marketing === 1,
  customerName: row.customer_name,
  auditLooks: row.customer_audit_looks ?? 'off',
  apiEnabled: row.api_disabled_at === null,
  signatureFailedAt: row.signature_failed_at,
  ...upstreamStatusOf(row),
});

/** Parses the platform's data in a row. */
export const upstreamStatusOf = (
  row: Pick<LineRow, 'upstream_node' | 'status_checked_at'>,
): Pick<Line, 'upstream' | 'statusCheckedAt'> => ({
  upstream: row.upstream_node === null ? null : readPhoneNumber(JSON.parse(row.upstream_node)),
  statusCheckedAt: row.status_checked_at,
});

/** The refusal for the line of a suspended customer, an inactive line, or one with its API disabled. */
export function refuseLine(line: Line): Refusal | null {
  if (line.isSuspended) return customerSuspended();
  if (!line.isActive) return lineInactive();
  return line.apiEnabled ? null : apiDisabled();
}

/** The line's access token for the platform. @throws Refusal if there is none */
export function accessTokenOf({ accessToken }: Line): string {
  if (accessToken === null) throw lineNotConfigured();
  return accessToken;
}
