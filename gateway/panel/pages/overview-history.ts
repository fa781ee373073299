import { eventIdBefore, eventTime } from '../../store/event-id';
import { type Stretch } from '../../store/history';
import { HOUR, isoTime, SECOND } from '../../time';
import { type PanelWorld } from '../world';

/** One hour of the last day. */
export interface HourSeen {
  /** When it began; milliseconds. */
  from: number;
  messages: number;
  failed: number;
  events: number;
  /** Milliseconds from an event's arrival until it was delivered: half were faster, and 19 of 20. Null where none was. */
  typical: number | null;
  slow: number | null;
  /** What was still to be delivered at its end, of all that came in since the first of these hours. */
  backlog: number;
}

const HOURS = 24;
/** What is not over yet is counted anew this often, however many look at it. */
const FRESH_FOR = 3 * SECOND;

interface Seen {
  /** Hours of which nothing can change any more. */
  over: Map<number, Stretch>;
  latest: { at: number; hours: Promise<HourSeen[]> } | null;
}
const seen = new WeakMap<PanelWorld['store'], Seen>();

/** The last 24 hours, the present one included. */
export function lastDay(world: PanelWorld): Promise<HourSeen[]> {
  const known = seen.get(world.store) ?? { over: new Map<number, Stretch>(), latest: null };
  seen.set(world.store, known);
  const now = performance.now();
  if (known.latest && now - known.latest.at < FRESH_FOR) return known.latest.hours;
  const hours = count(world, known.over);
  known.latest = { at: now, hours };
  hours.catch(() => {
    known.latest = null;
  });
  return hours;
}

async function count({ store, clock }: PanelWorld, over: Map<number, Stretch>): Promise<HourSeen[]> {
  const now = clock();
  const first = Math.floor(now / HOUR) * HOUR - (HOURS - 1) * HOUR;
  for (const hour of over.keys()) if (hour < first) over.delete(hour);
  const stretches: { from: number; stretch: Stretch }[] = [];
  for (let from = first; from <= now; from += HOUR) {
    const known = over.get(from);
    const at = (time: number) => ({ at: isoTime(time), eventId: eventIdBefore(time) });
    const stretch = known ?? (await store.history.stretch(at(from), at(from + HOUR)));
    // A status may tell of an hour ago; later than that it changes little.
    const isOver = from + 2 * HOUR <= now && stretch.over.every(({ hour }) => hour !== null);
    if (isOver) over.set(from, stretch);
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
