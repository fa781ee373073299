/** Parsed JSON from outside, whose values can have any type. */

export type JsonObject = Record<string, unknown>;

/** Deeper than any message, and far below the depth that would exhaust the stack during serialization. */
const MOST_DEPTH = 64;

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isDeeper = (value: unknown, depth: number): boolean =>
  typeof value === 'object' &&
  value !== null &&
  (depth === 0 || Object.values(value).some((inner) => isDeeper(inner, depth - 1)));

/** Parses JSON; undefined if it is invalid or nested too deeply. */
export function parseJson(text: unknown): unknown {
  if (typeof text !== 'string') return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return isDeeper(value, MOST_DEPTH) ? undefined : value;
  } catch {
    return undefined;
  }
}

/**
 * Serializes a callback in the platform's spelling: ASCII only, lowercase hex escapes, "/" as "\/", and "<",
 * "%", "@" escaped. A receiver that signs the body after parsing and serializing it gets a different
 * signature, and should find that bug here.
 * https://developers.facebook.com/docs/messenger-platform/webhooks#validate-payloads
 */
export function upstreamJson(value: unknown): string {
  return JSON.stringify(value)
    .replace(/[\u0080-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .replaceAll('/', '\\/')
    .replaceAll('<', '\\u003C')
    .replaceAll('%', '\\u0025')
    .replaceAll('@', '\\u0040');
}

/** Whether a value is undefined, null or "", which the platform treats alike. */
export const isMissing = (value: unknown): boolean => value === undefined || value === null || value === '';

/** Length in code points. */
export const lengthOf = (text: string): number => [...text].length;
