/** Why a rate card or a budget is refused. `given` is already quoted. */
export interface RateCardFactValues {
  /** The file has no header with the expected columns. */
  'rate_card.header': Record<never, never>;
  /** A quotation mark is missing or misplaced, so that the line cannot be split into cells. */
  'rate_card.quotes': Record<never, never>;
  'rate_card.empty': Record<never, never>;
  'rate_card.long': { most: number };
  'rate_card.market': { given: string };
  'rate_card.twice': { market: string };
  'rate_card.currency': { given: string };
  'rate_card.currencies': { currency: string; other: string };
  'rate_card.price': { category: string; given: string };

  'budget.invalid': Record<never, never>;
  /** No rate card applies to the customer. */
  'budget.no_card': Record<never, never>;
}
