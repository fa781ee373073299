import { at, inside, objects, textOf } from '../cloud-api/json/json-value';
import { type PlatformUsageRow } from '../store/tables/platform-usage';
import { DAY, SECOND } from '../time';
import { UNKNOWN_COUNTRY } from './country-of-number';
import { dateIn, datePlus } from './days';

/** Days that are read each time: those that were not final, also if some readings failed. */
const DAYS_READ = 10;

/** What the platform counted for one number on one day. */
export interface PlatformCount extends Omit<PlatformUsageRow, 'line_id' | 'read_at'> {
  /** In digits. */
  phoneNumber: string;
}

/** Days that were read as a whole, and their counts. */
export interface PlatformCounts {
  from: string;
  to: string;
  counts: PlatformCount[];
}

/**
 * The field of a business account with the delivered messages of the last days.
 * developers.facebook.com/documentation/business-messaging/whatsapp/analytics#pricing-analytics
 * @param now milliseconds
 */
export const pricingAnalyticsField = (now: number): string =>
  'pricing_analytics' +
  `.start(${(Date.parse(firstDay(now)) - DAY) / SECOND}).end(${Math.floor(now / SECOND)})` +
  '.granularity(DAILY).metric_types(VOLUME).dimensions(PHONE,PRICING_CATEGORY,PRICING_TYPE,COUNTRY)';

/** In any time zone, this day begins after the start of what is asked for. */
const firstDay = (now: number): string => datePlus(dateIn('UTC', now), -DAYS_READ);

/**
 * The days and counts in the platform's answer; null if it has no list or a point that is not understood, because days
 * without counts would be compared as days without messages.
 * @param zone of the business account (IANA)
 */
export function readPricingAnalytics(answer: unknown, zone: string, now: number): PlatformCounts | null {
  const from = firstDay(now);
  const groups = at(inside(answer, 'pricing_analytics'), 'data');
  if (!Array.isArray(groups)) return null;
  const points = objects(groups).flatMap((group) => objects(at(group, 'data_points')));
  const counts = new Map<string, PlatformCount>();
  for (const point of points) {
    const count = countOf(point, zone);
    if (count === null) return null;
    if (count.day < from) continue;
    const { delivered, ...key } = count;
    const name = JSON.stringify(key);
    counts.set(name, { ...key, delivered: delivered + (counts.get(name)?.delivered ?? 0) });
  }
  return { from, to: dateIn(zone, now), counts: [...counts.values()] };
}

function countOf(point: object, zone: string): PlatformCount | null {
  const [start, end, volume] = ['start', 'end', 'volume'].map((name) => Number(at(point, name)));
  // In its middle, a day has its date even if the time zone changed or is unknown.
  const middle = (((start ?? NaN) + (end ?? NaN)) / 2) * SECOND;
  if (!(middle > 0 && middle < MOST_TIME) || !Number.isSafeInteger(volume) || (volume ?? 0) < 0) return null;
  const phoneNumber = textOf(at(point, 'phone_number')).replace(/\D/g, '');
  if (!phoneNumber) return null;
  return {
    phoneNumber,
    day: dateIn(zone, middle),
    category: wordIn(point, 'pricing_category'),
    type: wordIn(point, 'pricing_type'),
    country: /^[A-Z]{2}$/.exec(textOf(at(point, 'country')))?.[0] ?? UNKNOWN_COUNTRY,
    delivered: volume ?? 0,
  };
}

/** The year 2100. */
const MOST_TIME = 4_102_444_800 * SECOND;

/** Empty for what is no word of the platform. */
const wordIn = (point: object, name: string): string =>
  /^[\w.-]{1,64}$/.exec(textOf(at(point, name)))?.[0].toLowerCase() ?? '';

/** The rows of a line. @param phoneNumber in digits @param readAt ISO time */
export function platformUsageRows(
  { from, to, counts }: PlatformCounts,
  line: { id: number; phoneNumber: string },
  readAt: string,
): PlatformUsageRow[] {
  const rows = counts
    .filter(({ phoneNumber }) => phoneNumber === line.phoneNumber)
    .map(({ phoneNumber: _, ...count }) => ({ line_id: line.id, read_at: readAt, ...count }));
  const counted = new Set(rows.map(({ day }) => day));
  const nothing = { category: '', type: '', country: '', delivered: 0 };
  for (let day = from; day <= to; day = datePlus(day, 1))
    if (!counted.has(day)) rows.push({ line_id: line.id, read_at: readAt, day, ...nothing });
  return rows;
}
