import { eventIdBefore, eventTime } from '../../store/event-id';
import { type Counts, type Stretch } from '../../store/reports/history';
import { DAY, HOUR, isoTime } from '../../time';
import { type PanelDeps } from '../dependencies';
import {
  beginOf,
  PASSED_FRESH_FOR,
  RANGES,
  Rested,
  SpanCounts,
  type RangeName,
  type Span,
} from '../ui/history/spans';

/** A span of the chart, such as an hour of the last day. */
export interface SpanSeen {
  /** Start, in milliseconds. */
  from: number;
  messages: number;
  failed: number;
  events: number;
  /**
   * Milliseconds from receiving an event until its delivery: median and 95th percentile. Null if nothing was
   * delivered.
   */
  typical: number | null;
  slow: number | null;
  /** Pending deliveries at the end of the span. Counts only events received since the first span. */
  backlog: number;
}

const moment = (time: number) => ({ at: isoTime(time), eventId: eventIdBefore(time) });

/** The last 24 hours, including the current one. */
export const lastDay = (deps: PanelDeps): Promise<SpanSeen[]> => spansOf(deps, '24h');

const yesterdays = new WeakMap<PanelDeps['store'], Rested<Counts>>();

/** Counts of the same period one day earlier. */
export function dayBefore({ store, clock }: PanelDeps): Promise<Counts> {
  const yesterday = yesterdays.get(store) ?? new Rested<Counts>();
  yesterdays.set(store, yesterday);
  return yesterday.of(PASSED_FRESH_FOR, () => {
    const now = clock() - DAY;
    return store.history.counts(moment(beginOf('24h', now)), moment(now));
  });
}

const stretches = new WeakMap<PanelDeps['store'], SpanCounts<Stretch>>();

/** The spans of a range, including the current one. */
export async function spansOf({ store, clock }: PanelDeps, range: RangeName): Promise<SpanSeen[]> {
  const counts =
    stretches.get(store) ??
    new SpanCounts(
      (from, to) => store.history.stretch(moment(from), moment(to)),
      ({ over }) => over.every(({ hour }) => hour !== null),
    );
  stretches.set(store, counts);
  const spans = await counts.of(range, clock());
  return spans.map((span) => seen(span, range, spans));
}

function seen({ from, counted }: Span<Stretch>, range: RangeName, spans: Span<Stretch>[]): SpanSeen {
  const took = counted.delivered
    .map(({ event_id: id, finished_at: at }) => Math.max(0, Date.parse(at) - eventTime(id)))
    .toSorted((one, other) => one - other);
  const end = isoTime(from + RANGES[range].length - HOUR).slice(0, 13);
  const backlog = spans
    .filter((one) => one.from <= from)
    .flatMap((one) => one.counted.over)
    .reduce((sum, { hour, count }) => (hour === null || hour > end ? sum + count : sum), 0);
  return {
    from,
    messages: counted.messages,
    failed: counted.failed,
    events: counted.events,
    typical: took[Math.floor(took.length / 2)] ?? null,
    slow: took[Math.floor(took.length * 0.95)] ?? null,
    backlog,
  };
}
