/** Amounts of money are whole millionths of a currency, so that sums are exact. */
const MILLION = 1_000_000;

/** The longest amount has this many digits before its decimals, so that it is an exact number. */
const MOST_DIGITS = 9;

const AMOUNT = new RegExp(`^(?<whole>\\d{1,${MOST_DIGITS}})(?:(?<sign>[.,])(?<decimals>\\d{1,6}))?$`);

/** An amount as people write it, with up to 6 decimals; null for any other text. `sign`: the one before the decimals. */
export function microsIn(text: string): { micros: number; sign: string | null } | null {
  const { whole, sign = null, decimals = '' } = AMOUNT.exec(text)?.groups ?? {};
  return whole === undefined ? null : { micros: Number(whole + decimals.padEnd(6, '0')), sign };
}

/** The amount in its currency. */
export const amountOf = (micros: number): number => micros / MILLION;
