import { randomBytes } from 'node:crypto';
import { type Tables } from '../store/database';
import { type LineRow } from '../store/lines';
import { type QualityMode, type WindowMode } from '../store/schema';
import { type Vault } from '../store/vault';
import { isoTime, type Clock } from '../time';
import { type Line } from './line';

export interface LineDeps {
  store: Pick<Tables, 'lines'>;
  vault: Vault;
  clock: Clock;
}

export const WINDOW_MODES: readonly WindowMode[] = ['text', 'all', 'upstream'];
export const QUALITY_MODES: readonly QualityMode[] = ['normal', 'strict'];

/** What a new line is made of. */
export type NewLine = Pick<
  Line,
  'name' | 'phoneNumberId' | 'phoneNumber' | 'wabaId' | 'accessToken' | 'appSecret'
> & { window: WindowMode };

/** Whether it can be an id that the upstream platform gives: a phone number's, or a business account's. */
export const isPlatformId = (text: string): boolean => /^\d{1,64}$/.test(text);

/** Whether it can be a telephone number with its country code, however it is spaced. */
export const isPhoneNumber = (text: string): boolean => /^\d{5,20}$/.test(text.replace(/[+ ().-]/g, ''));

/** Registers a line. @returns null where another has its phone number id */
export const registerLine = ({ store, vault, clock }: LineDeps, line: NewLine): Promise<LineRow | null> =>
  store.lines.insert({
    name: line.name,
    phone_number_id: line.phoneNumberId,
    phone_number: line.phoneNumber,
    waba_id: line.wabaId,
    access_token_sealed:
      line.accessToken === null ? null : vault.seal('lines.access_token', line.accessToken),
    app_secret_sealed: line.appSecret === null ? null : vault.seal('lines.app_secret', line.appSecret),
    verify_token: randomBytes(16).toString('hex'),
    window_mode: line.window,
    quality_mode: 'normal',
    created_at: isoTime(clock()),
  });

/** What is to change of a line; what is left out stays. */
export interface LineChange {
  name?: string;
  phoneNumberId?: string;
  phoneNumber?: string;
  wabaId?: string;
  accessToken?: string;
  appSecret?: string;
  windowMode?: WindowMode;
  qualityMode?: QualityMode;
  isActive?: boolean;
  apiEnabled?: boolean;
}

/** Changes a line. @returns it as it is then; null where another line has the phone number id that it was to be given */
export async function editLine(
  { store, vault, clock }: LineDeps,
  row: LineRow,
  change: LineChange,
): Promise<LineRow | null> {
  const { phoneNumberId } = change;
  const lines = phoneNumberId === undefined ? [] : await store.lines.all();
  if (lines.some((one) => one.phone_number_id === phoneNumberId && one.id !== row.id)) return null;
  const now = isoTime(clock());
  const columns = {
    ...(change.name && { name: change.name }),
    ...(phoneNumberId && { phone_number_id: phoneNumberId }),
    ...(change.phoneNumber && { phone_number: change.phoneNumber }),
    ...(change.wabaId && { waba_id: change.wabaId }),
    ...(change.accessToken && { access_token_sealed: vault.seal('lines.access_token', change.accessToken) }),
    ...(change.appSecret && { app_secret_sealed: vault.seal('lines.app_secret', change.appSecret) }),
    ...(change.windowMode && { window_mode: change.windowMode }),
    ...(change.qualityMode && { quality_mode: change.qualityMode }),
    ...(change.isActive !== undefined && {
      deactivated_at: change.isActive ? null : (row.deactivated_at ?? now),
    }),
    ...(change.apiEnabled !== undefined && {
      api_disabled_at: change.apiEnabled ? null : (row.api_disabled_at ?? now),
    }),
  };
  if (Object.keys(columns).length) await store.lines.update(row.id, columns);
  return { ...row, ...columns };
}
