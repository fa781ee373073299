/** Deeper than any message; deeper bodies are made to break parsers. */
export const DEEPEST = 32;

const [QUOTE, BACKSLASH, BRACE, BRACKET, BRACE_END, BRACKET_END] = [0x22, 0x5c, 0x7b, 0x5b, 0x7d, 0x5d];

/** Returns the nesting depth from the text, without parsing: deep nesting could overflow recursive code. */
export function depthOf(text: string): number {
  let depth = 0;
  let deepest = 0;
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    if (unit === QUOTE) index = endOfString(text, index);
    else if (unit === BRACE || unit === BRACKET) deepest = Math.max(deepest, ++depth);
    else if (unit === BRACE_END || unit === BRACKET_END) depth--;
  }
  return deepest;
}

/** @returns the index of the quotation mark that ends the string, or the length of a text in which it does not end */
function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end >= 0; end = text.indexOf('"', end + 1)) {
    let escapes = end;
    while (text.charCodeAt(escapes - 1) === BACKSLASH) escapes--;
    if ((end - escapes) % 2 === 0) return end;
  }
  return text.length;
}
