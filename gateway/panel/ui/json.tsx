import { type ComponentChildren } from 'preact';

/** A longer one is shown plain: each part of it is an element. */
const LONGEST = 20_000;

const PARTS = /"(?:[^"\\]|\\.)*"(?=(:)?)|\b(?:true|false|null)\b|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;

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
