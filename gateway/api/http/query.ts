import * as Type from 'typebox';
import { invalidQuery, quoted } from '../../errors';

/** A boolean in a query: 1 or true, 0 or false; absent means false. */
const FLAG = ['1', 'true', '0', 'false'];

/** For reads of stored data. */
export const Refresh = Type.Enum(FLAG, {
  description:
    '`1` asks the platform first. Once a minute at most: asked again sooner, the answer is what is stored, and `refresh` in it says when to ask again.',
});

export function readFlag(name: string, value: unknown): boolean {
  if (value === undefined || value === '0' || value === 'false') return false;
  if (value === '1' || value === 'true') return true;
  throw invalidQuery(`${name} is ${quoted(String(value))}; it takes 1 or 0.`);
}

/** An integer in a query. */
export function readInteger(
  name: string,
  value: unknown,
  range: { minimum: number; maximum: number; default: number },
): number {
  if (value === undefined) return range.default;
  const number = typeof value === 'string' && /^\d{1,9}$/.test(value) ? Number(value) : Number.NaN;
  if (number >= range.minimum && number <= range.maximum) return number;
  throw invalidQuery(
    `${name} is ${quoted(String(value))}; it takes a whole number from ${range.minimum} to ${range.maximum}.`,
  );
}

/** The id of an object of the gateway in a query; null if it is not given. */
export const readId = (name: string, value: string | undefined): number | null =>
  value === undefined ? null : readInteger(name, value, { minimum: 1, maximum: 999_999_999, default: 0 });
