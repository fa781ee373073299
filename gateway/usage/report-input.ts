import { Issues } from '../primitives/issues';
import { DAY } from '../time';
import { fact } from '../wording/facts';

export const USAGE_CLOCKS = ['line', 'utc'] as const;
export const USAGE_PERIODS = ['day', 'week', 'month'] as const;
export const USAGE_GROUPS = ['line', 'customer', 'template', 'category', 'country'] as const;

/** The days that a report covers at most. */
export const MOST_DAYS = 400;

/** What a report is asked for, as entered. */
export interface UsageInput {
  /** Whose days are counted: each line's time zone (default), or UTC. */
  clock?: string | undefined;
  /** First and last day, such as `2026-03-31`. */
  from: string;
  to: string;
  /** The length of each row's period; null: the whole time. */
  per?: string | null | undefined;
  /** What each row is about; null: everything. */
  by?: string | null | undefined;
  lineId?: number | undefined;
  /** Null: lines without a customer. */
  customerId?: number | null | undefined;
  /** Empty: messages without one. */
  template?: string | undefined;
  category?: string | undefined;
  /** ISO 3166 alpha-2, or `??` if unknown. */
  country?: string | undefined;
}

/** A report that may be asked for. */
export interface UsageAsked extends UsageInput {
  clock: (typeof USAGE_CLOCKS)[number];
  per: (typeof USAGE_PERIODS)[number] | null;
  by: (typeof USAGE_GROUPS)[number] | null;
}

/** Validates what a report is asked for. @throws Refusal with all issues, by field */
export function usageInput(given: UsageInput): UsageAsked {
  const issues = new Issues();
  const { clock = 'line', from, to, per = null, by = null, country } = given;
  issues.addChoice('clock', USAGE_CLOCKS, clock);
  issues.addChoice('per', USAGE_PERIODS, per);
  issues.addChoice('by', USAGE_GROUPS, by);
  for (const [field, day] of Object.entries({ from, to }))
    if (!isDay(day)) issues.addOfValue(field, 'pattern', fact('day.invalid', {}));
  const days = (Date.parse(to) - Date.parse(from)) / DAY + 1;
  if (days < 1) issues.addOfValue('to', 'minimum', fact('period.reversed', {}));
  if (days > MOST_DAYS) issues.addOfValue('to', 'maximum', fact('period.long', { most: MOST_DAYS }));
  if (country !== undefined && !/^([A-Z]{2}|\?\?)$/.test(country))
    issues.addOfValue('country', 'pattern', fact('country.invalid', {}));
  issues.check();
  return { ...given, clock, per, by } as UsageAsked;
}

/** Whether it is a day of the calendar. */
export const isDay = (text: string): boolean =>
  /^20\d\d-\d\d-\d\d$/.test(text) && new Date(`${text}T00:00Z`).toJSON()?.startsWith(text) === true;
