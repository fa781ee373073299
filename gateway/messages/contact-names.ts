import { callingCodeOf, contactsOf, spellingsOf, typedNumber } from '../cloud-api/phone-spellings';
import { type Store } from '../store/store';
import { writerSearch } from './text-search';

type Searched = Pick<Store, 'search'>;

/** All names of a contact: the number in each spelling, and the user ids. @param text as entered by a user */
export const contactNames = (store: Searched, text: string): Promise<string[]> => allNames(store, [text]);

/** The digits that a list can be filtered by. */
const PIECE = /^\d{4,20}$/;

/** Whether the text may be all or part of a number. If no contact matches, the text is searched as words. */
export const isOfNumber = (text: string): boolean => PIECE.test(contactsOf(text)[0] ?? '');

/** The default limit on contacts in a filter, and on countries tried for a number without a country code. */
const MOST_FOUND = 100;
const MOST_CODES = 10;

/**
 * All names of the contacts whose number matches a text: its beginning, with or without the country code, or any four
 * or more of its digits.
 * @param lines their country codes are tried
 */
export async function contactsWithNumber(
  store: Searched,
  lines: { phoneNumber: string }[],
  text: string,
  most = MOST_FOUND,
): Promise<string[]> {
  const [digits = ''] = contactsOf(text);
  if (!/^\d{3,20}$/.test(digits)) return [];
  const isWhole = /^\s*(\+|00)/.test(typedNumber(text));
  const international = digits.replace(/^00/, '');
  const national = digits.replace(/^0+/, '');
  const codes = new Set(lines.map(({ phoneNumber }) => callingCodeOf(phoneNumber.replace(/\D/g, ''))));
  const beginnings = [
    international,
    ...(isWhole || !national ? [] : [...codes].slice(0, MOST_CODES).map((code) => code + national)),
  ].flatMap(spellingsOf);
  const pieces = isWhole ? [] : [digits, national].filter(({ length }) => length >= 4);
  const found = await Promise.all([
    ...[...new Set(beginnings)].map((one) => store.search.beginningWith(one, most)),
    ...[...new Set(pieces)].map((one) => store.search.withDigits(one, most)),
  ]);
  return allNames(store, [...new Set(found.flat())].slice(0, most));
}

/**
 * All names of recent contacts whose profile name has these words. @param events how many recent events are searched
 */
export const contactsWithName = async (store: Searched, words: string, events?: number): Promise<string[]> =>
  allNames(store, await store.search.whoWrote(writerSearch(words), MOST_FOUND, events));

const allNames = ({ search }: Searched, contacts: string[]): Promise<string[]> =>
  search.identitiesOf(contacts.flatMap(contactsOf), spellingsOf);
