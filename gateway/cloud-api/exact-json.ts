/**
 * JSON whose numbers keep every digit: `JSON.parse` rounds beyond 2^53 and forgets how a number was written.
 * What is read here and written with `JSON.stringify` has its numbers as they came.
 */
export const parseExactly = (text: string): unknown => JSON.parse(text, keepNumber);

/** Whether a value is a number that was kept as written: an object to JavaScript, a number to JSON. */
export const isKeptNumber = (value: unknown): boolean => RAW_JSON.isRawJSON(value);

const keepNumber = (_key: string, value: unknown, context?: { source?: string }): unknown =>
  typeof value === 'number' && context?.source !== undefined && String(value) !== context.source
    ? RAW_JSON.rawJSON(context.source)
    : value;

/** Of ES2025's `JSON`, which TypeScript's library does not name yet. */
const RAW_JSON = JSON as unknown as {
  rawJSON(source: string): unknown;
  isRawJSON(value: unknown): boolean;
};
