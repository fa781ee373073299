import { type FactWords } from '../facts';
import { type RateCardFactValues } from '../rate-cards';

export const rateCards: Pick<FactWords, keyof RateCardFactValues | 'rate_card.line'> = {
  'rate_card.header': () =>
    'No header found. The file needs a line with the columns Market, Currency, and one for each category, such as Marketing and Utility.',
  'rate_card.quotes': () => 'A quotation mark is missing or in the wrong place.',
  'rate_card.empty': () => 'The file has no prices below its header.',
  'rate_card.long': ({ most }, { number }) => `A rate card has up to ${number(most)} characters.`,
  'rate_card.market': ({ given }) =>
    `${given} is not a known market. Enter a country, its ISO code, or a region of the platform, such as Rest of Africa.`,
  'rate_card.twice': ({ market }) => `${market} is in the file twice.`,
  'rate_card.currency': ({ given }) => `${given} is not a currency. Enter a code such as USD.`,
  'rate_card.currencies': ({ currency, other }) =>
    `The currency is ${currency}, but ${other} in the lines above. Import a file for each currency.`,
  'rate_card.price': ({ category, given }) =>
    `${given} is not a price (${category}). Enter a number such as 1234.5, with up to 6 decimals, or n/a.`,
  'rate_card.line': ({ line, because }, { number, say }) => `Line ${number(line)}: ${say(because)}`,

  'budget.invalid': () => 'Enter an amount such as 1500 or 99.90.',
  'budget.no_card': () =>
    'No rate card applies to this customer. Import one first: a budget is compared with its estimates.',
};
