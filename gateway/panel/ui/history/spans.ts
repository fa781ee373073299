import { DAY, HOUR, MINUTE, SECOND } from '../../../time';
import { t } from '../../languages/t';

/** A range: a number of spans of one length, of which the current one is the last. */
export const RANGES = {
  '24h': { count: 24, length: HOUR },
  '7d': { count: 28, length: 6 * HOUR },
  '30d': { count: 30, length: DAY },
};
export type RangeName = keyof typeof RANGES;

/** The range that the address of a page names. */
export const rangeIn = (query: URLSearchParams): RangeName =>
  (Object.keys(RANGES) as RangeName[]).find((name) => name === query.get('range')) ?? '24h';

export const rangeWords = (): Record<RangeName, { label: string; each: string }> => ({
  '24h': { label: t('24 h'), each: t('each hour') },
  '7d': { label: t('7 d'), each: t('every six hours') },
  '30d': { label: t('30 d'), each: t('each day') },
});

/** The start of the first span of a range. Days and quarters of days are in UTC. */
export function beginOf(range: RangeName, now: number): number {
  const { length, count } = RANGES[range];
  return Math.floor(now / length) * length - (count - 1) * length;
}

/** The current span is counted again this often, however many users look at it. */
export const FRESH_FOR = 3 * SECOND;
/** A past span with waiting deliveries changes slowly. */
export const PASSED_FRESH_FOR = MINUTE;
/**
 * One of a million events takes long to be counted: that is done so rarely that it takes a hundredth of the time.
 */
const REST = 100;

/** One part of a range, and its counts. */
export interface Span<Counted> {
  /** When it began; milliseconds. */
  from: number;
  counted: Counted;
}

interface Known<Counted> {
  /**
   * By start time. `until`, by `performance.now()`: valid until then; Infinity if it cannot change any more.
   */
  spans: Map<number, { counted: Counted; until: number }>;
  latest: { at: number; spans: Promise<Span<Counted>[]> } | null;
}

/** Counts over time, cached as long as they are valid. */
export class SpanCounts<Counted> {
  readonly #known = new Map<RangeName, Known<Counted>>();

  /**
   * @param count counts between two times, in milliseconds
   * @param isSettled whether the count cannot change any more
   */
  constructor(
    private readonly count: (from: number, to: number) => Promise<Counted>,
    private readonly isSettled: (counted: Counted) => boolean,
  ) {}

  /** The spans of a range, the present one included. */
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
      // A status may be about an hour ago; after that, a span changes little.
      const hasPassed = from + length + HOUR <= now;
      const rest = Math.max(hasPassed ? PASSED_FRESH_FOR : 0, REST * (ended - began));
      const until = hasPassed && this.isSettled(counted) ? Number.POSITIVE_INFINITY : ended + rest;
      known.set(from, { counted, until });
      spans.push({ from, counted });
    }
    return spans;
  }
}

/** Counted again only after a pause: a minimum, and a hundred times as long as the count took. */
export class Rested<Value> {
  #known: { value: Promise<Value>; until: number } | null = null;

  /** @param time milliseconds */
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
