import { type UsageTotal } from '../store/reports/usage';
import { type Store } from '../store/store';
import { isoTime, type Clock } from '../time';
import { singleFlight } from './single-flight';

/** The platform's pricing categories. Others are one series, so that statuses cannot add any number of them. */
const CATEGORIES = new Set([
  'authentication',
  'authentication_international',
  'marketing',
  'marketing_lite',
  'referral_conversion',
  'service',
  'utility',
]);

const labelOf = (category: string): string => {
  if (category === '') return 'none';
  return CATEGORIES.has(category) ? category : 'other';
};

/** Reads what all lines sent and received since the month began (UTC), by direction and category. */
export const usageOfMonth = (
  { usageReport }: Pick<Store, 'usageReport'>,
  clock: Clock,
): (() => Promise<UsageTotal[]>) =>
  singleFlight(async () => summed(await usageReport.totals(isoTime(clock()).slice(0, 7))));

function summed(totals: UsageTotal[]): UsageTotal[] {
  const sums = new Map<string, UsageTotal>();
  for (const { direction, category, messages, charged } of totals) {
    const label = labelOf(category);
    const key = `${direction} ${label}`;
    const sum = sums.get(key) ?? { direction, category: label, messages: 0, charged: 0 };
    sums.set(key, { ...sum, messages: sum.messages + messages, charged: sum.charged + charged });
  }
  return [...sums.values()];
}
