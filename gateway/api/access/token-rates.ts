import { tokenRateExceeded } from '../../errors';
import { takeForRequest, type Allowance, type RateLimits } from '../../primitives/rate-limit';
import { MINUTE } from '../../time';

/** A read costs less than a change, and a form in n8n makes several reads whenever it is opened. */
const READS_FOR_A_CHANGE = 10;

export type TokenRates = ReturnType<typeof tokenRates>;

/**
 * Rate limits of a line's tokens, except for sends: changes and reads. An upload or download of a file counts as a
 * read, because a message with a file needs it.
 * @param perMinute changes, with a burst of twice as many; ten times as many reads. Null: no limit
 * @param limitOf creates limits that apply across all processes on the database
 */
export function tokenRates(perMinute: number | null, limitOf: RateLimits) {
  function taking(of: 'changes' | 'reads', rate: number | null) {
    if (rate === null) return async () => null;
    const limit = limitOf(`token-${of}`, { burst: 2 * rate, interval: MINUTE / rate });
    return (key: number | string, more?: number): Promise<Allowance | null> =>
      takeForRequest(limit, key, more, (retryAfter) => tokenRateExceeded(of, rate, retryAfter));
  }

  return {
    /** Counts a request that changes data, whatever its result. Null if there is no limit. */
    takeChange: taking('changes', perMinute),
    /** Counts a read. @param more an additional amount, for a large response */
    takeRead: taking('reads', perMinute && READS_FOR_A_CHANGE * perMinute),
  };
}
