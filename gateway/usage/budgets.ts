import { type Store } from '../store/store';
import { type CustomerRow } from '../store/tables/customers';
import { type AuditedDeps } from '../store/with-audit';
import { isoTime, type Clock } from '../time';
import { dateIn, datePlus } from './days';
import { amountOf } from './micros';
import { usageReport } from './report';

/** A budget is reported from this share on. */
const WARNED_FROM = 0.8;

/** Since when a customer's budget is nearly used up, and used up. */
export type BudgetState = Pick<CustomerRow, 'budget_warned_at' | 'budget_reached_at'>;

/** The state of a budget, with the estimate of the current month that was last compared with it. */
export function budgetState(
  row: BudgetState & Pick<CustomerRow, 'budget_micros' | 'budget_spent_micros'>,
  now: string,
): BudgetState {
  const { budget_micros: budget, budget_spent_micros: spent } = row;
  const since = (share: number, before: string | null): string | null =>
    budget !== null && spent !== null && spent >= budget * share ? (before ?? now) : null;
  return {
    budget_warned_at: since(WARNED_FROM, row.budget_warned_at),
    budget_reached_at: since(1, row.budget_reached_at),
  };
}

/** Compares the budget of each customer with what the current month has cost, by the rate cards. */
export async function compareBudgets(deps: Omit<AuditedDeps, 'vault'>): Promise<void> {
  const { store, clock, registry } = deps;
  const customers = (await store.customers.all()).filter((row) => row.budget_micros !== null);
  if (!customers.length) return;
  const zones = new Map((await store.lines.all()).map((line) => [line.id, line.time_zone ?? 'UTC']));
  for (const row of customers) {
    const spent = await spentThisMonth(deps, row, zones);
    const state = budgetState({ ...row, ...spent }, isoTime(clock()));
    await store.customers.noteBudget(row, { ...spent, ...state });
  }
  await registry.refresh();
}

/**
 * The estimate of the current month, which begins in each line's own time zone, in the currency of the budget.
 * @param zones the time zone of each line; a removed one has UTC
 */
async function spentThisMonth(
  deps: { store: Store; clock: Clock },
  { id, budget_currency: currency }: CustomerRow,
  zones: Map<number, string>,
): Promise<Pick<CustomerRow, 'budget_spent_micros' | 'budget_unpriced'>> {
  const monthIn = (zone: string) => dateIn(zone, deps.clock()).slice(0, 7);
  const months = new Set(['UTC', ...zones.values()].map(monthIn));
  let [spent, unpriced] = [0, 0];
  for (const month of months) {
    const { rows } = await usageReport(deps, { ...daysOf(month), customerId: id, by: 'line' });
    for (const row of rows.filter(({ value }) => monthIn(zones.get(Number(value)) ?? 'UTC') === month)) {
      const estimate = row.estimates.find((one) => one.currency === currency);
      spent += estimate?.micros ?? 0;
      unpriced += row.counts.charged - (estimate?.messages ?? 0);
    }
  }
  return { budget_spent_micros: spent, budget_unpriced: unpriced };
}

function daysOf(month: string): { from: string; to: string } {
  const from = `${month}-01`;
  const next = `${datePlus(from, 31).slice(0, 7)}-01`;
  return { from, to: datePlus(next, -1) };
}

/** A customer's budget as commands and the API show it, in its currency; null if there is none. */
export const shownBudget = (row: Omit<CustomerRow, 'id' | 'name' | 'external_id' | 'suspended_at'>) =>
  row.budget_micros === null
    ? null
    : {
        amount: amountOf(row.budget_micros),
        currency: row.budget_currency ?? '',
        /** The estimate of the current month; null if it was not compared yet. */
        spent: row.budget_spent_micros === null ? null : amountOf(row.budget_spent_micros),
        /** Charged messages that it leaves out, because they have no price. */
        unpriced: row.budget_unpriced,
        holds_marketing: row.budget_holds === 1,
        is_reached: row.budget_reached_at !== null,
      };
