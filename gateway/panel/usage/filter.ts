import { type UsageInput } from '../../usage/report-input';
import { dateIn, datePlus, monthOf } from '../../usage/days';
import { type RequestContext } from '../request-context';
import { chosenLine } from '../ui/line-field';
import { type PanelDeps } from '../dependencies';

const NAMES = ['since', 'until', 'by', 'per', 'clock', 'line', 'customer'] as const;
/** Filters that may be empty: messages without a template, or without a category. */
const DIMENSIONS = ['template', 'category', 'country'] as const;

/** What the address of the page says; left out: the default. */
export type UsageFilter = {
  [Name in (typeof NAMES)[number] | (typeof DIMENSIONS)[number]]?: string | undefined;
};

export function filterOf(query: URLSearchParams): UsageFilter {
  const given = (name: string) => {
    const text = query.get(name)?.trim().slice(0, 512);
    return text === undefined ? {} : { [name]: text };
  };
  return Object.assign(
    {},
    ...NAMES.filter((name) => query.get(name)?.trim()).map(given),
    ...DIMENSIONS.map(given),
  ) as UsageFilter;
}

export const addressOf = (filter: UsageFilter, path = '/panel/usage'): string => {
  const given = Object.entries(filter).filter(([, value]) => value !== undefined);
  const query = String(new URLSearchParams(given));
  return query ? `${path}?${query}` : path;
};

/** First and last day. */
export interface Days {
  from: string;
  to: string;
}

export const today = ({ clock }: Pick<PanelDeps, 'clock'>): string => dateIn('UTC', clock());

export const daysOf = (filter: UsageFilter, day: string): Days => {
  const { from, to } = monthOf(day);
  return { from: filter.since ?? from, to: filter.until ?? to };
};

/** The name of the rows in the address if they are periods. */
export const BY_PERIOD = 'period';

/** The report that a filter asks for. */
export function askedOf(
  { deps, customer }: RequestContext,
  filter: UsageFilter,
): UsageInput & { by: string } {
  const { template, category, country } = filter;
  const days = daysOf(filter, today(deps));
  const lines = deps.lines.all();
  const { line } = chosenLine(lines, filter.line ?? '');
  // A removed line is known only by its id.
  const lineId = line?.id ?? (/^\d{1,9}$/.test(filter.line ?? '') ? Number(filter.line) : 0);
  return {
    ...days,
    clock: filter.clock,
    per: perOf(days, filter.per),
    by: filter.by ?? (lines.length > 1 && filter.line === undefined ? 'line' : BY_PERIOD),
    ...(filter.line !== undefined && { lineId }),
    ...(customer && { customerId: customer === 'none' ? null : Number(customer) }),
    ...{ template, category, country },
  };
}

/** The days that are shown by day or by week at most: a busy gateway stores thousands of rows for each day. */
export const MOST_DAYS = { day: 100, week: 200 };

/** The periods of a chart, longer than the chosen ones if there would be too many. */
function perOf({ from, to }: Days, chosen: string | undefined): string {
  const isWithin = (days: number) => to < datePlusOf(from, days);
  const per = chosen ?? (isWithin(63) ? 'day' : 'week');
  if (per !== 'day' && per !== 'week') return per;
  if (isWithin(MOST_DAYS[per])) return per;
  return isWithin(MOST_DAYS.week) ? 'week' : 'month';
}

const datePlusOf = (day: string, days: number): string =>
  Number.isNaN(Date.parse(day)) ? day : datePlus(day, days);

/** What the rows of a narrowed page are about, in a gateway of several lines. */
const NEXT: Record<string, string> = {
  customer: 'line',
  line: 'template',
  template: BY_PERIOD,
  category: 'template',
  country: 'line',
  [BY_PERIOD]: 'line',
};

/** The same page for one row. */
export function narrowed(
  { deps }: RequestContext,
  filter: UsageFilter,
  by: string,
  value: string,
  days?: Days,
): string {
  const next = NEXT[by] ?? BY_PERIOD;
  const fitting = next === 'line' && deps.lines.all().length < 2 ? 'template' : next;
  return addressOf({
    ...filter,
    ...(days ? { since: days.from, until: days.to, per: undefined } : { [by]: value }),
    by: fitting in filter ? BY_PERIOD : fitting,
  });
}

/** The days of a period that begins in a week or month, within the days of the report. */
export function daysOfPeriod(period: string, per: string, { from, to }: Days): Days {
  const all = {
    day: { from: period, to: period },
    week: { from: period, to: datePlus(period, 6) },
    month: monthOf(`${period}-01`),
  }[per as 'day' | 'week' | 'month'];
  return { from: all.from < from ? from : all.from, to: all.to > to ? to : all.to };
}

/** All periods of the days, also those without messages; future ones are left out. */
export function periodsIn({ from, to }: Days, per: string, day: string): string[] {
  // A line's day can begin before that of UTC.
  const last = [to, datePlus(day, 1)].toSorted()[0] ?? to;
  const periods = new Set<string>();
  for (let one = from; one <= last; one = datePlus(one, 1)) periods.add(periodOf(one, per));
  return [...periods];
}

function periodOf(day: string, per: string): string {
  if (per === 'month') return day.slice(0, 7);
  const sinceMonday = (new Date(day).getUTCDay() + 6) % 7;
  return per === 'week' ? datePlus(day, -sinceMonday) : day;
}
