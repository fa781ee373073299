import { AsyncLocalStorage } from 'node:async_hooks';

export const LANGUAGES = ['en', 'pt', 'es'] as const;
export type Language = (typeof LANGUAGES)[number];

interface Written {
  /** The language's own name for itself. */
  name: string;
  /** The BCP 47 locale of pages and numbers. */
  tag: string;
  /** The locale of dates and times: 24 hours, day first. */
  dates: string;
}

export const WRITTEN: Record<Language, Written> = {
  en: { name: 'English', tag: 'en', dates: 'en-GB' },
  pt: { name: 'Português (Brasil)', tag: 'pt-BR', dates: 'pt-BR' },
  es: { name: 'Español', tag: 'es', dates: 'es' },
};

const current = new AsyncLocalStorage<Language>();

/** Runs `action` with this language for all its output, including asynchronous output. */
export const inLanguage = <T>(language: Language, action: () => T): T => current.run(language, action);

/** The language of the current page. */
export const languageNow = (): Language => current.getStore() ?? 'en';

/** @param header the request's `Accept-Language`. The panel's language that the browser prefers most */
export function languageAccepted(header: string | undefined): Language {
  const asked = (header ?? '').split(',').map((part) => {
    const [tag = '', ...rest] = part.split(';').map((one) => one.trim().toLowerCase());
    const weight = Number(rest.find((one) => one.startsWith('q='))?.slice(2) ?? 1);
    return { language: knownLanguage(tag.split('-')[0]), weight };
  });
  const best = asked.filter(({ weight }) => weight > 0).sort((one, other) => other.weight - one.weight);
  return best.find(({ language }) => language)?.language ?? 'en';
}

export const knownLanguage = (text: string | undefined): Language | undefined =>
  LANGUAGES.find((one) => one === text);
