import { type ComponentChildren } from 'preact';
import { DIRECTIONS } from '../../cloud-api/written-text';

/** A longer one is shown plain: each part of it is an element. */
const LONGEST = 20_000;

const PARTS = /"(?:[^"\\]|\\.)*"(?=(:)?)|\b(?:true|false|null)\b|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;

/**
 * JSON for people, with its keys in their original order. Characters that change the direction of text are
 * escaped.
 */
export const readableJson = (value: unknown, indent: number | '\t' = 2): string =>
  JSON.stringify(value, null, indent).replace(
    DIRECTIONS,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );

/** JSON with its names, texts and numbers told apart. @param text as `JSON.stringify` writes it */
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
