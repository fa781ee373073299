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
  if (milliseconds !== last.time) last = { time: milliseconds, text: new Date(milliseconds).toISOString() };
  return last.text;
}

/** One event has the same time in several rows. */
let last = { time: 0, text: new Date(0).toISOString() };

/** The same for a time that may not be set. */
export const isoTimeOrNull = (milliseconds: number | null): string | null =>
  milliseconds === null ? null : isoTime(milliseconds);

/** A date or a time as people write it, in milliseconds; not a number for any other text. */
export function timeIn(text: string): number {
  const isTime = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d))?$/.test(text);
  const time = isTime ? Date.parse(text) : Number.NaN;
  return time >= 0 ? time : Number.NaN;
}
