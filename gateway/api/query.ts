import { invalidQuery, quoted } from '../errors';

/** The token may stand in any query (`authenticate-line.ts`). */
const ALWAYS_KNOWN = 'access_token';

/** Refuses a query with a parameter that means nothing here: it may be a known one, mistyped. */
export function refuseUnknown(query: Record<string, unknown>, ...known: string[]): void {
  const unknown = Object.keys(query).find((name) => name !== ALWAYS_KNOWN && !known.includes(name));
  if (unknown !== undefined)
    throw invalidQuery(
      `${quoted(unknown)} is no parameter of this operation; possible: ${known.join(', ')}.`,
    );
}

/** A yes or no in a query: 1 or true, 0 or false; not given is no. */
export function readFlag(name: string, value: unknown): boolean {
  if (value === undefined || value === '0' || value === 'false') return false;
  if (value === '1' || value === 'true') return true;
  throw invalidQuery(`${name} is ${quoted(String(value))}; it takes 1 or 0.`);
}

/** A whole number in a query. */
export function readInteger(
  name: string,
  value: unknown,
  range: { from: number; to: number; default: number },
): number {
  if (value === undefined) return range.default;
  const number = typeof value === 'string' && /^\d{1,9}$/.test(value) ? Number(value) : Number.NaN;
  if (number >= range.from && number <= range.to) return number;
  throw invalidQuery(
    `${name} is ${quoted(String(value))}; it takes a whole number from ${range.from} to ${range.to}.`,
  );
}
