import { sentText } from '../cloud-api/sent-text';
import { rememberedTexts } from '../cloud-api/written-text';
import { type TextSearch } from '../store/reports/event-list';

/** Looks for words in what contacts wrote, and in their names, whether small or capital. */
export const textSearch = (words: string): TextSearch => searchIn(words, rememberedTexts);

/** Looks for words in what was sent. */
export const sentTextSearch = (words: string): TextSearch =>
  searchIn(words, (body) => [sentText(body) ?? '']);

/** JSON may have some characters as escapes: the pattern leaves out all that may be one. */
function searchIn(words: string, textsOf: (body: string) => string[]): TextSearch {
  const wanted = words.toLowerCase();
  return {
    pattern: `%${wanted.replace(/[^ -~]|["\\/&<>']/gu, '%').replace(/[_]/g, '\\_')}%`,
    isIn: (body) => textsOf(body).some((text) => text.toLowerCase().includes(wanted)),
  };
}
