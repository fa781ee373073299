import { eventIdBefore, eventTime } from '../../store/event-id';
import { type Counts, type Stretch } from '../../store/reports/history';
import { DAY, HOUR, isoTime, MINUTE, SECOND } from '../../time';
import { type PanelDeps } from '../dependencies';
import { t } from '../languages/t';

/** One part of the time that is looked at: an hour of the last day, a day of the last month. */
export interface SpanSeen {
  /** When it began; milliseconds. */
  from: number;
  messages: number;
  failed: number;
  events: number;
  /**
   * Milliseconds from an event's arrival until it was delivered: half were faster, and 19 of 20. Null where none was.
   */
  typical: number | null;
  slow: number | null;
  /** What was still to be delivered at its end, of all that came in since the first of these. */
  backlog: number;
}

/** What may be looked at: so many spans of such a length, of which the present one is the last. */
export const RANGES = {
  '24h': { count: 24, length: HOUR },
  '7d': { count: 28, length: 6 * HOUR },
  '30d': { count: 30, length: DAY },
};
export type RangeName = keyof typeof RANGES;

export const rangeWords = (): Record<RangeName, { label: string; each: string }> => ({
  '24h': { label: t('24 h'), each: t('each hour') },
  '7d': { label: t('7 d'), each: t('every six hours') },
  '30d': { label: t('30 d'), each: t('each day') },
});

/** What is not over yet is counted anew this often, however many look at it. */
const FRESH_FOR = 3 * SECOND;
/** One that has passed, of which something still waits, changes slowly. */
const PASSED_FRESH_FOR = MINUTE;
/**
 * One of a million events takes long to be counted: that is done so rarely that it takes a hundredth of the time.
 */
const REST = 100;

interface Counted {
  stretch: Stretch;
  /** By `performance.now()`: until then it holds; for good where nothing can change any more. */
  until: number;
}

interface Seen {
  /** By when it began. */
  counted: Map<number, Counted>;
  latest: { at: number; spans: Promise<SpanSeen[]> } | null;
}
const seen = new WeakMap<PanelDeps['store'], Map<RangeName, Seen>>();

/** The last 24 hours, the present one included. */
export const lastDay = (deps: PanelDeps): Promise<SpanSeen[]> => spansOf(deps, '24h');

const yesterdays = new WeakMap<PanelDeps['store'], { until: number; counts: Promise<Counts> }>();

/** How much there was in the same time a day before. */
export function dayBefore({ store, clock }: PanelDeps): Promise<Counts> {
  const began = performance.now();
  const known = yesterdays.get(store);
  if (known && known.until > began) return known.counts;
  const now = clock() - DAY;
  const at = (time: number) => ({ at: isoTime(time), eventId: eventIdBefore(time) });
  const counts = store.history.counts(at(Math.floor(now / HOUR) * HOUR - 23 * HOUR), at(now));
  const entry = { until: Number.POSITIVE_INFINITY, counts };
  yesterdays.set(store, entry);
  counts.then(
    () => {
      const ended = performance.now();
      entry.until = ended + Math.max(PASSED_FRESH_FOR, REST * (ended - began));
    },
    () => yesterdays.delete(store),
  );
  return counts;
}

/** The spans of a range, the present one included. Days and their quarters are those of UTC. */
export function spansOf(deps: PanelDeps, range: RangeName): Promise<SpanSeen[]> {
  const ranges = seen.get(deps.store) ?? new Map<RangeName, Seen>();
  seen.set(deps.store, ranges);
  const known = ranges.get(range) ?? { counted: new Map<number, Counted>(), latest: null };
  ranges.set(range, known);
  const now = performance.now();
  if (known.latest && now - known.latest.at < FRESH_FOR) return known.latest.spans;
  const spans = count(deps, range, known.counted);
  known.latest = { at: now, spans };
  spans.catch(() => {
    known.latest = null;
  });
  return spans;
}

async function count(
  { store, clock }: PanelDeps,
  range: RangeName,
  counted: Map<number, Counted>,
): Promise<SpanSeen[]> {
  const { length, count: many } = RANGES[range];
  const now = clock();
  const first = Math.floor(now / length) * length - (many - 1) * length;
  for (const span of counted.keys()) if (span < first) counted.delete(span);
  const stretches: { from: number; stretch: Stretch }[] = [];
  for (let from = first; from <= now; from += length) {
    const known = counted.get(from);
    const began = performance.now();
    if (known && known.until > began) {
      stretches.push({ from, stretch: known.stretch });
      continue;
    }
    const at = (time: number) => ({ at: isoTime(time), eventId: eventIdBefore(time) });
    const stretch = await store.history.stretch(at(from), at(from + length));
    const ended = performance.now();
    // A status may tell of an hour ago; later than that it changes little.
    const hasPassed = from + length + HOUR <= now;
    const isOver = hasPassed && stretch.over.every(({ hour }) => hour !== null);
    const rest = Math.max(hasPassed ? PASSED_FRESH_FOR : 0, REST * (ended - began));
    counted.set(from, { stretch, until: isOver ? Number.POSITIVE_INFINITY : ended + rest });
    stretches.push({ from, stretch });
  }
  return stretches.map(({ from, stretch }) => {
    const took = stretch.delivered
      .map(({ event_id: id, finished_at: at }) => Math.max(0, Date.parse(at) - eventTime(id)))
      .toSorted((one, other) => one - other);
    const end = isoTime(from + length - HOUR).slice(0, 13);
    const backlog = stretches
      .filter((one) => one.from <= from)
      .flatMap((one) => one.stretch.over)
      .reduce((sum, { hour, count: many }) => (hour === null || hour > end ? sum + many : sum), 0);
    return {
      from,
      messages: stretch.messages,
      failed: stretch.failed,
      events: stretch.events,
      typical: took[Math.floor(took.length / 2)] ?? null,
      slow: took[Math.floor(took.length * 0.95)] ?? null,
      backlog,
    };
  });
}
