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
  let found: string | null = null;
  let depth = 0;
  let previous = '';
  let member: { name: string; from: number } | null = null;
  for (const { 0: token, index } of json.matchAll(/"[^"\\]*(?:\\.[^"\\]*)*"|[{}[\]:,]/g)) {
    if (depth === 1 && token === ':') member = { name: JSON.parse(previous) as string, from: index + 1 };
    if (depth === 1 && (token === ',' || token === '}') && member) {
      if (member.name === name) found = json.slice(member.from, index).trim();
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
