import { csvFile, type Columns } from '../../export-file';
import { USAGE_COUNTS } from '../../store/reports/usage';
import { type UsageReport, type ReportRow } from '../../usage/report';
import { BY_PERIOD, daysOfPeriod } from './filter';
import { valueWord, type Names } from './value-words';

/** The rows of a report as CSV: the same rows, in the same order, as the page shows. */
export function usageFile(
  by: string,
  { asked, total }: UsageReport,
  rows: ReportRow[],
  names: Names,
): AsyncGenerator<string> {
  const daysOf = (row: ReportRow) =>
    row.period === null ? asked : daysOfPeriod(row.period, asked.per ?? 'day', asked);
  const isNamed = by === 'line' || by === 'customer';
  const columns: Columns<ReportRow> = [
    ['from', (row) => daysOf(row).from],
    ['to', (row) => daysOf(row).to],
    ...(isNamed ? [[`${by}_id`, (row: ReportRow) => row.value] as const] : []),
    ...(by === BY_PERIOD
      ? []
      : [[by, (row: ReportRow) => (isNamed ? valueWord(by, row.value ?? '', names) : row.value)] as const]),
    ...USAGE_COUNTS.map((name) => [name, (row: ReportRow) => row.counts[name]] as const),
    ...total.estimates.flatMap(({ currency }) => {
      const of = ({ estimates }: ReportRow) => estimates.find((one) => one.currency === currency);
      return [
        [`estimate_${currency}`, (row: ReportRow) => decimal(of(row)?.micros)] as const,
        [`rate_cards_${currency}`, (row: ReportRow) => cardsIn(of(row))] as const,
      ];
    }),
    ...(total.estimates.length ? [['charged_without_price', (row: ReportRow) => row.unpriced] as const] : []),
  ];
  return csvFile(columns, inTurn(rows));
}

const decimal = (micros: number | undefined): string | null =>
  micros === undefined ? null : (micros / 1_000_000).toFixed(6);

const cardsIn = (estimate: ReportRow['estimates'][number] | undefined): string | null =>
  estimate ? estimate.cards.map(({ name, effective_from: from }) => `${name} (${from})`).join('; ') : null;

async function* inTurn<Row>(rows: Row[]): AsyncGenerator<Row> {
  yield* rows;
}
