import { sql, type Kysely, type RawBuilder } from 'kysely';
import { isPostgres } from '../is-postgres';
import { type Schema, type UsageDayTable } from '../schema';

export const USAGE_COUNTS = ['sent', 'delivered', 'read', 'failed', 'received', 'charged'] as const;

/** Numbers of messages. */
export type UsageCounts = Record<(typeof USAGE_COUNTS)[number], number>;

/** The columns that usage can be grouped by. */
type Grouped = 'line_id' | 'template' | 'category' | 'country';

export interface UsageSearch extends Partial<Pick<UsageDayTable, 'template' | 'category' | 'country'>> {
  clock: UsageDayTable['clock'];
  /** First and last day. */
  from: string;
  to: string;
  per: 'day' | 'week' | 'month' | null;
  groups: Grouped[];
  /** Undefined: all. */
  lineIds?: number[];
}

export interface UsageGroup extends UsageCounts, Partial<Pick<UsageDayTable, Grouped>> {
  /** The day, the Monday of the week, or the month (`2026-03`); empty for the whole time. */
  period: string;
}

export interface SentOnDay extends Pick<UsageDayTable, 'line_id' | 'day' | 'category' | 'type' | 'country'> {
  sent: number;
  delivered: number;
  failed: number;
}

/** A line, or a removed one. */
export interface UsageLine {
  id: number;
  name: string;
  customer_id: number | null;
  removed_at: string | null;
}

/** What all lines sent or received. `messages`: sent, or with `in` received. */
export interface UsageTotal {
  direction: UsageDayTable['direction'];
  category: string;
  messages: number;
  charged: number;
}

/** What was sent and received, from the counts of each day. */
export const usageReport = (db: Kysely<Schema>) => ({
  /**
   * The counts of each period and group. Whole months are read from `usage_months`, unless
   * the periods are shorter; then a period can have two groups of the same values.
   * @param most groups
   */
  async groups({ groups, per, lineIds, ...search }: UsageSearch, most: number): Promise<UsageGroup[]> {
    if (lineIds?.length === 0) return [];
    const rows = await Promise.all(
      partsOf(search.from, search.to, per).map(({ table, date, from, to }) =>
        db
          .selectFrom(table)
          .select(periodOf(db, date, per).as('period'))
          .select(groups)
          .select(USAGE_COUNTS.map((name) => sql<number | string>`sum(${sql.ref(name)})`.as(name)))
          .where('clock', '=', search.clock)
          .where(sql.ref<string>(date), '>=', from)
          .where(sql.ref<string>(date), '<=', to)
          // Names the lines in any case, so that the databases read one range of the key for each.
          .where('line_id', 'in', lineIds ?? ((row) => row.selectFrom('lines').select('id')))
          .$if(search.template !== undefined, (query) => query.where('template', '=', search.template ?? ''))
          .$if(search.category !== undefined, (query) => query.where('category', '=', search.category ?? ''))
          .$if(search.country !== undefined, (query) => query.where('country', '=', search.country ?? ''))
          .groupBy(['period', ...groups])
          .orderBy('period')
          .limit(most)
          .execute(),
      ),
    );
    // PostgreSQL returns sums as text.
    return rows.flat().map((row) => ({ ...row, ...countsOf(row) }));
  },

  /** What lines sent since a day of their time zones, by what the platform counts too. */
  async sentSince(day: string): Promise<SentOnDay[]> {
    const rows = await db
      .selectFrom('usage_days')
      .select(['line_id', 'day', 'category', 'type', 'country'])
      .select(
        (['sent', 'delivered', 'failed'] as const).map((name) =>
          sql<number | string>`sum(${sql.ref(name)})`.as(name),
        ),
      )
      .where('clock', '=', 'line')
      .where('direction', '=', 'out')
      .where('day', '>=', day)
      .groupBy(['line_id', 'day', 'category', 'type', 'country'])
      .execute();
    return rows.map((row) => ({
      ...row,
      ...{ sent: Number(row.sent), delivered: Number(row.delivered), failed: Number(row.failed) },
    }));
  },

  /** What all lines sent and received in a month of UTC, such as `2026-11`. */
  async totals(month: string): Promise<UsageTotal[]> {
    const rows = await db
      .selectFrom('usage_months')
      .select(['direction', 'category'])
      .select([
        sql<number | string>`sum(sent + received)`.as('messages'),
        sql<number | string>`sum(charged)`.as('charged'),
      ])
      .where('line_id', 'in', (row) => row.selectFrom('lines').select('id'))
      .where('clock', '=', 'utc')
      .where('month', '=', month)
      .groupBy(['direction', 'category'])
      .execute();
    return rows.map((row) => ({ ...row, messages: Number(row.messages), charged: Number(row.charged) }));
  },

  /** All lines, with the removed ones, whose usage remains. */
  lines: (): Promise<UsageLine[]> =>
    db.selectFrom('lines').select(['id', 'name', 'customer_id', 'removed_at']).orderBy('id').execute(),
});

const countsOf = (row: Record<keyof UsageCounts, number | string>): UsageCounts =>
  Object.fromEntries(USAGE_COUNTS.map((name) => [name, Number(row[name])])) as UsageCounts;

type Part = Pick<UsageSearch, 'from' | 'to'> &
  ({ table: 'usage_days'; date: 'day' } | { table: 'usage_months'; date: 'month' });

/** The whole months of a period, and the days before and after them; only days if its parts are shorter. */
function partsOf(from: string, to: string, per: UsageSearch['per']): Part[] {
  const days = { table: 'usage_days', date: 'day' } as const;
  if (per === 'day' || per === 'week') return [{ ...days, from, to }];
  const isFirst = from.endsWith('-01');
  const first = isFirst ? from.slice(0, 7) : monthPlus(from, 1);
  const isLast = to === `${to.slice(0, 7)}-${lastDay(to)}`;
  const last = isLast ? to.slice(0, 7) : monthPlus(to, -1);
  if (first > last) return [{ ...days, from, to }];
  return [
    ...(isFirst ? [] : [{ ...days, from, to: `${from.slice(0, 7)}-31` }]),
    { table: 'usage_months', date: 'month', from: first, to: last },
    ...(isLast ? [] : [{ ...days, from: `${to.slice(0, 7)}-01`, to }]),
  ];
}

const monthPlus = (date: string, months: number): string => {
  const [year = 0, month = 1] = date.split('-').map(Number);
  return new Date(Date.UTC(year, month - 1 + months)).toISOString().slice(0, 7);
};

const lastDay = (date: string): string => {
  const [year = 0, month = 1] = date.split('-').map(Number);
  return new Date(Date.UTC(year, month, 0)).toISOString().slice(8, 10);
};

function periodOf(db: Kysely<Schema>, date: 'day' | 'month', per: UsageSearch['per']): RawBuilder<string> {
  if (per === 'day') return sql<string>`day`;
  if (per === 'month') return date === 'month' ? sql<string>`month` : sql<string>`substr(day, 1, 7)`;
  if (per === null) return sql<string>`''`;
  return isPostgres(db)
    ? sql<string>`to_char(date_trunc('week', cast(day as date)), 'YYYY-MM-DD')`
    : sql<string>`date(day, 'weekday 0', '-6 days')`;
}
