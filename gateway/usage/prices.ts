import { type Store } from '../store/store';
import { type RateCardHead } from '../store/tables/rate-cards';

/** The country under which a card has the price of all countries that it does not name. */
export const OTHERS = '*';

/**
 * The prices of a card in millionths of its currency, by category (as statuses report it, in lower case) and country
 * (ISO 3166 alpha-2, or `*`); null where the card names a country without a price.
 */
export type Rates = Record<string, Record<string, number | null>>;

/** The price of one message. */
export interface Price {
  micros: number;
  currency: string;
  card: RateCardHead;
}

/** What the price of a message depends on. */
export interface Priced {
  /** Of the line; null if it has none. */
  customerId: number | null;
  /** `YYYY-MM-DD`. */
  day: string;
  country: string;
  category: string;
}

/** Null if no card is in force, or if it has no price for this country and category. */
export type PriceOf = (message: Priced) => Price | null;

/**
 * The card in force on a day: that of the customer, otherwise that for all.
 * @param cards as `store.rateCards.all` returns them, the latest first
 */
export function cardInForce<Card extends Pick<RateCardHead, 'customer_id' | 'effective_from'>>(
  cards: readonly Card[],
  customerId: number | null,
  day: string,
): Card | null {
  const inForce = (owner: number | null) =>
    cards.find((card) => card.customer_id === owner && card.effective_from <= day);
  return (customerId !== null && inForce(customerId)) || (inForce(null) ?? null);
}

/** A country's price in one category; null if there is none. */
export const rateOf = (rates: Rates, country: string, category: string): number | null => {
  const prices = rates[category] ?? {};
  const own = prices[country];
  return own === undefined ? (prices[OTHERS] ?? null) : own;
};

/**
 * Reads the cards in force in a period.
 * @param from, to first and last day, `YYYY-MM-DD`
 */
export async function pricesOf(
  { rateCards }: Pick<Store, 'rateCards'>,
  from: string,
  to: string,
): Promise<PriceOf> {
  const cards = (await rateCards.all()).filter((card) => card.effective_from <= to);
  const isReplaced = (card: RateCardHead, place: number) =>
    cards
      .slice(0, place)
      .some((later) => later.customer_id === card.customer_id && later.effective_from <= from);
  const used = cards.filter((card, place) => !isReplaced(card, place));
  const rows = await rateCards.some(used.map(({ id }) => id));
  const ratesOf = new Map(rows.map(({ id, rates }) => [id, JSON.parse(rates) as Rates]));
  return ({ customerId, day, country, category }) => {
    const card = cardInForce(used, customerId, day);
    if (!card) return null;
    const micros = rateOf(ratesOf.get(card.id) ?? {}, country, category);
    return micros === null ? null : { micros, currency: card.currency, card };
  };
}
