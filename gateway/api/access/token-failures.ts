import { tooManyWrongTokens, type Refusal } from '../../errors';
import { rateLimitKey } from '../../http/caller-address';
import { wholeSeconds, type RateLimits } from '../../primitives/rate-limit';
import { isDatabaseUnavailable } from '../../store/unavailable';
import { MINUTE } from '../../time';

export type TokenFailures = ReturnType<typeof tokenFailures>;

/**
 * Counts requests without a valid token, by address. Beyond the limit they are refused with 429. Valid tokens still
 * work, because all customers behind a reverse proxy share one address.
 * @param perMinute the burst and the rate; null: no limit
 * @param limitOf creates limits that apply across all processes on the database
 */
export function tokenFailures(perMinute: number | null, limitOf: RateLimits) {
  const limit =
    perMinute === null ? null : limitOf('token', { burst: perMinute, interval: MINUTE / perMinute });

  return {
    /**
     * Counts a request.
     * @param address of the socket
     * @returns a refusal when the limit is reached
     */
    async take(address: string): Promise<Refusal | null> {
      if (!limit) return null;
      const { wait } = await limit.take(rateLimitKey(address)).catch((error: unknown) => {
        // The response then reports the request's own fault, uncounted.
        if (isDatabaseUnavailable(error)) return { wait: 0 };
        throw error;
      });
      return wait ? tooManyWrongTokens(limit.burst, wholeSeconds(wait)) : null;
    },
  };
}
