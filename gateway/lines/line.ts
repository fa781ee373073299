import { apiDisabled, lineInactive, lineNotConfigured, type Refusal } from '../errors';
import { readPhoneNumber, type PhoneNumberNode } from '../cloud-api/phone-number';
import { type LineRow } from '../store/tables/lines';
import { type OptOutWords, type QualityMode, type WindowMode } from '../store/schema';
import { type Vault } from '../store/vault';

/** One phone number a customer sends through, as the gateway holds it in memory. */
export interface Line {
  id: number;
  name: string;
  phoneNumberId: string;
  phoneNumber: string;
  wabaId: string;
  /** The credential at the platform. */
  accessToken: string | null;
  /** The platform signs its notifications to the line's own callback with it. */
  appSecret: string | null;
  verifyToken: string;
  windowMode: WindowMode;
  qualityMode: QualityMode;
  /** The words by which contacts opt out and back in; null if the line never had an opt-out list. */
  optOutWords: OptOutWords | null;
  /** For how many hours a colleague's answer pauses automations; 0: it does not; null: nor was anyone ever paused. */
  automationPauseHours: number | null;
  /** Whether the bodies of sends are stored; log-in codes never are. */
  keepsSent: boolean;
  isActive: boolean;
  apiEnabled: boolean;
  /** What the platform last reported about the phone number; null if it was never asked. */
  upstream: PhoneNumberNode | null;
  /** ISO time of the last successful poll as of the registry's last read: polls without news do not change it. */
  statusCheckedAt: string | null;
}

export const lineOf = (row: LineRow, vault: Vault): Line => ({
  id: row.id,
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
  apiEnabled: row.api_disabled_at === null,
  ...upstreamStatusOf(row),
});

/** Reads what the platform last reported from a row. */
export const upstreamStatusOf = (
  row: Pick<LineRow, 'upstream_node' | 'status_checked_at'>,
): Pick<Line, 'upstream' | 'statusCheckedAt'> => ({
  upstream: row.upstream_node === null ? null : readPhoneNumber(JSON.parse(row.upstream_node)),
  statusCheckedAt: row.status_checked_at,
});

/** Refuses a line that is switched off, or whose API is. */
export function refuseLine(line: Line): Refusal | null {
  if (!line.isActive) return lineInactive();
  return line.apiEnabled ? null : apiDisabled();
}

/** The line's credential at the platform. @throws Refusal if there is none */
export function accessTokenOf({ accessToken }: Line): string {
  if (accessToken === null) throw lineNotConfigured();
  return accessToken;
}
