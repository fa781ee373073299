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
export const isoTime = (milliseconds: number): string => new Date(milliseconds).toISOString();

/** The same for a time that may not be set. */
export const isoTimeOrNull = (milliseconds: number | null): string | null =>
  milliseconds === null ? null : isoTime(milliseconds);
