import { Issues } from '../primitives/issues';
import { hasHiddenCharacters } from '../primitives/visible-text';
import { type OptOutWords } from '../store/schema';
import { fact } from '../wording/facts';

/**
 * Opt-out words in English, Portuguese and Spanish. Only words with hardly any other use: "cancel" is excluded
 * because it may refer to an order.
 */
export const USUAL_WORDS: OptOutWords = {
  out: [
    ...['STOP', 'STOP ALL', 'UNSUBSCRIBE', 'OPT OUT'],
    ...['SAIR', 'PARAR', 'PARE', 'DESCADASTRAR'],
    ...['BAJA', 'ALTO', 'DETENER', 'DARSE DE BAJA'],
  ],
  back: ['START', 'UNSTOP', 'OPT IN', 'VOLTAR', 'ENTRAR', 'ALTA', 'VOLVER'],
};

/** The submitted words: lists, or text separated by commas or lines. */
export type EnteredWords = { [Field in keyof OptOutWords]: readonly string[] | string };

const MOST_WORDS = 50;
const LONGEST_WORD = 40;

/** Removes accents, punctuation, case and repeated spaces: "  Sair! " becomes SAIR. */
const bare = (text: string): string =>
  text
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()
    .toUpperCase();

/** The word that the whole message consists of, and its effect; null if none. */
export function saidBy(
  text: string,
  { out, back }: OptOutWords,
): { state: 'out' | 'back'; word: string } | null {
  if (text.length > 2 * LONGEST_WORD) return null;
  const said = bare(text);
  if (said === '') return null;
  const among = (words: readonly string[]) => words.find((word) => bare(word) === said);
  const stop = among(out);
  if (stop !== undefined) return { state: 'out', word: stop };
  const start = among(back);
  return start === undefined ? null : { state: 'back', word: start };
}

/** Each word once. */
export function wordsIn(entered: readonly string[] | string): readonly string[] {
  if (typeof entered !== 'string') return entered;
  const words = entered
    .split(/[,;\n]/)
    .map((word) => word.trim().replace(/\s+/g, ' '))
    .filter((word) => bare(word) !== '');
  return words.filter((word, index) => words.findIndex((other) => bare(other) === bare(word)) === index);
}

/** Validates an operator's words. @throws Refusal with all issues, by field */
export function wordsInput(given: EnteredWords): OptOutWords {
  const { out, back } = { out: wordsIn(given.out), back: wordsIn(given.back) };
  const issues = new Issues();
  for (const [field, words] of Object.entries({ out, back })) {
    if (words.some((word) => word.length > LONGEST_WORD))
      issues.add(field, 'words', fact('words.long', { most: LONGEST_WORD }));
    if (words.some(hasHiddenCharacters)) issues.add(field, 'words', fact('words.hidden', {}));
    if (words.length > MOST_WORDS) issues.add(field, 'words', fact('words.many', { most: MOST_WORDS }));
  }
  const both = out.find((word) => back.some((other) => bare(other) === bare(word)));
  if (both !== undefined) issues.add('back', 'words', fact('words.both', { word: both }));
  issues.check();
  return { out, back };
}
