/** JSON from outside, where every value may be anything, and JSON in the spelling of the platform. */

export type JsonObject = Record<string, unknown>;

/** Deeper than any message, far from what would exhaust the stack during serialization. */
const MOST_DEPTH = 64;

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isDeeper = (value: unknown, depth: number): boolean =>
  typeof value === 'object' &&
  value !== null &&
  (depth === 0 || Object.values(value).some((inner) => isDeeper(inner, depth - 1)));

/** The value of the text; undefined if it is no JSON or nested too deeply. */
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
 * The value in the platform's spelling of a callback: ASCII only. A receiver that signs a body after parsing
 * and serializing it gets another signature, and should notice it here.
 * https://developers.facebook.com/docs/messenger-platform/webhooks#validate-payloads: lowercase hex for
 * everything beyond ASCII, "/" as "\/", and "<", "%", "@" escaped.
 */
export function upstreamJson(value: unknown): string {
  return JSON.stringify(value)
    .replace(/[\u0080-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .replaceAll('/', '\\/')
    .replaceAll('<', '\\u003C')
    .replaceAll('%', '\\u0025')
    .replaceAll('@', '\\u0040');
}

/** Left out, null or an empty text: the platform makes no difference. */
export const isMissing = (value: unknown): boolean => value === undefined || value === null || value === '';

/** Length as a person counts: in code points. */
export const lengthOf = (text: string): number => [...text].length;
