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

/** Words that the database searches for; the rest is searched in what it finds. */
const MOST_PATTERNS = 10;

/** Searches a text for all of these words, with or without accents. */
export function wordSearch(asked: string, textsOf = (text: string): string[] => [text]): TextSearch {
  const words = wordsOf(asked);
  return {
    patterns: words.slice(0, MOST_PATTERNS).map(patternOf),
    // Words that are not in the whole are in none of its parts, which take longer to read.
    isIn: (text) => hasWords(withoutEscapes(text), words) && hasWords(textsOf(text).join('\n'), words),
  };
}

/** Replaces JSON's escapes by their characters, also in a text that is not JSON. */
const withoutEscapes = (text: string): string =>
  text.includes('\\')
    ? text.replace(/\\(?:u([\da-f]{4})|(["\\/]))/gi, (_, code?: string, sign?: string) =>
        code ? String.fromCharCode(parseInt(code, 16)) : (sign ?? ''),
      )
    : text;

/** JSON may escape some characters: the pattern leaves them open. */
const patternOf = (word: string): string =>
  `%${word.replace(/[^ -~]|["\\/&<>']/gu, '%').replace(/[_]/g, '\\_')}%`;
