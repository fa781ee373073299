import { DAY, HOUR, MINUTE } from '../time';

/** Dates as `YYYY-MM-DD`, which sort as text. */

const formats = new Map<string, Intl.DateTimeFormat>();

function formatOf(zone: string): Intl.DateTimeFormat {
  const known = formats.get(zone);
  if (known) return known;
  // Writes dates as ISO 8601 does.
  const format = new Intl.DateTimeFormat('sv-SE', {
    timeZone: zone,
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
  });
  formats.set(zone, format);
  return format;
}

/** The date of a time, in milliseconds, in a time zone (IANA). */
export const dateIn = (zone: string, at: number): string =>
  zone === 'UTC' ? new Date(at).toISOString().slice(0, 10) : formatOf(zone).format(at);

/** The date a number of days later. */
export const datePlus = (date: string, days: number): string => dateIn('UTC', Date.parse(date) + days * DAY);

/** The first and last date of a date's month. */
export const monthOf = (date: string): { from: string; to: string } => {
  const [year = 0, month = 1] = date.split('-').map(Number);
  return { from: `${date.slice(0, 7)}-01`, to: dateIn('UTC', Date.UTC(year, month, 0)) };
};

/** No time zone is further from UTC. */
const FURTHEST = 15 * HOUR;

/**
 * When a date begins in a time zone, in milliseconds: the first minute that has this date, or a later one where the
 * zone skips the date.
 */
export function startOf(zone: string, date: string): number {
  const middle = Date.parse(date);
  if (zone === 'UTC') return middle;
  let [before, from] = [middle - FURTHEST, middle + FURTHEST];
  while (from - before > MINUTE) {
    const between = before + Math.floor((from - before) / (2 * MINUTE)) * MINUTE;
    if (dateIn(zone, between) < date) before = between;
    else from = between;
  }
  return from;
}

/** The dates of a time zone during a UTC day: one to three. */
export function datesDuring(zone: string, utcDate: string): string[] {
  const start = Date.parse(utcDate);
  const last = dateIn(zone, start + DAY - 1);
  const dates = [dateIn(zone, start)];
  while ((dates.at(-1) ?? last) < last) dates.push(datePlus(dates.at(-1) ?? last, 1));
  return dates;
}
