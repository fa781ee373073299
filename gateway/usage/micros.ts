/** Amounts of money are whole millionths of a currency, so that sums are exact. */
const MILLION = 1_000_000;

/** The longest amount has this many digits before its decimals, so that it is an exact number. */
const MOST_DIGITS = 9;

const AMOUNT = new RegExp(`^(?<whole>\\d{1,${MOST_DIGITS}})(?:(?<sign>[.,])(?<decimals>\\d{1,6}))?$`);

/** Written with a sign of thousands or with three decimals: nobody can tell. */
const UNCLEAR = /^[1-9]\d{0,2}[.,]\d{3}$/;

/**
 * An amount as people write it, with up to 6 decimals; null for any other text, and for one such as `1,500`. `sign`: the
 * one before the decimals.
 * @param decimal sign before decimals, if it is known: then `1,500` has a meaning
 */
export function microsIn(
  text: string,
  decimal: string | null = null,
): { micros: number; sign: string | null } | null {
  const { whole, sign = null, decimals = '' } = AMOUNT.exec(text)?.groups ?? {};
  if (whole === undefined || (UNCLEAR.test(text) && sign !== decimal)) return null;
  return { micros: Number(whole + decimals.padEnd(6, '0')), sign };
}

/** The amount in its currency. */
export const amountOf = (micros: number): number => micros / MILLION;
