import { isKeptNumber } from './exact-json';

/** Helpers that read unknown JSON. */

export type Json = Record<string, unknown>;

export const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !isKeptNumber(value);

/** Parses JSON; undefined if invalid. */
export function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Returns the objects in a list; empty for any other value. */
export const objects = (value: unknown): Json[] => (Array.isArray(value) ? value.filter(isObject) : []);

/** Returns the entries of a list; empty for any other value. */
export const entries = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);

export const at = (value: unknown, key: string): unknown =>
  isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;

/** Whether a value is omitted or null; many clients send null. */
export const isAbsent = (value: unknown): boolean => value === undefined || value === null;

export const lower = (value: unknown): unknown => (typeof value === 'string' ? value.toLowerCase() : value);

/** Returns the object under a key; empty if there is none. */
export const inside = (value: unknown, key: string): Json => {
  const found = at(value, key);
  return isObject(found) ? found : {};
};

/** Converts a string or a number to text; '' for any other value. */
export const textOf = (value: unknown): string =>
  typeof value === 'string' || typeof value === 'number' ? String(value) : '';
