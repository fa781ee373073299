import { invalidField } from '../errors';
import { type UsageGroup, type UsageLine } from '../store/reports/usage';
import { type Store } from '../store/store';
import { type RateCardHead } from '../store/tables/rate-cards';
import { DAY, isoTime, type Clock } from '../time';
import { fact } from '../wording/facts';
import { pricesOf } from './prices';
import { usageInput, type UsageAsked, type UsageInput } from './report-input';
import { sumOf, type PricedCounts, type UsageSum } from './sums';

/** The rows of a report at most. */
const MOST_ROWS = 5_000;
/** The groups that are read for them at most: the messages of a row can have several prices. */
const MOST_GROUPS = 100_000;

export interface ReportRow extends UsageSum {
  /** The day, the Monday of the week, or the month (`2026-03`); null for the whole time. */
  period: string | null;
  /**
   * What the row is about: the id of a line or customer, a template, a category or a country, as `by` says; null for
   * everything. Empty if the messages have none; `??` for an unknown country.
   */
  value: string | null;
}

export interface UsageReport {
  asked: UsageAsked;
  /** By period and value. */
  rows: ReportRow[];
  total: UsageSum;
  /** All lines that the reader may see, with removed ones. */
  lines: UsageLine[];
  /** ISO time. */
  asOf: string;
}

/**
 * What lines sent and received, and what it cost by the rate cards.
 * @param deps a store within the reader's reach
 * @throws Refusal with all issues, by field
 */
export async function usageReport(
  { store, clock }: { store: Store; clock: Clock },
  input: UsageInput,
): Promise<UsageReport> {
  const asked = usageInput(input);
  const lines = await store.usageReport.lines();
  const groups = await pricedGroups(store, asked, lines, await linesMeant(store, asked, lines));
  const rows = rowsOf(asked, groups, lines);
  if (rows.length > MOST_ROWS || groups.length >= MOST_GROUPS)
    throw invalidField('per', 'maxItems', fact('usage.many', { most: MOST_ROWS }));
  return { asked, rows, total: sumOf(groups), lines, asOf: isoTime(clock()) };
}

/** @throws Refusal if the reader sees no such line or customer */
async function linesMeant(
  store: Store,
  { lineId, customerId }: UsageAsked,
  lines: UsageLine[],
): Promise<UsageLine[]> {
  const ofLine = lines.filter(({ id }) => lineId === undefined || id === lineId);
  const ofCustomer = ofLine.filter((line) => customerId === undefined || line.customer_id === customerId);
  if (!ofLine.length && lineId !== undefined)
    throw invalidField('line_id', 'enum', fact('line_id.unknown', {}));
  if (customerId && !ofCustomer.length && !(await store.customers.find(customerId)))
    throw invalidField('customer_id', 'enum', fact('customer.unknown', {}));
  return ofCustomer;
}

type PricedGroup = UsageGroup & PricedCounts;

/**
 * Without rate cards, the counts of each row; with them, also by what prices depend on. Lines with the same cards are
 * read together, so that the number of groups does not depend on the number of lines.
 */
async function pricedGroups(
  store: Store,
  { by, ...asked }: UsageAsked,
  lines: UsageLine[],
  meant: UsageLine[],
): Promise<PricedGroup[]> {
  const { from, to } = asked;
  const cards = await store.rateCards.all();
  const priceOf = cards.length ? await pricesOf(store, from, to) : () => null;
  const column = by === 'customer' || by === 'line' ? ('line_id' as const) : by;
  const columns = [...(column ? [column] : []), ...(cards.length ? PRICED_BY : [])];
  const owners = new Set(cards.map((card) => card.customer_id));
  const found: PricedGroup[] = [];
  for (const [customerId, some] of Map.groupBy(meant, (line) => ownerOf(line, owners)))
    for (const days of samePrices(from, to, customerId, cards)) {
      const groups = await store.usageReport.groups(
        {
          ...asked,
          ...days,
          groups: [...new Set(columns)],
          ...(some.length < lines.length && { lineIds: some.map(({ id }) => id) }),
        },
        MOST_GROUPS,
      );
      for (const group of groups) {
        const { country = '', category = '' } = group;
        found.push({ ...group, price: priceOf({ customerId, day: days.from, country, category }) });
      }
    }
  return found;
}

/** What the price of a message depends on, besides its day and its line's cards. */
const PRICED_BY = ['country', 'category'] as const;

/** The customer whose cards a line has; null: those of all. */
const ownerOf = ({ customer_id: id }: UsageLine, owners: Set<number | null>): number | null =>
  owners.has(id) ? id : null;

/** Splits a period at the days from which other cards of an owner, or of all, apply. */
function samePrices(
  from: string,
  to: string,
  owner: number | null,
  cards: RateCardHead[],
): { from: string; to: string }[] {
  const changes = cards
    .filter((card) => card.customer_id === null || card.customer_id === owner)
    .map((card) => card.effective_from)
    .filter((day) => day > from && day <= to);
  const starts = [from, ...new Set(changes.toSorted())];
  return starts.map((start, index) => ({ from: start, to: dayBefore(starts[index + 1]) ?? to }));
}

const dayBefore = (day: string | undefined): string | null =>
  day === undefined ? null : isoTime(Date.parse(day) - DAY).slice(0, 10);

function rowsOf({ by, per }: UsageAsked, groups: PricedGroup[], lines: UsageLine[]): ReportRow[] {
  const customers = new Map(lines.map((line) => [line.id, line.customer_id]));
  const valueOf = (group: UsageGroup): string | null => {
    if (by === null) return null;
    if (by === 'customer') return String(customers.get(group.line_id ?? 0) ?? '');
    return String(group[by === 'line' ? 'line_id' : by]);
  };
  const rows = Map.groupBy(groups, (group) => JSON.stringify([group.period, valueOf(group)]));
  return [...rows.values()]
    .map((some) => {
      const [first] = some as [PricedGroup];
      return { period: per && first.period, value: valueOf(first), ...sumOf(some) };
    })
    .toSorted(byPeriodAndValue);
}

const byPeriodAndValue = (one: ReportRow, other: ReportRow): number =>
  compared(one.period ?? '', other.period ?? '') || compared(one.value ?? '', other.value ?? '');

const compared = (one: string, other: string): number => Number(one > other) - Number(one < other);
