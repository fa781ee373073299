/**
 * JSON whose numbers keep every digit: `JSON.parse` rounds beyond 2^53 and forgets how a number was written.
 * What is read here and written with `JSON.stringify` has its numbers as they came.
 */
export const parseExactly = (text: string): unknown => JSON.parse(text, keepNumber);

/** Whether a value is a number that was kept as written: an object to JavaScript, a number to JSON. */
export const isKeptNumber = (value: unknown): boolean => RAW_JSON.isRawJSON(value);

/**
 * The text of one member of a JSON object, as it is written there; null where the object has none of that name. Where
 * it has several, the last, as for `JSON.parse`.
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

/** Where the text of that member begins and ends. */
function memberSpan(json: string, name: string): { from: number; to: number } | null {
  let found: { from: number; to: number } | null = null;
  let depth = 0;
  let previous = '';
  let member: { name: string; from: number } | null = null;
  for (const { 0: token, index } of json.matchAll(/"[^"\\]*(?:\\.[^"\\]*)*"|[{}[\]:,]/g)) {
    if (depth === 1 && token === ':') member = { name: JSON.parse(previous) as string, from: index + 1 };
    if (depth === 1 && (token === ',' || token === '}') && member) {
      const text = json.slice(member.from, index);
      const from = index - text.trimStart().length;
      if (member.name === name) found = { from, to: from + text.trim().length };
      member = null;
    }
    if (token === '{' || token === '[') depth++;
    if (token === '}' || token === ']') depth--;
    previous = token;
  }
  return found;
}

const keepNumber = (_key: string, value: unknown, context?: { source?: string }): unknown =>
  typeof value === 'number' && context?.source !== undefined && String(value) !== context.source
    ? RAW_JSON.rawJSON(context.source)
    : value;

/** Of ES2025's `JSON`, which TypeScript's library does not name yet. */
const RAW_JSON = JSON as unknown as {
  rawJSON(source: string): unknown;
  isRawJSON(value: unknown): boolean;
};
