import { eventIdBefore, eventTime } from '../../store/event-id';
import { type Stretch } from '../../store/reports/history';
import { HOUR, isoTime, MINUTE, SECOND } from '../../time';
import { type PanelDeps } from '../dependencies';

/** One hour of the last day. */
export interface HourSeen {
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
  /** What was still to be delivered at its end, of all that came in since the first of these hours. */
  backlog: number;
}

const HOURS = 24;
/** What is not over yet is counted anew this often, however many look at it. */
const FRESH_FOR = 3 * SECOND;
/** An hour that has passed, of which something still waits, changes slowly. */
const PASSED_FRESH_FOR = MINUTE;
/**
 * An hour of a million events takes long to be counted: that is done so rarely that it takes a hundredth of the time.
 */
const REST = 100;

interface Counted {
  stretch: Stretch;
  /** By `performance.now()`: until then it holds; for good where nothing can change any more. */
  until: number;
}

interface Seen {
  /** By when the hour began. */
  counted: Map<number, Counted>;
  latest: { at: number; hours: Promise<HourSeen[]> } | null;
}
const seen = new WeakMap<PanelDeps['store'], Seen>();

/** The last 24 hours, the present one included. */
export function lastDay(deps: PanelDeps): Promise<HourSeen[]> {
  const known = seen.get(deps.store) ?? { counted: new Map<number, Counted>(), latest: null };
  seen.set(deps.store, known);
  const now = performance.now();
  if (known.latest && now - known.latest.at < FRESH_FOR) return known.latest.hours;
  const hours = count(deps, known.counted);
  known.latest = { at: now, hours };
  hours.catch(() => {
    known.latest = null;
  });
  return hours;
}

async function count({ store, clock }: PanelDeps, counted: Map<number, Counted>): Promise<HourSeen[]> {
  const now = clock();
  const first = Math.floor(now / HOUR) * HOUR - (HOURS - 1) * HOUR;
  for (const hour of counted.keys()) if (hour < first) counted.delete(hour);
  const stretches: { from: number; stretch: Stretch }[] = [];
  for (let from = first; from <= now; from += HOUR) {
    const known = counted.get(from);
    const began = performance.now();
    if (known && known.until > began) {
      stretches.push({ from, stretch: known.stretch });
      continue;
    }
    const at = (time: number) => ({ at: isoTime(time), eventId: eventIdBefore(time) });
    const stretch = await store.history.stretch(at(from), at(from + HOUR));
    const ended = performance.now();
    // A status may tell of an hour ago; later than that it changes little.
    const hasPassed = from + 2 * HOUR <= now;
    const isOver = hasPassed && stretch.over.every(({ hour }) => hour !== null);
    const rest = Math.max(hasPassed ? PASSED_FRESH_FOR : 0, REST * (ended - began));
    counted.set(from, { stretch, until: isOver ? Number.POSITIVE_INFINITY : ended + rest });
    stretches.push({ from, stretch });
  }
  return stretches.map(({ from, stretch }) => {
    const took = stretch.delivered
      .map(({ event_id: id, finished_at: at }) => Math.max(0, Date.parse(at) - eventTime(id)))
      .toSorted((one, other) => one - other);
    const end = isoTime(from).slice(0, 13);
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
