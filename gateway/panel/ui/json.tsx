import { type ComponentChildren } from 'preact';
import { DIRECTIONS } from '../../cloud-api/written-text';

/** Longer JSON is shown without colors, because each token is an element. */
const LONGEST = 20_000;

const PARTS = /"(?:[^"\\]|\\.)*"(?=(:)?)|\b(?:true|false|null)\b|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;

/** Formats JSON with keys in their original order. Characters that change the text direction are escaped. */
export const readableJson = (value: unknown, indent: number | '\t' = 2): string =>
  JSON.stringify(value, null, indent).replace(
    DIRECTIONS,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );

/** Colors the keys, texts and other values of JSON. @param text as from `JSON.stringify` */
export function json(text: string): ComponentChildren {
  if (text.length > LONGEST) return text;
  const shown: ComponentChildren[] = [];
  let end = 0;
  for (const { 0: part, 1: colon, index } of text.matchAll(PARTS)) {
    const kind = part.startsWith('"') ? 'json-text' : 'json-word';
    shown.push(text.slice(end, index), <span class={colon ? 'json-key' : kind}>{part}</span>);
    end = index + part.length;
  }
  return [...shown, text.slice(end)];
}
