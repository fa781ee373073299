/**
 * Parses JSON without losing digits: `JSON.parse` rounds numbers beyond 2^53 and forgets their spelling.
 * `JSON.stringify` writes the kept numbers unchanged.
 */
export const parseExactly = (text: string): unknown => JSON.parse(text, keepNumber);

/** Whether a value is a number kept as written, which JavaScript sees as an object. */
export const isKeptNumber = (value: unknown): boolean => RAW_JSON.isRawJSON(value);

/**
 * Returns the original text of a member of a JSON object; null if there is none. For duplicates, returns the
 * last, like `JSON.parse`.
 * @param json text of a valid JSON object
 */
export function memberText(json: string, name: string): string | null {
  const place = memberSpan(json, name);
  return place && json.slice(place.from, place.to);
}

/**
 * Replaces a member of a JSON object, or appends it. All other text stays unchanged.
 * @param json text of a valid JSON object
 */
export function withMember(json: string, name: string, text: string): string {
  const place = memberSpan(json, name);
  if (place) return json.slice(0, place.from) + text + json.slice(place.to);
  const end = json.lastIndexOf('}');
  const isEmpty = json.slice(json.indexOf('{') + 1, end).trim() === '';
  return `${json.slice(0, end)}${isEmpty ? '' : ','}${JSON.stringify(name)}:${text}${json.slice(end)}`;
}

/**
 * Returns the original texts of a JSON list's items.
 * @param json text of a valid JSON list
 */
export const itemTexts = (json: string): string[] =>
  valueSpans(json).map(({ from, to }) => json.slice(from, to));

interface Span {
  from: number;
  to: number;
}

/** Returns the position of a member's value. */
const memberSpan = (json: string, name: string): Span | null =>
  valueSpans(json).findLast((value) => value.name === name) ?? null;

/** Returns the positions of the direct values of an object (with their names) or a list. */
function valueSpans(json: string): (Span & { name: string | null })[] {
  const found: (Span & { name: string | null })[] = [];
  let depth = 0;
  let name: string | null = null;
  /** Start of the latest string, and of the current value. */
  let [text, begin] = [0, 0];
  function end(at: number): void {
    const value = json.slice(begin, at);
    const from = at - value.trimStart().length;
    if (from < at) found.push({ name, from, to: begin + value.trimEnd().length });
    begin = at + 1;
  }
  for (let at = 0; at < json.length; at++) {
    const character = json[at];
    if (character === '"') {
      text = at;
      while (++at < json.length && json[at] !== '"') if (json[at] === '\\') at++;
    } else if (character === '{' || character === '[') {
      if (++depth === 1) begin = at + 1;
    } else if (character === '}' || character === ']') {
      if (depth-- === 1) end(at);
    } else if (depth === 1 && character === ',') end(at);
    else if (depth === 1 && character === ':') {
      name = JSON.parse(json.slice(text, at)) as string;
      begin = at + 1;
    }
  }
  return found;
}

const keepNumber = (_key: string, value: unknown, context?: { source?: string }): unknown =>
  typeof value === 'number' && context?.source !== undefined && String(value) !== context.source
    ? RAW_JSON.rawJSON(context.source)
    : value;

/** Part of ES2025's `JSON`, which TypeScript's library does not declare yet. */
const RAW_JSON = JSON as unknown as {
  rawJSON(source: string): unknown;
  isRawJSON(value: unknown): boolean;
};
