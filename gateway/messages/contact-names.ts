import { contactsOf, spellingsOf } from '../cloud-api/phone-spellings';
import { type Store } from '../store/store';

/** All names of whoever is meant: the number in each spelling, and the user ids of the same contact. @param text as a person types it */
export async function contactNames({ search }: Pick<Store, 'search'>, text: string): Promise<string[]> {
  const typed = contactsOf(text);
  const names = await search.identitiesOf(typed);
  return [...new Set([...typed, ...names.flatMap(spellingsOf)])];
}
