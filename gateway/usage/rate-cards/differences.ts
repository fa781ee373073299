import { rateOf, type Rates } from '../prices';
import { type Market } from './read-card';

export type PriceChange = 'added' | 'removed' | 'dearer' | 'cheaper';

/** A price that differs between two rate cards, for one or more countries of a market. */
export interface Difference {
  change: PriceChange;
  category: string;
  /** As the new card names it; that of a country that it does not name is its code. */
  market: string;
  countries: string[];
  /** In millionths; null if the card has no price. */
  before: number | null;
  after: number | null;
}

/** What changes for messages, per market and category, when a card replaces another one in the same currency. */
export function differencesBetween(before: Rates, after: Rates, markets: Market[]): Difference[] {
  const named = new Set(markets.flatMap(({ countries }) => countries));
  const only = [...new Set(Object.values(before).flatMap((prices) => Object.keys(prices)))]
    .filter((country) => !named.has(country))
    .map((country) => ({ name: country, countries: [country] }));
  const categories = [...new Set([...Object.keys(after), ...Object.keys(before)])];
  return [...markets, ...only].flatMap(({ name: market, countries }) =>
    categories.flatMap((category) => {
      const found = new Map<string, Difference>();
      for (const country of countries) {
        const prices = {
          before: rateOf(before, country, category),
          after: rateOf(after, country, category),
        };
        const change = changeOf(prices);
        if (!change) continue;
        const key = String(prices.before);
        const known = found.get(key);
        if (known) known.countries.push(country);
        else found.set(key, { change, category, market, countries: [country], ...prices });
      }
      return [...found.values()];
    }),
  );
}

function changeOf({ before, after }: Pick<Difference, 'before' | 'after'>): PriceChange | null {
  if (before === after) return null;
  if (before === null) return 'added';
  if (after === null) return 'removed';
  return after > before ? 'dearer' : 'cheaper';
}
