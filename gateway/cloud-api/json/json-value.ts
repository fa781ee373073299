import { isKeptNumber } from './exact-json';

/** Reads unknown JSON. */

export type Json = Record<string, unknown>;

export const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !isKeptNumber(value);

/** Undefined if it is not JSON. */
export function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The objects of a list; an empty list for anything else. */
export const objects = (value: unknown): Json[] => (Array.isArray(value) ? value.filter(isObject) : []);

/** The entries of a list; an empty list for anything else. */
export const entries = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);

export const at = (value: unknown, key: string): unknown =>
  isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;

/** Omitted, or null, which many clients send instead. */
export const isAbsent = (value: unknown): boolean => value === undefined || value === null;

export const lower = (value: unknown): unknown => (typeof value === 'string' ? value.toLowerCase() : value);

/** An object inside of another, or an empty one. */
export const inside = (value: unknown, key: string): Json => {
  const found = at(value, key);
  return isObject(found) ? found : {};
};

/** A text or a number as text; '' for all else. */
export const textOf = (value: unknown): string =>
  typeof value === 'string' || typeof value === 'number' ? String(value) : '';
