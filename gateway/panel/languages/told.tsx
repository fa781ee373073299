import { type VNode } from 'preact';
import { Breakable } from './breakable';
import { languageNow, WRITTEN, type Language } from '../../wording/language';
import { number } from './numbers';
import { textsIn, type Texts } from './texts';

/**
 * What another part of the gateway tells, which speaks English to programs, logs and whoever reads an alert elsewhere: on a
 * page it is in the language of the page. What `told.json` does not have, as words of the platform, is marked as English.
 */
export function Told({ children: text }: { children: string | null | undefined }): VNode {
  const translated = text && languageNow() !== 'en' ? translationOf(text) : (text ?? '');
  return translated === null ? <span lang="en">{text}</span> : <Breakable>{translated}</Breakable>;
}

/** The same as text, in English where it is not known. */
export const told = (text: string): string => (languageNow() === 'en' ? text : (translationOf(text) ?? text));

/** A sentence with holes for what differs: `{place} accepts no events`. */
interface Pattern {
  /** Before, between and behind the holes. */
  literals: string[];
  holes: string[];
  translation: string;
}

/** What `told.json` has is known by this behind its key. */
const MARK = ' [told]';
/** Longer texts are not the gateway's own. */
const MOST_SENTENCES = 12;
const LONGEST = 2_000;
/** Holes for numbers. */
const COUNTS = ['count', 'burst', 'before'];
/** What is quoted in what is quoted is left as it is. */
const MOST_QUOTED = 1;

const patterns = new Map<Texts, Pattern[]>();

function patternsIn(language: Language): Pattern[] {
  const texts = textsIn(language);
  const known = patterns.get(texts);
  if (known) return known;
  const made = [...texts.entries()]
    .filter(([key]) => key.endsWith(MARK) && key.includes('{'))
    .map(([key, translation]) => {
      const parts = key.slice(0, -MARK.length).split(/\{(\w+)\}/);
      return {
        literals: parts.filter((_, index) => index % 2 === 0),
        holes: parts.filter((_, index) => index % 2 === 1),
        translation,
      };
    })
    // What says more is tried first.
    .sort((one, other) => other.literals.join('').length - one.literals.join('').length);
  patterns.set(texts, made);
  return made;
}

/** @param depth how many others quote it @returns null where any of its sentences is not known */
function translationOf(text: string, depth = 0): string | null {
  if (text.length > LONGEST || depth > MOST_QUOTED) return null;
  const parts = text.split(/(?<=[.!?]) /);
  if (parts.length > MOST_SENTENCES) return null;
  // Of what may end at several places the shortest: only one that quotes somebody has sentences within.
  const from = (start: number): string | null => {
    for (let end = start + 1; end <= parts.length; end++) {
      const one = sentence(parts.slice(start, end).join(' '), depth);
      if (one === null) continue;
      if (end === parts.length) return one;
      const rest = (known[end] ??= { text: from(end) }).text;
      if (rest !== null) return `${one} ${rest}`;
    }
    return null;
  };
  const known: { text: string | null }[] = [];
  return from(0);
}

/** A title stands as a sentence among others. */
function sentence(text: string, depth: number): string | null {
  const found = matched(text, depth);
  if (found !== null || !text.endsWith('.')) return found;
  const title = matched(text.slice(0, -1), depth);
  return title === null ? null : `${title}.`;
}

function matched(text: string, depth: number): string | null {
  const language = languageNow();
  const exact = textsIn(language).get(text + MARK) ?? textsIn(language).get(text);
  if (exact !== undefined) return exact;
  for (const pattern of patternsIn(language)) {
    const values = valuesIn(text, pattern, depth);
    if (values) return pattern.translation.replace(/\{(\w+)\}/g, (_, hole: string) => values.get(hole) ?? '');
  }
  return null;
}

/** What stands in the holes; from the right, as names, which may hold anything, stand mostly at the left. */
function valuesIn(text: string, { literals, holes }: Pattern, depth: number): Map<string, string> | null {
  const [first = '', last = ''] = [literals[0], literals.at(-1)];
  if (text.length <= first.length + last.length || !text.startsWith(first) || !text.endsWith(last))
    return null;
  let rest = text.slice(first.length, text.length - last.length);
  const values = new Map<string, string>();
  for (let index = holes.length - 1; index >= 0; index--) {
    const literal = literals[index] ?? '';
    const at = index === 0 ? 0 : rest.lastIndexOf(literal);
    if (at < 0) return null;
    const value = valueOf(holes[index] ?? '', rest.slice(index === 0 ? 0 : at + literal.length), depth);
    if (value === null) return null;
    values.set(holes[index] ?? '', value);
    rest = rest.slice(0, at);
  }
  return values;
}

/** @returns null where this cannot stand there: a count is a number, and only `why` has sentences of its own */
function valueOf(hole: string, text: string, depth: number): string | null {
  if (text === '') return null;
  if (hole === 'why') return translationOf(text, depth + 1) ?? text;
  if (hole === 'length') return lengthIn(text);
  const isNumber = /^\d{1,3}(,\d{3})*$|^\d+$/.test(text);
  if (COUNTS.includes(hole) && isNumber) return number(Number(text.replaceAll(',', '')));
  if (hole === 'before') return translationOf(text, depth + 1);
  return COUNTS.includes(hole) || SENTENCE_END.test(text) ? null : text;
}

/** Not that of an abbreviation in a name, as in "Loja S.A. Centro". */
const SENTENCE_END = /[!?] |[^\s.]{5,}\. /;

/** "12 days" in the language of the page. */
function lengthIn(text: string): string | null {
  const [, count, unit] = /^(\d+) (day|hour|minute|second)s?$/.exec(text) ?? [];
  if (unit === undefined) return null;
  const format = new Intl.NumberFormat(WRITTEN[languageNow()].tag, {
    style: 'unit',
    unit,
    unitDisplay: 'long',
  });
  return format.format(Number(count));
}
