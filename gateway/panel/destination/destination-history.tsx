import { type VNode } from 'preact';
import { isoTime } from '../../time';
import { t } from '../languages/t';
import { Success, sumOf, type AttemptHistory } from '../ui/history/attempts';
import { Chart } from '../ui/history/chart';
import { RangeSwitch } from '../ui/history/range-switch';
import { RANGES, rangeWords, type RangeName } from '../ui/history/spans';
import { Card } from '../ui/parts';

interface HistoryProps {
  id: number;
  range: RangeName;
  spans: AttemptHistory;
  /** The same page with another range. */
  hrefOf(range: RangeName): string;
}

/** A chart of the attempts. Each bar links to the events of its attempts. */
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
            'Accepted: {success}. Attempts are shown at the time their event was received. Select a bar to see its events.',
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
          {t('There were no deliveries in this time. Use Send test event to check the receiver.')}
        </p>
      )}
    </Card>
  );
}
