/** A country whose mobile numbers the platform spells in one of two ways, whichever was dialled. */
interface Country {
  /** Every way to write such a number, its parts captured. */
  written: RegExp[];
  shorter(area: string, number: string): string;
  longer(area: string, number: string): string;
}

/**
 * Countries in which `wa_id` may differ from `to` by more than punctuation: `to` 5511987654321 comes back as
 * 551187654321, and so do messages of the contact.
 *
 * - Brazil put a 9 before its mobile numbers of eight digits, which began with 6 to 9. A landline begins with
 * 2 to 5, so no landline is mistaken for a mobile.
 * - Mexico had a 1 after 52 for calls to mobiles from abroad, and WhatsApp kept it.
 * - Argentina has a 9 after 54 for such calls; within the country people write a 15 after the area code,
 * which has two, three or four of the ten digits.
 */
const COUNTRIES: Country[] = [
  {
    written: [/^55([1-9]\d)9?([6-9]\d{7})$/],
    shorter: (area, number) => `55${area}${number}`,
    longer: (area, number) => `55${area}9${number}`,
  },
  {
    written: [/^521?([2-9]\d)(\d{8})$/],
    shorter: (area, number) => `52${area}${number}`,
    longer: (area, number) => `521${area}${number}`,
  },
  {
    written: [
      /^549?([1-3]\d)(\d{8})$/,
      /^549?(11)15(\d{8})$/,
      /^549?([23]\d{2})15(\d{7})$/,
      /^549?([23]\d{3})15(\d{6})$/,
    ],
    shorter: (area, number) => `54${area}${number}`,
    longer: (area, number) => `549${area}${number}`,
  },
];

/**
 * Every spelling by which the platform may name a contact. The first is the same for all spellings of one
 * contact. Names with only one spelling, including user ids, are alone.
 * @param contact digits with country code, or a user id
 */
export function spellingsOf(contact: string): [string, ...string[]] {
  for (const { written, shorter, longer } of COUNTRIES) {
    for (const pattern of written) {
      const [, area, number] = pattern.exec(contact) ?? [];
      if (area && number) return [shorter(area, number), longer(area, number)];
    }
  }
  return [contact];
}

/** The prefix of all numbers of a country: `1` for `12025550147`. */
export const callingCodeOf = (digits: string): string => CALLING_CODE.exec(digits)?.[0] ?? '';

/** As the ITU has given them: one digit, two, or three. */
const CALLING_CODE = /^(1|7|2[07]|3[0-469]|4[013-9]|5[1-8]|6[0-6]|8[1246]|9[0-58]|[2-9]\d\d)/;

/**
 * Invisible characters that are copied with a number, such as the direction marks of WhatsApp Web. As the
 * inside of a character class.
 */
const INVISIBLE = '\\u00ad\\u061c\\u180e\\u200b-\\u200f\\u202a-\\u202e\\u2060-\\u206f\\ufeff';
/** The hyphens, dashes and minus signs of word processors. */
const HYPHENS = '\\u2010-\\u2015\\u2212\\ufe58\\ufe63\\uff0d';

/** Characters that may separate the digits of a number, as the inside of a character class. */
export const BETWEEN_DIGITS = `\\s()\\-${INVISIBLE}${HYPHENS}`;

const COPIED_ALONG = new RegExp(`[${INVISIBLE}${HYPHENS}]`, 'g');

/** A number as it is typed: without invisible characters, typographic hyphens, and the zero of `+44 (0)20 …`. */
export function typedNumber(text: string): string {
  const typed = text.replace(COPIED_ALONG, '');
  const zero = /\(\s*0\s*\)/.exec(typed);
  if (!zero) return typed;
  const before = typed.slice(0, zero.index).replace(/\D/g, '').replace(/^00/, '');
  // The zero is dialled within the country only: behind anything but a country code it belongs to the number.
  const isNational = before !== '' && before === callingCodeOf(before);
  return isNational ? typed.slice(0, zero.index) + typed.slice(zero.index + zero[0].length) : typed;
}

/** The 00 by which people dial abroad: no country code begins with 0. */
const DIALLED_ABROAD = /^00(?=[1-9]\d{6,14}$)/;

/** The digits of a number, with country code, however a person writes it. */
export const digitsOf = (text: string): string =>
  typedNumber(text).replace(/\D/g, '').replace(DIALLED_ABROAD, '');

/** All spellings of a typed contact: `+1 (202) 555-0147` is 12025550147. A user id stays as it is. */
export function contactsOf(text: string): string[] {
  const digits = typedNumber(text)
    .replace(/[\s()+.\-/]/g, '')
    .replace(DIALLED_ABROAD, '');
  return [...new Set(/^\d+$/.test(digits) ? [digits, ...spellingsOf(digits)] : [text])];
}
