import { typedNumber } from '../cloud-api/phone-spellings';
import { lineFieldRefused } from '../errors';
import { faultOfCredential } from '../primitives/credential';
import { faultOfCharacters } from '../primitives/visible-text';
import { LONGEST_PAUSE_HOURS } from '../store/schema';
import { fact, type Fact } from '../wording/facts';
import { type Line } from './line';

/** The fields of a line that a person enters, without the secrets. */
export type LineFields = Pick<Line, 'name' | 'phoneNumberId' | 'phoneNumber' | 'wabaId'>;

const LONGEST_NAME = 200;

/** Whether it can be an id that the platform gives: a phone number's, or a business account's. */
export const isPlatformId = (text: string): boolean => /^\d{1,64}$/.test(text);

/** Whether it can be a telephone number with its country code, however it is spaced. */
export const isPhoneNumber = (text: string): boolean =>
  /^\d{5,20}$/.test(typedNumber(text).replace(/[+\s().-]/g, ''));

/**
 * What is wrong with the fields of a line: a sentence by field. The panel and the commands both use it.
 * @param nameBefore may have characters that are refused now
 */
export function lineFaults(
  { name, phoneNumberId, phoneNumber, wabaId }: LineFields,
  nameBefore: string | null = null,
) {
  const faults: Partial<Record<keyof LineFields, string>> = {};
  const hidden = name === nameBefore ? null : faultOfCharacters(name);
  if (!name.trim()) faults.name = 'Give the line a name.';
  else if (name.length > LONGEST_NAME) faults.name = 'A name has up to 200 characters.';
  else if (hidden !== null) faults.name = hidden;
  if (!isPlatformId(phoneNumberId))
    faults.phoneNumberId = 'A phone number ID has only digits, such as 106540352242922.';
  if (!isPlatformId(wabaId))
    faults.wabaId = 'A WhatsApp Business Account ID has only digits, such as 102290129340398.';
  else if (wabaId === phoneNumberId)
    faults.wabaId = 'This is the phone number ID again; the account has an ID of its own.';
  if (!isPhoneNumber(phoneNumber))
    faults.phoneNumber = 'Give the phone number with its country code, for example +1 202-555-0123.';
  return faults;
}

/** @throws Refusal for the first field that is wrong */
export function checkLine(fields: LineFields, nameBefore?: string): void {
  const [fault] = Object.entries(lineFaults(fields, nameBefore));
  if (fault) throw lineFieldRefused(...fault);
}

/** Characters of an access token or an app secret. */
export const LONGEST_CREDENTIAL = 2048;

/** What is wrong with an access token or an app secret; null if nothing is. */
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

/** What is wrong with the hours for which a colleague's answer pauses automations; null if nothing is. */
export const pauseHoursFault = (hours: number): string | null =>
  Number.isInteger(hours) && hours >= 0 && hours <= LONGEST_PAUSE_HOURS
    ? null
    : 'Give whole hours up to 8760, or 0 for no pause.';

/** @throws Refusal */
export function checkPauseHours(hours: number): void {
  const fault = pauseHoursFault(hours);
  if (fault) throw lineFieldRefused('automationPauseHours', fault);
}
