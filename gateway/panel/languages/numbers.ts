import { WRITTEN, languageNow, type Language } from './language';

const formats = new Map<Language, Intl.NumberFormat>();

/** "1,200", "1.200": as the language of the page writes it. */
export function number(value: number): string {
  const language = languageNow();
  const format = formats.get(language) ?? new Intl.NumberFormat(WRITTEN[language].tag);
  formats.set(language, format);
  return format.format(value);
}
