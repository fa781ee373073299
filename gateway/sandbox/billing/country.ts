/** The countries of contacts. */

/** Calling codes of some countries. */
const CALLING_CODES: Readonly<Record<string, string>> = {
  1: 'US',
  34: 'ES',
  351: 'PT',
  44: 'GB',
  49: 'DE',
  52: 'MX',
  55: 'BR',
  91: 'IN',
};

/**
 * Returns the country of a number or of a user ID, as ISO 3166 alpha-2; `??` if it is unknown.
 * @param contact digits, or `US.…`
 */
export function countryOf(contact: string): string {
  const prefix = /^[A-Z]{2}(?=\.)/.exec(contact)?.[0];
  return prefix ?? [1, 2, 3].map((length) => CALLING_CODES[contact.slice(0, length)]).find(Boolean) ?? '??';
}
