import { type CustomerRow } from '../../store/tables/customers';
import { amountOf } from '../../usage/micros';
import { type Kinds } from './kind';
import { type Condition } from './condition';

export const budgetKinds = { budget_used: {} } satisfies Kinds;

/** @param customers whose budgets are nearly used up (`usage/budgets.ts`) */
export const budgetConditions = (customers: CustomerRow[]): Condition[] =>
  customers.flatMap((row): Condition[] => {
    const { budget_micros: budget, budget_spent_micros: spent, budget_warned_at: warnedAt } = row;
    if (budget === null || spent === null || warnedAt === null) return [];
    const isReached = row.budget_reached_at !== null;
    return [
      {
        kind: 'budget_used',
        values: {
          ...{ customer: row.name, budget: amountOf(budget), spent: amountOf(spent) },
          ...{ currency: row.budget_currency ?? '', unpriced: row.budget_unpriced },
          ...{ isReached, isHeld: isReached && row.budget_holds === 1 },
        },
        subject: String(row.id),
        ...{ lineId: null, wabaId: null, waiting: null, isTold: true },
        severity: isReached ? 'critical' : 'warning',
        since: row.budget_reached_at ?? warnedAt,
      },
    ];
  });
