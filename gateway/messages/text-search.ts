import { sentText } from '../cloud-api/sent-text';
import { rememberedTexts, writerName } from '../cloud-api/written-text';
import { hasWords, wordsOf } from '../primitives/words';
import { type TextSearch } from '../store/reports/text-search';

/** Looks for words in what contacts wrote, and in their names. */
export const textSearch = (words: string): TextSearch => wordSearch(words, rememberedTexts);

/** Looks for words in the names of those who wrote. */
export const writerSearch = (words: string): TextSearch =>
  wordSearch(words, (body) => [writerName(body) ?? '']);

/** Looks for words in what was sent. */
export const sentTextSearch = (words: string): TextSearch =>
  wordSearch(words, (body) => [sentText(body) ?? '']);

/** More than these are looked for in what the database has found. */
const MOST_PATTERNS = 10;

/** Looks for all of these words in a text, with accents or without. */
export function wordSearch(asked: string, textsOf = (text: string): string[] => [text]): TextSearch {
  const words = wordsOf(asked);
  return {
    patterns: words.slice(0, MOST_PATTERNS).map(patternOf),
    // What is not in the whole is in none of its parts, which take longer to read.
    isIn: (text) => hasWords(withoutEscapes(text), words) && hasWords(textsOf(text).join('\n'), words),
  };
}

/** As JSON has them; a text that is none stays as it is, but for what looks like one. */
const withoutEscapes = (text: string): string =>
  text.includes('\\')
    ? text.replace(/\\(?:u([\da-f]{4})|(["\\/]))/gi, (_, code?: string, sign?: string) =>
        code ? String.fromCharCode(parseInt(code, 16)) : (sign ?? ''),
      )
    : text;

/** JSON may have some characters as escapes: the pattern leaves out all that may be one. */
const patternOf = (word: string): string =>
  `%${word.replace(/[^ -~]|["\\/&<>']/gu, '%').replace(/[_]/g, '\\_')}%`;
