/**
 * `pricing_analytics` of a business account: delivered messages and their cost, from the sandbox's book. Days and
 * months are those of the account's time zone, as in the platform's example.
 * https://developers.facebook.com/documentation/business-messaging/whatsapp/analytics#pricing-analytics (2026-09-14)
 */
import { digitsOf } from '../platform/account';
import { parameterInvalid, parameterMissing, parameterNotOneOf } from '../platform/errors';
import { type JsonObject } from '../platform/json';
import { dateIn, datePlus, startOf } from '../../usage/days';
import { type Book, type BookedMessage } from './book';

/** In seconds since 1970. */
interface Bucket {
  start: number;
  end: number;
}

const GRANULARITIES: Record<string, (at: number, zone: string) => Bucket> = {
  HALF_HOUR: (at) => ({ start: at - (at % 1800), end: at - (at % 1800) + 1800 }),
  DAILY(at, zone) {
    const date = dateIn(zone, at * 1000);
    return between(zone, date, datePlus(date, 1));
  },
  MONTHLY(at, zone) {
    const first = `${dateIn(zone, at * 1000).slice(0, 7)}-01`;
    return between(zone, first, `${datePlus(first, 31).slice(0, 7)}-01`);
  },
};

const between = (zone: string, date: string, next: string): Bucket => ({
  start: startOf(zone, date) / 1000,
  end: startOf(zone, next) / 1000,
});

/** The sandbox charges this for each message, in the account's currency. */
const PRICE = 0.01;

const TIERS: Record<string, string> = { MARKETING: '0:MAX', UTILITY: '0:750000', AUTHENTICATION: '0:750000' };
const METRICS = ['COST', 'VOLUME'];

/** The property of a data point for each dimension; a value that is undefined is omitted. */
const DIMENSIONS: Record<string, (message: BookedMessage) => JsonObject> = {
  PHONE: ({ line }) => ({ phone_number: digitsOf(line) }),
  COUNTRY: ({ country }) => ({ country }),
  TIER: ({ category, isBillable }) => ({ tier: isBillable ? TIERS[category.toUpperCase()] : undefined }),
  PRICING_TYPE: ({ type }) => ({ pricing_type: type.toUpperCase() }),
  PRICING_CATEGORY: ({ category }) => ({ pricing_category: category.toUpperCase() }),
};

/** Filters, with the value of a message that they compare. */
const FILTERS: Record<string, (message: BookedMessage) => string> = {
  phone_numbers: ({ line }) => digitsOf(line),
  country_codes: ({ country }) => country,
  pricing_types: ({ type }) => type.toUpperCase(),
  pricing_categories: ({ category }) => category.toUpperCase(),
};

const NAMES = ['start', 'end', 'granularity', 'metric_types', 'dimensions', ...Object.keys(FILTERS)];

/**
 * @param expression the parameters of the field: `.start(1748761200).end(1749687703).granularity(DAILY)…`
 * @param zone IANA
 * @throws {GraphRefusal} if a parameter is missing or invalid
 */
export function pricingAnalytics(book: Book, wabaId: string, expression: string, zone: string): JsonObject {
  const given = parametersIn(expression);
  const [start, end] = [timeIn(given, 'start'), timeIn(given, 'end')];
  if (end <= start) throw parameterInvalid('end must be after start');
  const { granularity } = given;
  const bucketOf = GRANULARITIES[granularity ?? ''];
  if (granularity === undefined) throw parameterMissing('granularity');
  if (!bucketOf) throw parameterNotOneOf('granularity', Object.keys(GRANULARITIES), granularity);
  const metrics = listIn(given, 'metric_types', METRICS);
  const dimensions = listIn(given, 'dimensions', Object.keys(DIMENSIONS));
  const filters = Object.entries(FILTERS).map(([name, valueOf]) => ({
    valueOf,
    allowed: listIn(given, name),
  }));

  const points = new Map<string, JsonObject & { volume: number; cost: number }>();
  for (const { message, at } of book.deliveries()) {
    const second = Math.floor(at.getTime() / 1000);
    const isMeant = filters.every(
      ({ valueOf, allowed }) => !allowed.length || allowed.includes(valueOf(message)),
    );
    if (message.line.wabaId !== wabaId || second < start || second >= end || !isMeant) continue;
    const values = dimensions.map((name) => DIMENSIONS[name]?.(message));
    const key = Object.assign({ ...bucketOf(second, zone) }, ...values) as JsonObject;
    const point = points.get(JSON.stringify(key)) ?? { ...key, volume: 0, cost: 0 };
    point.volume += 1;
    point.cost = Math.round((point.cost + (message.isBillable ? PRICE : 0)) * 100) / 100;
    points.set(JSON.stringify(key), point);
  }
  const isAsked = (metric: string) => !metrics.length || metrics.includes(metric);
  const told = [...points.values()].map(({ volume, cost, ...key }) => ({
    ...key,
    ...(isAsked('VOLUME') && { volume }),
    ...(isAsked('COST') && { cost }),
  }));
  return { data: [{ data_points: told }] };
}

/** `.start(1).end(2)` → `{start: '1', end: '2'}` */
function parametersIn(expression: string): Partial<Record<string, string>> {
  const given = Object.fromEntries(
    Array.from(expression.matchAll(/\.(\w+)\(([^()]*)\)/g), ([, name = '', value = '']) => [
      name,
      value.trim(),
    ]),
  );
  const unknown = Object.keys(given).find((name) => !NAMES.includes(name));
  if (unknown !== undefined) throw parameterInvalid(`pricing_analytics has no parameter ${unknown}`);
  return given;
}

function timeIn(given: ReturnType<typeof parametersIn>, name: string): number {
  const value = given[name];
  if (!value) throw parameterMissing(name);
  if (!/^\d{1,11}$/.test(value)) throw parameterInvalid(`${name} must be a UNIX timestamp`);
  return Number(value);
}

/** `["COST", "VOLUME"]`, `[COST,VOLUME]` and `COST,VOLUME` are the same. */
function listIn(given: ReturnType<typeof parametersIn>, name: string, words?: readonly string[]): string[] {
  const values = (given[name] ?? '')
    .replace(/["'[\]\s]/g, '')
    .split(',')
    .filter(Boolean);
  const wrong = words && values.find((value) => !words.includes(value));
  if (words && wrong !== undefined) throw parameterNotOneOf(name, words, wrong);
  return values;
}
