import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PROGRAM_FOLDER } from '../../program-folder';
import { type Language } from '../../wording/language';

/** Translations by English text. */
export type Texts = Pick<ReadonlyMap<string, string>, 'get' | 'entries'>;

/** Languages that were read so far. */
export const loaded = new Map<Language, Texts>();

/** Reads the translations, which the build combines from the files in the language's folder. */
export function textsIn(language: Language): Texts {
  const known = loaded.get(language);
  if (known) return known;
  const file = readFileSync(join(PROGRAM_FOLDER, 'panel', 'languages', `${language}.json`), 'utf8');
  const texts = new Map(Object.entries(JSON.parse(file) as Record<string, string>));
  loaded.set(language, texts);
  return texts;
}
