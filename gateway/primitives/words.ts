/** Lowercase without accents: `João` becomes `joao`. */
const folded = (text: string): string => text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase();

/** The words of a search, folded. A phrase in quotation marks stays whole. */
export const wordsOf = (asked: string): string[] => [
  ...new Set(
    [...asked.matchAll(/["\u201c\u201d]([^"\u201c\u201d]+)["\u201c\u201d]|[^\s"\u201c\u201d]+/g)].map(
      ([whole, phrase]) => folded(phrase ?? whole),
    ),
  ),
];

/** Whether a text contains all of these words, in any order. */
export function hasWords(text: string, words: string[]): boolean {
  const within = folded(text);
  return words.length > 0 && words.every((word) => within.includes(word));
}

/** Splits a text into matches of these words and the text between. */
export function partsBy(text: string, words: string[]): { text: string; isWord: boolean }[] {
  const characters = [...text];
  const each = characters.map(folded);
  const whole = each.join('');
  // Maps each character of the folded text to its original character.
  const placeOf = each.flatMap((one, place) => Array.from({ length: one.length }, () => place));
  const isWord = characters.map(() => false);
  for (const word of words.filter(Boolean))
    for (let at = whole.indexOf(word); at >= 0; at = whole.indexOf(word, at + word.length))
      isWord.fill(true, placeOf[at], (placeOf[at + word.length - 1] ?? 0) + 1);
  const parts: { text: string; isWord: boolean }[] = [];
  characters.forEach((character, place) => {
    const last = parts.at(-1);
    // A combining mark belongs to the letter before it.
    const isOne = each[place] ? isWord[place] === true : (last?.isWord ?? false);
    if (last?.isWord === isOne) last.text += character;
    else parts.push({ text: character, isWord: isOne });
  });
  return parts;
}
