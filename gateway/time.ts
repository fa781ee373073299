/** Durations in milliseconds. */
export const SECOND = 1000;
export const MINUTE = 60 * SECOND;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

/**
 * Returns the current time in milliseconds since 1970. Passed to code that depends on time, so that a test
 * can move it.
 */
export type Clock = () => number;

/** The form in which every table and every answer writes a time: ISO 8601, UTC, milliseconds. Sorts as text. */
export function isoTime(milliseconds: number): string {
  const second = Math.floor(milliseconds / SECOND) * SECOND;
  if (second !== last.second)
    last = { second, text: new Date(second).toISOString().slice(0, -'000Z'.length) };
  return `${last.text}${String(Math.floor(milliseconds) - second).padStart(3, '0')}Z`;
}

/** The last second that was written: most times are of the current one. */
let last = { second: Number.NaN, text: '' };

/** The same for a time that may not be set. */
export const isoTimeOrNull = (milliseconds: number | null): string | null =>
  milliseconds === null ? null : isoTime(milliseconds);

/** A date or a time as people write it, in milliseconds; not a number for any other text. */
export function timeIn(text: string): number {
  const isTime = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d))?$/.test(text);
  const time = isTime ? Date.parse(text) : Number.NaN;
  return time >= 0 ? time : Number.NaN;
}
