import { USAGE_COUNTS, type UsageCounts } from '../store/reports/usage';
import { type RateCardHead } from '../store/tables/rate-cards';
import { type Price } from './prices';

/** What charged messages cost by the rate cards, in one currency. */
export interface Estimate {
  currency: string;
  /** In millionths. */
  micros: number;
  /** The charged messages that it contains. */
  messages: number;
  /** The cards that it uses, the latest first. */
  cards: RateCardHead[];
}

export interface UsageSum {
  counts: UsageCounts;
  /** By currency; empty if no message has a price. */
  estimates: Estimate[];
  /** Charged messages without a price, which no estimate contains. */
  unpriced: number;
}

/** Counts of messages that have the same price; null: none. */
export interface PricedCounts extends UsageCounts {
  price: Price | null;
}

export function sumOf(some: readonly PricedCounts[]): UsageSum {
  const charged = some.filter((one) => one.charged > 0);
  const byCurrency = Map.groupBy(
    charged.flatMap(({ price, charged: count }) => (price ? [{ ...price, count }] : [])),
    ({ currency }) => currency,
  );
  return {
    counts: Object.fromEntries(
      USAGE_COUNTS.map((name) => [name, total(some, (one) => one[name])]),
    ) as UsageCounts,
    estimates: [...byCurrency]
      .map(([currency, prices]) => ({
        currency,
        micros: total(prices, ({ micros, count }) => micros * count),
        messages: total(prices, ({ count }) => count),
        cards: [...new Map(prices.map(({ card }) => [card.id, card])).values()].toSorted(
          (one, other) => other.id - one.id,
        ),
      }))
      .toSorted(
        (one, other) => Number(one.currency > other.currency) - Number(one.currency < other.currency),
      ),
    unpriced: total(charged, (one) => (one.price ? 0 : one.charged)),
  };
}

const total = <One>(some: readonly One[], of: (one: One) => number): number =>
  some.reduce((sum, one) => sum + of(one), 0);
