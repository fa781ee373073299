import { rememberedTexts } from '../cloud-api/written-text';
import { type TextSearch } from '../store/reports/event-list';

/**
 * Looks for words in what contacts wrote, and in their names, whether small or capital. The platform writes some
 * characters of its JSON as escapes: the pattern leaves out all that may be one.
 */
export function textSearch(words: string): TextSearch {
  const wanted = words.toLowerCase();
  return {
    pattern: `%${wanted.replace(/[^ -~]|["\\/&<>']/gu, '%').replace(/[_]/g, '\\_')}%`,
    isIn: (body) => rememberedTexts(body).some((text) => text.toLowerCase().includes(wanted)),
  };
}
