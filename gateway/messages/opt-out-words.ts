import { hasHiddenCharacters } from '../primitives/visible-text';
import { type OptOutWords } from '../store/schema';

/**
 * What contacts write in English, Portuguese and Spanish. Only words that are hardly written for anything else: "cancel"
 * may mean an order, so it is none of them.
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

/** Without accents, punctuation, capitals and what is doubled of spaces: "  Sair! " is SAIR. */
export const bare = (text: string): string =>
  text
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()
    .toUpperCase();

/** Whether a message says by one of the words what its contact wants, with that word: the message is that word alone. */
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

/** Words as a person types them, divided by commas or lines; each once. */
export function wordsIn(text: string): string[] {
  const words = text
    .split(/[,;\n]/)
    .map((word) => word.trim().replace(/\s+/g, ' '))
    .filter((word) => bare(word) !== '');
  return words.filter((word, index) => words.findIndex((other) => bare(other) === bare(word)) === index);
}

/** What is wrong with words that somebody has chosen, in a sentence; null where nothing is. */
export function faultOfWords({ out, back }: OptOutWords): string | null {
  const both = out.find((word) => back.some((other) => bare(other) === bare(word)));
  if (both !== undefined) return `"${both}" stands for both, to leave and to come back.`;
  const long = [...out, ...back].find((word) => word.length > LONGEST_WORD);
  if (long !== undefined) return `A word has up to ${LONGEST_WORD} characters.`;
  if ([...out, ...back].some(hasHiddenCharacters))
    return 'A word contains an invisible character. Type the words again.';
  return Math.max(out.length, back.length) > MOST_WORDS ? `There may be up to ${MOST_WORDS} words.` : null;
}
