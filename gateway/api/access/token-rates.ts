import { tokenRateExceeded } from '../../errors';
import { takeForRequest, type Allowance, type RateLimits } from '../../primitives/rate-limit';
import { MINUTE } from '../../time';

/** A read costs less than a change, and a form in n8n makes several reads whenever it is opened. */
const READS_FOR_A_CHANGE = 10;

export type TokenRates = ReturnType<typeof tokenRates>;

/** An admin token does for many lines what each of them may do. */
const LINES_OF_AN_ADMIN = 10;

/**
 * Rate limits, except for sends: changes and reads. An upload or download of a file counts as a read, because a message
 * with a file needs it.
 * @param whose all tokens of a line count together, and each admin token by itself
 * @param ofLine changes of a line per minute, with a burst of twice as many; ten times as many reads. Null: no limit
 * @param limitOf creates limits that apply across all processes on the database
 */
export function tokenRates(whose: 'line' | 'admin', ofLine: number | null, limitOf: RateLimits) {
  const rate = ofLine && ofLine * (whose === 'admin' ? LINES_OF_AN_ADMIN : 1);

  function taking(of: 'changes' | 'reads', perMinute: number | null) {
    if (perMinute === null) return async () => null;
    const name = whose === 'admin' ? `admin-token-${of}` : `token-${of}`;
    const limit = limitOf(name, { burst: 2 * perMinute, interval: MINUTE / perMinute });
    return (id: number, more?: number): Promise<Allowance | null> =>
      takeForRequest(limit, id, more, (retryAfter) => tokenRateExceeded(whose, of, perMinute, retryAfter));
  }

  return {
    /** Counts a request that changes data, whatever its result. Null if there is no limit. */
    takeChange: taking('changes', rate),
    /** Counts a read. @param more an additional amount, for a large response */
    takeRead: taking('reads', rate && READS_FOR_A_CHANGE * rate),
  };
}
