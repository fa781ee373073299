/**
 * A country where the platform may return either of two spellings of a mobile number, whichever was dialled.
 */
interface Country {
  /** Patterns of all spellings; they capture the parts of the number. */
  written: RegExp[];
  shorter(area: string, number: string): string;
  longer(area: string, number: string): string;
}

/**
 * Countries, by calling code, where `wa_id` can differ from `to` by more than punctuation: for `to`
 * 5511987654321, the platform returns 551187654321, also in the contact's messages.
 * - Brazil put a 9 before its mobile numbers of eight digits, which began with 6 to 9. A landline begins with
 *   2 to 5, so no landline is mistaken for a mobile.
 * - Mexico had a 1 after 52 for calls to mobiles from abroad, and WhatsApp kept it.
 * - Argentina has a 9 after 54 for such calls; within the country, people write a 15 after the area code,
 *   which has two to four of the ten digits.
 */
const COUNTRIES: Record<string, Country> = {
  '55': {
    written: [/^55([1-9]\d)9?([6-9]\d{7})$/],
    shorter: (area, number) => `55${area}${number}`,
    longer: (area, number) => `55${area}9${number}`,
  },
  '52': {
    written: [/^521?([2-9]\d)(\d{8})$/],
    shorter: (area, number) => `52${area}${number}`,
    longer: (area, number) => `521${area}${number}`,
  },
  '54': {
    written: [
      /^549?([1-3]\d)(\d{8})$/,
      /^549?(11)15(\d{8})$/,
      /^549?([23]\d{2})15(\d{7})$/,
      /^549?([23]\d{3})15(\d{6})$/,
    ],
    shorter: (area, number) => `54${area}${number}`,
    longer: (area, number) => `549${area}${number}`,
  },
};

/**
 * Returns every spelling of a contact that the platform may use. The first one is the same for all spellings
 * of a contact. A user ID has only one.
 * @param contact digits with country code, or a user ID
 */
export function spellingsOf(contact: string): [string, ...string[]] {
  const country = COUNTRIES[contact.slice(0, 2)];
  if (!country) return [contact];
  for (const pattern of country.written) {
    const [, area, number] = pattern.exec(contact) ?? [];
    if (area && number) return [country.shorter(area, number), country.longer(area, number)];
  }
  return [contact];
}

/** Returns the calling code of a number: `1` for `12025550147`. */
export const callingCodeOf = (digits: string): string => CALLING_CODE.exec(digits)?.[0] ?? '';

/** Calling codes as assigned by the ITU: one to three digits. */
const CALLING_CODE = /^(1|7|2[07]|3[0-469]|4[013-9]|5[1-8]|6[0-6]|8[1246]|9[0-58]|[2-9]\d\d)/;

/**
 * Invisible characters that are copied with a number, such as direction marks from WhatsApp Web. For use in a
 * character class.
 */
const INVISIBLE = '\\u00ad\\u061c\\u180e\\u200b-\\u200f\\u202a-\\u202e\\u2060-\\u206f\\ufeff';
/** Hyphens, dashes and minus signs from word processors. */
const HYPHENS = '\\u2010-\\u2015\\u2212\\ufe58\\ufe63\\uff0d';

/** Characters that can separate the digits of a number. For use in a character class. */
export const BETWEEN_DIGITS = `\\s()\\-${INVISIBLE}${HYPHENS}`;

const COPIED_ALONG = new RegExp(`[${INVISIBLE}${HYPHENS}]`, 'g');

/** Removes invisible characters, typographic hyphens, and the zero of `+44 (0)20 …`. */
export function typedNumber(text: string): string {
  const typed = text.replace(COPIED_ALONG, '');
  const zero = /\(\s*0\s*\)/.exec(typed);
  if (!zero) return typed;
  const before = typed.slice(0, zero.index).replace(/\D/g, '').replace(/^00/, '');
  // This zero is dialled only within the country. After anything but a country code, it is part of the
  // number.
  const isNational = before !== '' && before === callingCodeOf(before);
  return isNational ? typed.slice(0, zero.index) + typed.slice(zero.index + zero[0].length) : typed;
}

/** The international prefix 00; no country code begins with 0. */
const DIALLED_ABROAD = /^00(?=[1-9]\d{6,14}$)/;

/** Returns the digits of a number with country code, in whatever format it was typed. */
export const digitsOf = (text: string): string =>
  typedNumber(text).replace(/\D/g, '').replace(DIALLED_ABROAD, '');

/**
 * Returns all spellings of a typed contact: `+1 (202) 555-0147` becomes 12025550147. A user ID stays
 * unchanged.
 */
export function contactsOf(text: string): string[] {
  const digits = typedNumber(text)
    .replace(/[\s()+.\-/]/g, '')
    .replace(DIALLED_ABROAD, '');
  return [...new Set(/^\d+$/.test(digits) ? [digits, ...spellingsOf(digits)] : [text])];
}
