import { tokenRateExceeded } from '../../errors';
import { takeForRequest, type Allowance, type RateLimits } from '../../primitives/rate-limit';
import { MINUTE } from '../../time';

/** A look is cheaper than a change, and a form in n8n makes several of them each time it is opened. */
const READS_FOR_A_CHANGE = 10;

export type TokenRates = ReturnType<typeof tokenRates>;

/**
 * Limits of a line's tokens besides sends: changes and reads. An uploaded or downloaded file counts as a
 * read, because a message with a file needs it.
 * @param perMinute changes, and twice as many at once; ten times as many reads. Null: no limit
 * @param limitOf makes limits, which hold for all processes on the database
 */
export function tokenRates(perMinute: number | null, limitOf: RateLimits) {
  function taking(of: 'changes' | 'reads', rate: number | null) {
    if (rate === null) return async () => null;
    const limit = limitOf(`token-${of}`, { burst: 2 * rate, interval: MINUTE / rate });
    return (lineId: number, more?: number): Promise<Allowance | null> =>
      takeForRequest(limit, lineId, more, (retryAfter) => tokenRateExceeded(of, rate, retryAfter));
  }

  return {
    /** Counts a request that changes something, whatever its result. Null if there is no limit. */
    takeChange: taking('changes', perMinute),
    /** Counts a request that reads. @param more beside that request, for a large answer */
    takeRead: taking('reads', perMinute && READS_FOR_A_CHANGE * perMinute),
  };
}
