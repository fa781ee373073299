import { hasHiddenCharacters } from '../primitives/visible-text';
import { type OptOutWords } from '../store/schema';
import { fact, type Fact } from '../wording/facts';

/**
 * Opt-out words in English, Portuguese and Spanish. Only words with hardly any other use: "cancel" may mean an order, so
 * it is not among them.
 */
export const USUAL_WORDS: OptOutWords = {
  out: [
    ...['STOP', 'STOP ALL', 'UNSUBSCRIBE', 'OPT OUT'],
    ...['SAIR', 'PARAR', 'PARE', 'DESCADASTRAR'],
    ...['BAJA', 'ALTO', 'DETENER', 'DARSE DE BAJA'],
  ],
  back: ['START', 'UNSTOP', 'OPT IN', 'VOLTAR', 'ENTRAR', 'ALTA', 'VOLVER'],
};

export const MOST_WORDS = 50;
export const LONGEST_WORD = 40;

/** Removes accents, punctuation, case and repeated spaces: "  Sair! " becomes SAIR. */
export const bare = (text: string): string =>
  text
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()
    .toUpperCase();

/** Whether the message consists of one of the words, and nothing else; with that word. */
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

/** Reads words as a person types them, separated by commas or lines; each once. */
export function wordsIn(text: string): string[] {
  const words = text
    .split(/[,;\n]/)
    .map((word) => word.trim().replace(/\s+/g, ' '))
    .filter((word) => bare(word) !== '');
  return words.filter((word, index) => words.findIndex((other) => bare(other) === bare(word)) === index);
}

/** The fault of chosen words; null if they are valid. */
export function faultOfWords({ out, back }: OptOutWords): Fact | null {
  const both = out.find((word) => back.some((other) => bare(other) === bare(word)));
  if (both !== undefined) return fact('words.both', { word: both });
  if ([...out, ...back].some((word) => word.length > LONGEST_WORD))
    return fact('words.long', { most: LONGEST_WORD });
  if ([...out, ...back].some(hasHiddenCharacters)) return fact('words.hidden', {});
  return Math.max(out.length, back.length) > MOST_WORDS ? fact('words.many', { most: MOST_WORDS }) : null;
}
