import { MOST_COUNTED } from '../../store/reports/backlog';
import { SECOND } from '../../time';
import { amountOf } from '../../usage/micros';
import { kitOf } from '../../wording/kit';
import { WRITTEN, languageNow } from '../../wording/language';

/** "1,200" or "1.200", depending on the language of the page. */
export const number = (value: number): string => kitOf(languageNow()).number(value);

/**
 * "98.5%" or "98,5 %". Rounded down, so that 100% means all.
 * @param share from 0 to 1
 */
export const percent = (share: number): string =>
  new Intl.NumberFormat(WRITTEN[languageNow()].tag, { style: 'percent', maximumFractionDigits: 1 }).format(
    Math.floor(share * 1000) / 1000,
  );

/** "US$1.50" or "1,50 US$"; with up to six decimals below 1. @param micros in millionths of the currency */
export const money = (micros: number, currency: string): string =>
  new Intl.NumberFormat(WRITTEN[languageNow()].tag, {
    style: 'currency',
    currency,
    minimumFractionDigits: 2,
    maximumFractionDigits: micros < 1_000_000 ? 6 : 2,
  }).format(amountOf(micros));

/** A number that was counted up to `most` and one more, such as "1,000+". */
export const upToMost = (count: number, most = MOST_COUNTED): string =>
  count > most ? `${number(most)}+` : number(count);

/** "3 hours" or "3 horas". */
export const lengthText = (milliseconds: number): string => kitOf(languageNow()).duration(milliseconds);

/** A duration such as "4 min 49 s" or "49 s". */
export function leftText(milliseconds: number): string {
  const seconds = Math.ceil(milliseconds / SECOND);
  const minutes = Math.floor(seconds / 60);
  return minutes ? `${minutes} min ${seconds % 60} s` : `${seconds} s`;
}
