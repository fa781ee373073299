/**
 * JSON whose numbers keep every digit: `JSON.parse` rounds beyond 2^53 and forgets how a number was written.
 * Values that are read here and written with `JSON.stringify` keep their numbers.
 */
export const parseExactly = (text: string): unknown => JSON.parse(text, keepNumber);

/** Whether a value is a number that was kept as written: an object to JavaScript, a number to JSON. */
export const isKeptNumber = (value: unknown): boolean => RAW_JSON.isRawJSON(value);

/**
 * The text of one member of a JSON object, as it is written there; null if the object has none of that name.
 * Where it has several, the last, as for `JSON.parse`.
 * @param json the text of an object that `JSON.parse` takes
 */
export function memberText(json: string, name: string): string | null {
  const place = memberSpan(json, name);
  return place && json.slice(place.from, place.to);
}

/**
 * The object with this text as that member: in the place of the one that it has, else as its last. All else stays as
 * it is written.
 * @param json the text of an object that `JSON.parse` takes
 */
export function withMember(json: string, name: string, text: string): string {
  const place = memberSpan(json, name);
  if (place) return json.slice(0, place.from) + text + json.slice(place.to);
  const end = json.lastIndexOf('}');
  const isEmpty = json.slice(json.indexOf('{') + 1, end).trim() === '';
  return `${json.slice(0, end)}${isEmpty ? '' : ','}${JSON.stringify(name)}:${text}${json.slice(end)}`;
}

/**
 * The texts of the items of a JSON list, as they are written there.
 * @param json the text of a list that `JSON.parse` takes
 */
export const itemTexts = (json: string): string[] =>
  valueSpans(json).map(({ from, to }) => json.slice(from, to));

interface Span {
  from: number;
  to: number;
}

/** Where the text of that member begins and ends. */
const memberSpan = (json: string, name: string): Span | null =>
  valueSpans(json).findLast((value) => value.name === name) ?? null;

/** The values directly in an object or a list; those of an object with their names. */
function valueSpans(json: string): (Span & { name: string | null })[] {
  const found: (Span & { name: string | null })[] = [];
  let depth = 0;
  let name: string | null = null;
  /** Where the last text began, and where the current value does. */
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

/** From ES2025's `JSON`, which TypeScript's library does not have yet. */
const RAW_JSON = JSON as unknown as {
  rawJSON(source: string): unknown;
  isRawJSON(value: unknown): boolean;
};
