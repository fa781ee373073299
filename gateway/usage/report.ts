import { invalidField } from '../errors';
import { USAGE_COUNTS, type UsageCounts, type UsageGroup, type UsageLine } from '../store/reports/usage';
import { type Store } from '../store/store';
import { isoTime, type Clock } from '../time';
import { fact } from '../wording/facts';
import { usageInput, type UsageAsked, type UsageInput } from './report-input';

/** The rows of a report at most. */
const MOST_ROWS = 5_000;
/** The groups that are read for them at most: each row can have several lines. */
const MOST_GROUPS = 100_000;

export interface UsageRow {
  /** The day, the Monday of the week, or the month (`2026-03`); null for the whole time. */
  period: string | null;
  /**
   * What the row is about: the id of a line or customer, a template, a category or a country, as `by` says; null for
   * everything. Empty if the messages have none; `??` for an unknown country.
   */
  value: string | null;
  counts: UsageCounts;
}

export interface UsageReport {
  asked: UsageAsked;
  /** By period and value. */
  rows: UsageRow[];
  total: Pick<UsageRow, 'counts'>;
  /** All lines that the reader may see, with removed ones. */
  lines: UsageLine[];
  /** ISO time. */
  asOf: string;
}

/**
 * What lines sent and received.
 * @param deps a store within the reader's reach
 * @throws Refusal with all issues, by field
 */
export async function usageReport(
  { store, clock }: { store: Store; clock: Clock },
  input: UsageInput,
): Promise<UsageReport> {
  const asked = usageInput(input);
  const { by, lineId, customerId, ...search } = asked;
  const lines = await store.usageReport.lines();
  if (lineId !== undefined && !lines.some(({ id }) => id === lineId))
    throw invalidField('line_id', 'enum', fact('line_id.unknown', {}));
  if (
    customerId &&
    !lines.some((line) => line.customer_id === customerId) &&
    !(await store.customers.find(customerId))
  )
    throw invalidField('customer_id', 'enum', fact('customer.unknown', {}));
  const meant = lines.filter(
    (line) =>
      (lineId === undefined || line.id === lineId) &&
      (customerId === undefined || line.customer_id === customerId),
  );
  const groups = await store.usageReport.groups(
    {
      ...search,
      groups: by === null ? [] : [by === 'line' || by === 'customer' ? 'line_id' : by],
      ...(meant.length < lines.length && { lineIds: meant.map(({ id }) => id) }),
    },
    MOST_GROUPS,
  );
  const rows = rowsOf(asked, groups, lines);
  if (rows.length > MOST_ROWS || groups.length === MOST_GROUPS)
    throw invalidField('per', 'maxItems', fact('usage.many', { most: MOST_ROWS }));
  return {
    asked,
    rows,
    total: { counts: sumOf(rows.map(({ counts }) => counts)) },
    lines,
    asOf: isoTime(clock()),
  };
}

function rowsOf({ by, per }: UsageAsked, groups: UsageGroup[], lines: UsageLine[]): UsageRow[] {
  const customers = new Map(lines.map((line) => [line.id, line.customer_id]));
  const valueOf = (group: UsageGroup): string | null => {
    if (by === null) return null;
    if (by === 'customer') return String(customers.get(group.line_id ?? 0) ?? '');
    return String(group[by === 'line' ? 'line_id' : by]);
  };
  const rows = Map.groupBy(groups, (group) => JSON.stringify([group.period, valueOf(group)]));
  return [...rows.values()]
    .map((some) => {
      const [first] = some as [UsageGroup];
      return { period: per && first.period, value: valueOf(first), counts: sumOf(some) };
    })
    .toSorted(byPeriodAndValue);
}

const byPeriodAndValue = (one: UsageRow, other: UsageRow): number =>
  compared(one.period ?? '', other.period ?? '') || compared(one.value ?? '', other.value ?? '');

const compared = (one: string, other: string): number => Number(one > other) - Number(one < other);

const sumOf = (some: UsageCounts[]): UsageCounts =>
  Object.fromEntries(
    USAGE_COUNTS.map((name) => [name, some.reduce((sum, one) => sum + one[name], 0)]),
  ) as UsageCounts;
