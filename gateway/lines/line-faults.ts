import { typedNumber } from '../cloud-api/phone-spellings';
import { lineFieldRefused } from '../errors';
import { faultOfCredential } from '../primitives/credential';
import { Issues } from '../primitives/issues';
import { faultOfCharacters } from '../primitives/visible-text';
import { LONGEST_PAUSE_HOURS } from '../store/schema';
import { fact, type Fact } from '../wording/facts';
import { type Line } from './line';

/** The fields of a line that a person enters, without the secrets. */
export type LineFields = Pick<Line, 'name' | 'phoneNumberId' | 'phoneNumber' | 'wabaId'>;

const LONGEST_NAME = 200;

/** Whether it has the format of an id of the platform: a phone number's, or a business account's. */
export const isPlatformId = (text: string): boolean => /^\d{1,64}$/.test(text);

/** Whether it has the format of a phone number with country code, however it is spaced. */
export const isPhoneNumber = (text: string): boolean =>
  /^\d{5,20}$/.test(typedNumber(text).replace(/[+\s().-]/g, ''));

/**
 * Finds the faults of the fields of a line.
 * @param nameBefore may have characters that are refused now
 */
export function lineIssues(
  { name, phoneNumberId, phoneNumber, wabaId }: Partial<LineFields>,
  nameBefore: string | null = null,
): Issues {
  const issues = new Issues();
  const add = (field: string, fault: Fact | null) => issues.add(field, 'line_field', fault);
  if (name !== undefined) {
    if (!name.trim()) add('name', fact('name.missing', {}));
    if (name.length > LONGEST_NAME) add('name', fact('name.long', { most: LONGEST_NAME }));
    if (name !== nameBefore) add('name', faultOfCharacters(name));
  }
  if (phoneNumberId !== undefined && !isPlatformId(phoneNumberId))
    add('phone_number_id', fact('number_id.invalid', {}));
  if (wabaId !== undefined && !isPlatformId(wabaId)) add('waba_id', fact('waba_id.invalid', {}));
  if (wabaId !== undefined && wabaId === phoneNumberId) add('waba_id', fact('waba_id.same', {}));
  if (phoneNumber !== undefined && !isPhoneNumber(phoneNumber))
    add('phone_number', fact('phone.invalid', {}));
  return issues;
}

/** Characters of an access token or an app secret. */
export const LONGEST_CREDENTIAL = 2048;

/** The fault of an access token or an app secret; null if it is valid. */
export const credentialFault = (secret: string, what: 'access_token' | 'app_secret'): Fact | null =>
  secret.length > LONGEST_CREDENTIAL ? fact('copied.long', { what }) : faultOfCredential(secret, what);

/** @throws Refusal */
export function checkSecrets({
  accessToken,
  appSecret,
}: Partial<Pick<Line, 'accessToken' | 'appSecret'>>): void {
  const tokenFault = credentialFault(accessToken ?? '', 'access_token');
  if (tokenFault !== null) throw lineFieldRefused('access_token', tokenFault);
  const secretFault = credentialFault(appSecret ?? '', 'app_secret');
  if (secretFault !== null) throw lineFieldRefused('app_secret', secretFault);
}

/** The fault of the hours for which a colleague's answer pauses automations; null if they are valid. */
export const pauseHoursFault = (hours: number): Fact | null =>
  Number.isInteger(hours) && hours >= 0 && hours <= LONGEST_PAUSE_HOURS
    ? null
    : fact('hours.range', { most: LONGEST_PAUSE_HOURS });

/** @throws Refusal */
export function checkPauseHours(hours: number): void {
  const fault = pauseHoursFault(hours);
  if (fault) throw lineFieldRefused('pause_hours', fault);
}
