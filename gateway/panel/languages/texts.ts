import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PROGRAM_FOLDER } from '../../program-folder';
import { type Language } from '../../wording/language';

/** The translation of each English text. */
export type Texts = Pick<ReadonlyMap<string, string>, 'get' | 'entries'>;

/** Each read with the first page in its language. */
export const loaded = new Map<Language, Texts>();

/** Read from the files in the language's folder here. Each file has the texts of one folder of pages. */
export function textsIn(language: Language): Texts {
  const known = loaded.get(language);
  if (known) return known;
  const file = readFileSync(join(PROGRAM_FOLDER, 'panel', 'languages', `${language}.json`), 'utf8');
  const texts = new Map(Object.entries(JSON.parse(file) as Record<string, string>));
  loaded.set(language, texts);
  return texts;
}
