import { type VNode } from 'preact';
import { type UsageReport, type ReportRow } from '../../usage/report';
import { type UsageSum } from '../../usage/sums';
import { money, number, percent } from '../languages/numbers';
import { t } from '../languages/t';
import { Card, Nothing, Table, type Column } from '../ui/parts';
import { useRequest } from '../ui/page-request';
import { estimateWord } from '../ui/history/this-month';
import { Places } from '../ui/places';
import { addressOf, BY_PERIOD, daysOfPeriod, narrowed, type UsageFilter } from './filter';
import { groupWord, Value, type Names } from './value-words';

const PAGE = 50;

interface Props {
  by: string;
  filter: UsageFilter;
  report: UsageReport;
  rows: ReportRow[];
  names: Names;
  /** Rows before the page. */
  from: number;
  actions: VNode;
}

/** The rows of a report. Each links to the page of its own messages. */
export function UsageTable({ by, filter, report, rows, names, from, actions }: Props): VNode {
  const shown = rows.slice(from, from + PAGE);
  const context = useRequest();
  const { asked } = report;
  const group = groupWord(by, asked.per);
  const valueOf = (row: ReportRow) => (by === BY_PERIOD ? row.period : row.value) ?? '';
  const hrefOf = (row: ReportRow): string | null => {
    if (by !== BY_PERIOD) return narrowed(context, filter, by, valueOf(row));
    const days = daysOfPeriod(valueOf(row), asked.per ?? 'day', asked);
    const isAll = days.from === asked.from && days.to === asked.to;
    return isAll ? null : narrowed(context, filter, by, valueOf(row), days);
  };
  const count = (label: string, name: keyof UsageSum['counts']): Column<ReportRow> => ({
    label,
    cell: ({ counts }) => (counts[name] ? <span class="number">{number(counts[name])}</span> : <Zero />),
  });
  return (
    <Card flush title={t('Messages')} actions={actions}>
      <Table
        caption={t('Usage')}
        brief="labelled figures"
        rows={shown}
        rowKey={valueOf}
        columns={[
          {
            label: group,
            heading: true,
            cell: (row) => {
              const href = hrefOf(row);
              const value = <Value by={by} value={valueOf(row)} names={names} />;
              return href === null ? (
                value
              ) : (
                <a class="row-link" href={href}>
                  {value}
                </a>
              );
            },
          },
          count(t.of('messages', 'Sent'), 'sent'),
          count(t.of('messages', 'Delivered'), 'delivered'),
          count(t.of('messages', 'Read'), 'read'),
          count(t.of('messages', 'Failed'), 'failed'),
          count(t.of('messages', 'Received'), 'received'),
          count(t.of('messages', 'Charged'), 'charged'),
          ...(report.total.estimates.length
            ? [{ label: t('Estimate'), cell: (row: ReportRow) => <Estimates of={row} /> }]
            : []),
        ]}
      />
      <Places
        from={from}
        shown={shown.length}
        all={rows.length}
        page={PAGE}
        hrefOf={(place) => `${addressOf({ ...filter, by })}&from=${place}`}
      />
    </Card>
  );
}

const Zero = (): VNode => <Nothing>{number(0)}</Nothing>;

/** The sum of each currency, and how many messages have no price. */
function Estimates({ of: { estimates, unpriced } }: { of: UsageSum }): VNode {
  if (!estimates.length && !unpriced) return <Nothing>–</Nothing>;
  return (
    <>
      <span class="number">
        {estimates.map(({ currency, micros }) => money(micros, currency)).join(' + ')}
      </span>{' '}
      {unpriced > 0 && <span class="quiet small">{unpricedWords({ unpriced })}</span>}
    </>
  );
}

const unpricedWords = ({ unpriced }: Pick<UsageSum, 'unpriced'>): string =>
  t('{count, number} without a price', { count: unpriced });

/** What was sent and received in total. */
export function Totals({ of }: { of: UsageSum }): VNode {
  const { counts } = of;
  const share = (part: number, whole: number) => (whole ? percent(part / whole) : '');
  const tiles: [label: string, value: string, more: string][] = [
    [t.of('messages', 'Sent'), number(counts.sent), ''],
    [t.of('messages', 'Delivered'), number(counts.delivered), share(counts.delivered, counts.sent)],
    [t.of('messages', 'Read'), number(counts.read), share(counts.read, counts.delivered)],
    [t.of('messages', 'Failed'), number(counts.failed), share(counts.failed, counts.sent)],
    [t.of('messages', 'Received'), number(counts.received), ''],
    [
      t.of('messages', 'Charged'),
      number(counts.charged),
      [
        ...of.estimates.map(estimateWord),
        ...(of.estimates.length && of.unpriced ? [unpricedWords(of)] : []),
      ].join('\n'),
    ],
  ];
  return (
    <div class="tiles">
      {tiles.map(([label, value, more]) => (
        <div key={label} class="tile figure">
          <span class="quiet small">{label}</span>
          <span class="tile-value">{value}</span>
          <span class="tile-more quiet small">{more}</span>
        </div>
      ))}
    </div>
  );
}
