import { callingCodeOf, contactsOf, spellingsOf } from '../cloud-api/phone-spellings';
import { type Store } from '../store/store';
import { writerSearch } from './text-search';

type Searched = Pick<Store, 'search'>;

/** All names of whoever is meant: the number in each spelling, and the user ids of the same contact. @param text as a person types it */
export async function contactNames({ search }: Searched, text: string): Promise<string[]> {
  const typed = contactsOf(text);
  const names = await search.identitiesOf(typed);
  return [...new Set([...typed, ...names.flatMap(spellingsOf)])];
}

/** What a search for contacts finds at the most, and how many countries it tries for numbers without a code. */
const MOST_FOUND = 8;
const MOST_CODES = 10;

/**
 * All names of those whose number may be meant by what somebody has of it: its beginning, as the country writes it
 * without the code, or a piece of four digits or more.
 * @param ownNumbers of the lines: their countries are tried
 */
export async function contactsWithNumber(
  store: Searched,
  ownNumbers: string[],
  text: string,
): Promise<string[]> {
  const [digits = ''] = contactsOf(text);
  if (!/^\d{3,20}$/.test(digits)) return [];
  const isWhole = /^\s*(\+|00)/.test(text);
  const international = digits.replace(/^00/, '');
  const national = digits.replace(/^0+/, '');
  const codes = new Set(ownNumbers.map((number) => callingCodeOf(number.replace(/\D/g, ''))));
  const beginnings = [
    international,
    ...(isWhole || !national ? [] : [...codes].slice(0, MOST_CODES).map((code) => code + national)),
  ].flatMap(spellingsOf);
  const found = await Promise.all([
    ...[...new Set(beginnings)].map((one) => store.search.beginningWith(one, MOST_FOUND)),
    !isWhole && national.length >= 4 ? store.search.withDigits(national, MOST_FOUND) : [],
  ]);
  return allNames(store, found.flat());
}

/** All names of those whose own name has these words, of who wrote lately. */
export const contactsWithName = async (store: Searched, words: string): Promise<string[]> =>
  allNames(store, await store.search.whoWrote(writerSearch(words), MOST_FOUND));

async function allNames(store: Searched, contacts: string[]): Promise<string[]> {
  const some = [...new Set(contacts)].slice(0, MOST_FOUND);
  const names = await Promise.all(some.map((one) => contactNames(store, one)));
  return [...new Set(names.flat())];
}
