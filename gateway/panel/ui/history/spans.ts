import { DAY, HOUR, MINUTE, SECOND } from '../../../time';
import { t } from '../../languages/t';

/** Ranges of charts: a number of spans of equal length. The last span is the current one. */
export const RANGES = {
  '24h': { count: 24, length: HOUR },
  '7d': { count: 28, length: 6 * HOUR },
  '30d': { count: 30, length: DAY },
};
export type RangeName = keyof typeof RANGES;

/** The range in a page's address. */
export const rangeIn = (query: URLSearchParams): RangeName =>
  (Object.keys(RANGES) as RangeName[]).find((name) => name === query.get('range')) ?? '24h';

export const rangeWords = (): Record<RangeName, { label: string; each: string }> => ({
  '24h': { label: t('24 h'), each: t('each hour') },
  '7d': { label: t('7 d'), each: t('every six hours') },
  '30d': { label: t('30 d'), each: t('each day') },
});

/** Start of a range's first span. Days and quarters of days are in UTC. */
export function beginOf(range: RangeName, now: number): number {
  const { length, count } = RANGES[range];
  return Math.floor(now / length) * length - (count - 1) * length;
}

/** Counts of the current span are cached this long, however many users see them. */
const FRESH_FOR = 3 * SECOND;
/** Counts of a past span are cached at least this long while deliveries are waiting. */
export const PASSED_FRESH_FOR = MINUTE;
/** A count is cached this many times longer than it took, because counting a million events is slow. */
const REST = 100;

/** A span of a range, with its counts. */
export interface Span<Counted> {
  /** Start, in milliseconds. */
  from: number;
  counted: Counted;
}

interface Known<Counted> {
  /** By start time. Valid until `until` (a `performance.now()` time); Infinity: the count is final. */
  spans: Map<number, { counted: Counted; until: number }>;
  latest: { at: number; spans: Promise<Span<Counted>[]> } | null;
}

/** Counts over time, cached while they are valid. */
export class SpanCounts<Counted> {
  readonly #known = new Map<RangeName, Known<Counted>>();

  /**
   * @param count counts between two times, in milliseconds
   * @param isSettled whether a past span's count is final
   */
  constructor(
    private readonly count: (from: number, to: number) => Promise<Counted>,
    private readonly isSettled: (counted: Counted) => boolean,
  ) {}

  /** The spans of a range, including the current one. */
  of(range: RangeName, now: number): Promise<Span<Counted>[]> {
    const known: Known<Counted> = this.#known.get(range) ?? { spans: new Map(), latest: null };
    this.#known.set(range, known);
    const at = performance.now();
    if (known.latest && at - known.latest.at < FRESH_FOR) return known.latest.spans;
    const spans = this.#read(range, now, known.spans);
    known.latest = { at, spans };
    spans.catch(() => {
      known.latest = null;
    });
    return spans;
  }

  async #read(range: RangeName, now: number, known: Known<Counted>['spans']): Promise<Span<Counted>[]> {
    const { length } = RANGES[range];
    const first = beginOf(range, now);
    for (const from of known.keys()) if (from < first) known.delete(from);
    const spans: Span<Counted>[] = [];
    for (let from = first; from <= now; from += length) {
      const before = known.get(from);
      const began = performance.now();
      if (before && before.until > began) {
        spans.push({ from, counted: before.counted });
        continue;
      }
      const counted = await this.count(from, from + length);
      const ended = performance.now();
      // Statuses can arrive an hour late. After that, a span changes little.
      const hasPassed = from + length + HOUR <= now;
      const rest = Math.max(hasPassed ? PASSED_FRESH_FOR : 0, REST * (ended - began));
      const until = hasPassed && this.isSettled(counted) ? Number.POSITIVE_INFINITY : ended + rest;
      known.set(from, { counted, until });
      spans.push({ from, counted });
    }
    return spans;
  }
}

/** A cached count, valid for a minimum time or `REST` times its duration, whichever is longer. */
export class Rested<Value> {
  #known: { value: Promise<Value>; until: number } | null = null;

  /** @param time least validity, in milliseconds */
  of(time: number, ask: () => Promise<Value>): Promise<Value> {
    const began = performance.now();
    if (this.#known && this.#known.until > began) return this.#known.value;
    const known = { value: ask(), until: Number.POSITIVE_INFINITY };
    this.#known = known;
    known.value.then(
      () => {
        const ended = performance.now();
        known.until = ended + Math.max(time, REST * (ended - began));
      },
      () => {
        this.#known = null;
      },
    );
    return known.value;
  }
}
