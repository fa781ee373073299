import {
  type AlertFact,
  type AlertText,
  type AlertWords,
  type Catalogue,
  type Fact,
  type NoticeWords,
  type Said,
  type SayingKit,
} from './facts';
import { kitOf } from './kit';
import { type Language } from './language';
import { en } from './en';

/** Portuguese and Spanish are loaded with the first sentence in them. */
const CATALOGUES: Record<Language, () => Catalogue> = {
  en: () => en,
  pt: () => (require('./pt') as { pt: Catalogue }).pt,
  es: () => (require('./es') as { es: Catalogue }).es,
};

const kits = new Map<Language, SayingKit>();

/** What sentences of a language are written with. */
export function sayingKit(language: Language): SayingKit {
  const known = kits.get(language);
  if (known) return known;
  const made = { ...kitOf(language), say: (said: Said | null) => say(language, said) };
  kits.set(language, made);
  return made;
}

/** A fact in a language; a sentence stays as it is. */
export function say(language: Language, said: Said | null): string {
  if (said === null || typeof said === 'string') return said ?? '';
  const words = CATALOGUES[language]().facts[said.word] as
    ((values: Fact['values'], kit: SayingKit) => string) | undefined;
  // A process of a later version may have stored a word that this one does not know.
  return words?.(said.values, sayingKit(language)) ?? '';
}

/** The sentences of one incident. */
export function sayAlert(language: Language, { kind, values }: AlertFact): AlertText {
  const words = CATALOGUES[language]().alerts[kind] as { one(v: object, kit: SayingKit): AlertText };
  return words.one(values, sayingKit(language));
}

/** The headline of several incidents of a kind that began, or that are over. */
export function sayMany(language: Language, kind: keyof AlertWords, count: number, isOver = false): string {
  const words = CATALOGUES[language]().alerts[kind];
  return (isOver ? words.manyOver : words.many)(count, sayingKit(language));
}

/** The rule of a kind of alert. @param threshold as text */
export const sayRule = (language: Language, kind: keyof AlertWords, threshold: string): string =>
  ruleOf(language, kind).replace(/\bN\b/, threshold);

/** The same with `N` in place of the threshold. */
export const ruleOf = (language: Language, kind: keyof AlertWords): string =>
  CATALOGUES[language]().alerts[kind].rule;

export const noticeWords = (language: Language): NoticeWords => CATALOGUES[language]().notice;
