import {
  type AlertFact,
  type AlertText,
  type AlertWords,
  type Catalogue,
  type Fact,
  type NoticeWords,
  type Sayable,
  type SayingKit,
  type Sentence,
  type SentenceValue,
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

/** The helpers for writing sentences in a language. */
export function sayingKit(language: Language): SayingKit {
  const known = kits.get(language);
  if (known) return known;
  const made = { ...kitOf(language), say: (said: Sayable | null) => say(language, said) };
  kits.set(language, made);
  return made;
}

/** A fact or an API sentence in a language; any other text is unchanged. */
export function say(language: Language, said: Sayable | null): string {
  if (said === null) return '';
  if (typeof said === 'string') return CATALOGUES[language]().sentences[said] ?? said;
  if ('english' in said) return saySentence(language, said);
  const words = CATALOGUES[language]().facts[said.word] as
    ((values: Fact['values'], kit: SayingKit) => string) | undefined;
  // A process of a later version may have stored a word that this version does not know.
  return words?.(said.values, sayingKit(language)) ?? '';
}

function saySentence(language: Language, { english, values }: Sentence): string {
  return say(language, english).replace(/\{(\w+)\}/g, (hole, name: string) => {
    const value = values[name];
    return value === undefined ? hole : sayValue(language, value);
  });
}

function sayValue(language: Language, value: SentenceValue): string {
  if (typeof value === 'number') return sayingKit(language).number(value);
  const isSaid = typeof value === 'string' || 'english' in value || 'word' in value;
  return isSaid ? say(language, value) : sayingKit(language).length(value);
}

/** Whether the catalogue of the language contains it. */
export function isSaidIn(language: Language, said: Sayable): boolean {
  if (language === 'en') return true;
  const text = typeof said !== 'string' && 'english' in said ? said.english : said;
  return typeof text !== 'string' || text in CATALOGUES[language]().sentences;
}

/** The sentences of one incident. */
export function sayAlert(language: Language, { kind, values }: AlertFact): AlertText {
  const words = CATALOGUES[language]().alerts[kind] as { one(v: object, kit: SayingKit): AlertText };
  return words.one(values, sayingKit(language));
}

/** The headline of several incidents of a kind that started or ended. */
export function sayMany(language: Language, kind: keyof AlertWords, count: number, isOver = false): string {
  const words = CATALOGUES[language]().alerts[kind];
  return (isOver ? words.manyOver : words.many)(count, sayingKit(language));
}

/** The rule of a kind of alert. @param threshold as text */
export const sayRule = (language: Language, kind: keyof AlertWords, threshold: string): string =>
  ruleOf(language, kind).replace(/\bN\b/, threshold);

/** The rule of a kind of alert, with `N` in place of the threshold. */
export const ruleOf = (language: Language, kind: keyof AlertWords): string =>
  CATALOGUES[language]().alerts[kind].rule;

export const noticeWords = (language: Language): NoticeWords => CATALOGUES[language]().notice;
