import { sentText } from '../cloud-api/sent-text';
import { rememberedTexts, writerName } from '../cloud-api/written-text';
import { hasWords, wordsOf } from '../primitives/words';
import { type TextSearch } from '../store/reports/text-search';

/** Searches received messages and the names of their senders. */
export const textSearch = (words: string): TextSearch => wordSearch(words, rememberedTexts);

/** Searches the names of senders. */
export const writerSearch = (words: string): TextSearch =>
  wordSearch(words, (body) => [writerName(body) ?? '']);

/** Searches sent messages. */
export const sentTextSearch = (words: string): TextSearch =>
  wordSearch(words, (body) => [sentText(body) ?? '']);

/** The most words that the database searches for. The others are checked in its results. */
const MOST_PATTERNS = 10;

/** Searches texts for all of these words, with or without accents. */
export function wordSearch(asked: string, textsOf = (text: string): string[] => [text]): TextSearch {
  const words = wordsOf(asked);
  return {
    patterns: words.slice(0, MOST_PATTERNS).map(patternOf),
    // Checks the whole text first: words missing there are in none of its parts, which take longer to parse.
    isIn: (text) => hasWords(withoutEscapes(text), words) && hasWords(textsOf(text).join('\n'), words),
  };
}

/** Replaces JSON escapes with their characters, even in a text that is not JSON. */
const withoutEscapes = (text: string): string =>
  text.includes('\\')
    ? text.replace(/\\(?:u([\da-f]{4})|(["\\/]))/gi, (_, code?: string, sign?: string) =>
        code ? String.fromCharCode(parseInt(code, 16)) : (sign ?? ''),
      )
    : text;

/** Characters that JSON may escape become wildcards. */
const patternOf = (word: string): string =>
  `%${word.replace(/[^ -~]|["\\/&<>']/gu, '%').replace(/[_]/g, '\\_')}%`;
