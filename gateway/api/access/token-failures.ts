import { tooManyWrongTokens, type Refusal } from '../../errors';
import { rateLimitKey } from '../../http/caller-address';
import { wholeSeconds, type RateLimits } from '../../primitives/rate-limit';
import { isDatabaseUnavailable } from '../../store/unavailable';
import { MINUTE } from '../../time';

export type TokenFailures = ReturnType<typeof tokenFailures>;

/**
 * Requests without the right token, by address. Beyond the limit they are refused as too many. A right token
 * still works, because behind a reverse proxy all customers have one address.
 * @param perMinute the burst and the rate; null: no limit
 * @param limitOf makes limits, which hold for all processes on the database
 */
export function tokenFailures(perMinute: number | null, limitOf: RateLimits) {
  const limit =
    perMinute === null ? null : limitOf('token', { burst: perMinute, interval: MINUTE / perMinute });

  return {
    /**
     * Counts one more.
     * @param address of the socket
     * @returns the refusal once there are too many
     */
    async take(address: string): Promise<Refusal | null> {
      if (!limit) return null;
      const { wait } = await limit.take(rateLimitKey(address)).catch((error: unknown) => {
        // The answer says what is wrong with the request although it does not count.
        if (isDatabaseUnavailable(error)) return { wait: 0 };
        throw error;
      });
      return wait ? tooManyWrongTokens(limit.burst, wholeSeconds(wait)) : null;
    },
  };
}
