import { type VNode } from 'preact';
import { LruCache } from '../../../primitives/lru-cache';
import { eventIdBefore } from '../../../store/event-id';
import { type AttemptCounts } from '../../../store/reports/history';
import { isoTime } from '../../../time';
import { type PanelDeps } from '../../dependencies';
import { percent } from '../../languages/numbers';
import { t } from '../../languages/t';
import { Chart } from '../../ui/history/chart';
import { RangeSwitch } from '../../ui/history/range-switch';
import {
  beginOf,
  FRESH_FOR,
  RANGES,
  rangeWords,
  Rested,
  SpanCounts,
  type RangeName,
  type Span,
} from '../../ui/history/spans';
import { Card } from '../../ui/parts';

const NONE: AttemptCounts = { made: 0, failed: 0 };

/** Of so many destinations, and of so many lines, the counts are kept. */
const MOST_KEPT = 200;

interface Kept {
  ofOne: LruCache<SpanCounts<AttemptCounts>>;
  ofDay: LruCache<Rested<Map<number, AttemptCounts>>>;
}
const kept = new WeakMap<PanelDeps['store'], Kept>();

function keptOf(store: PanelDeps['store']): Kept {
  const known = kept.get(store) ?? { ofOne: new LruCache(MOST_KEPT), ofDay: new LruCache(MOST_KEPT) };
  kept.set(store, known);
  return known;
}

/**
 * The attempts of each destination for the events of the last 24 hours, by its id: as many as the chart of one shows. A
 * destination without any is not in it.
 */
export function attemptsOfDay(
  { store, clock }: PanelDeps,
  ids: number[],
): Promise<Map<number, AttemptCounts>> {
  const { ofDay } = keptOf(store);
  const key = ids.join();
  const rested = ofDay.get(key) ?? new Rested<Map<number, AttemptCounts>>();
  ofDay.set(key, rested);
  return rested.of(FRESH_FOR, () => store.history.attempts(ids, eventIdBefore(beginOf('24h', clock()))));
}

/** "98.5% of 1,204 attempts". */
export function Success({ of: { made, failed } = NONE }: { of: AttemptCounts | undefined }): VNode {
  if (!made) return <span class="quiet">{t('no attempt')}</span>;
  return (
    <>
      {t('{share} of {made, plural, one {# attempt} other {# attempts}}', {
        share: percent((made - failed) / made),
        made,
      })}
    </>
  );
}

type Spans = Span<AttemptCounts>[];

const sumOf = (spans: Spans): AttemptCounts =>
  spans.reduce(
    ({ made, failed }, { counted }) => ({ made: made + counted.made, failed: failed + counted.failed }),
    NONE,
  );

/** What became of a destination's attempts over time, of which it is told by when their events came in. */
export async function historyOf(deps: PanelDeps, id: number, range: RangeName): Promise<Spans> {
  const { store, clock } = deps;
  const { ofOne } = keptOf(store);
  const counts =
    ofOne.get(String(id)) ??
    new SpanCounts<AttemptCounts>(
      async (from, to) =>
        (await store.history.attempts([id], eventIdBefore(from), eventIdBefore(to))).get(id) ?? NONE,
      // What waits is tried again for a week, and whatever is over may be replayed.
      () => false,
    );
  ofOne.set(String(id), counts);
  return counts.of(range, clock());
}

interface HistoryProps {
  id: number;
  range: RangeName;
  spans: Spans;
  /** The same page with another range. */
  hrefOf(range: RangeName): string;
}

/** The attempts as a chart; a bar leads to the events that they were made for. */
export function DestinationHistory({ id, range, spans, hrefOf }: HistoryProps): VNode {
  const made = spans.map(({ counted }) => counted.made);
  const failed = spans.map(({ counted }) => counted.failed);
  const all = sumOf(spans);
  const { length } = RANGES[range];
  const eventsIn = (index: number) => {
    const from = spans[index]?.from ?? 0;
    const query = { destination: String(id), from: isoTime(from), to: isoTime(from + length) };
    return `/panel/events?${new URLSearchParams(query)}`;
  };
  return (
    <Card title={t('Attempts')} actions={<RangeSwitch range={range} hrefOf={hrefOf} />}>
      {all.made ? (
        <Chart
          id="attempts"
          title={`${t('Attempts')}, ${rangeWords()[range].each}`}
          summary={t.rich(
            'Accepted: {success}. Each attempt stands where its event came in; a bar leads to those events.',
            { success: <Success of={all} /> },
          )}
          times={spans.map(({ from }) => isoTime(from))}
          told={range === '24h' ? 'hour' : 'day'}
          series={[
            { label: t('Attempts'), values: made },
            { label: t.of('attempts', 'Failed'), values: failed, isBad: true },
          ]}
          rest={t.of('attempts', 'Accepted')}
          kind="bars"
          hrefOf={eventsIn}
        />
      ) : (
        <p class="quiet">
          {t(
            'Nothing was to be delivered in this time. Send test event shows whether the receiver is reached.',
          )}
        </p>
      )}
    </Card>
  );
}
