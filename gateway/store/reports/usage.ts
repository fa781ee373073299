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

/** A line, or a removed one. */
export interface UsageLine {
  id: number;
  name: string;
  customer_id: number | null;
  removed_at: string | null;
}

/** What was sent and received, from the counts of each day. */
export const usageReport = (db: Kysely<Schema>) => ({
  /**
   * The counts of each period and group, in the order of periods.
   * @param most groups
   */
  async groups({ groups, per, lineIds, ...search }: UsageSearch, most: number): Promise<UsageGroup[]> {
    if (lineIds?.length === 0) return [];
    const rows = await db
      .selectFrom('usage_days')
      .select(periodOf(db, per).as('period'))
      .select(groups)
      .select(USAGE_COUNTS.map((name) => sql<number | string>`sum(${sql.ref(name)})`.as(name)))
      .where('clock', '=', search.clock)
      .where('day', '>=', search.from)
      .where('day', '<=', search.to)
      .$if(lineIds !== undefined, (query) => query.where('line_id', 'in', lineIds ?? []))
      .$if(search.template !== undefined, (query) => query.where('template', '=', search.template ?? ''))
      .$if(search.category !== undefined, (query) => query.where('category', '=', search.category ?? ''))
      .$if(search.country !== undefined, (query) => query.where('country', '=', search.country ?? ''))
      .groupBy(['period', ...groups])
      .orderBy('period')
      .limit(most)
      .execute();
    // PostgreSQL returns sums as text.
    return rows.map((row) => ({ ...row, ...countsOf(row) }));
  },

  /** All lines, with the removed ones, whose usage remains. */
  lines: (): Promise<UsageLine[]> =>
    db.selectFrom('lines').select(['id', 'name', 'customer_id', 'removed_at']).orderBy('id').execute(),
});

const countsOf = (row: Record<keyof UsageCounts, number | string>): UsageCounts =>
  Object.fromEntries(USAGE_COUNTS.map((name) => [name, Number(row[name])])) as UsageCounts;

function periodOf(db: Kysely<Schema>, per: UsageSearch['per']): RawBuilder<string> {
  if (per === 'day') return sql<string>`day`;
  if (per === 'month') return sql<string>`substr(day, 1, 7)`;
  if (per === null) return sql<string>`''`;
  return isPostgres(db)
    ? sql<string>`to_char(date_trunc('week', cast(day as date)), 'YYYY-MM-DD')`
    : sql<string>`date(day, 'weekday 0', '-6 days')`;
}
