import { tooManyWrongTokens, type Refusal } from '../../errors';
import { rateLimitKey } from '../../http/caller-address';
import { wholeSeconds, type RateLimits } from '../../primitives/rate-limit';
import { isDatabaseUnavailable } from '../../store/unavailable';
import { MINUTE } from '../../time';

export type TokenFailures = ReturnType<typeof tokenFailures>;

/**
 * Requests without the right token, by the address they come from. Beyond the limit they are refused as too many; a
 * right token is let in all the same, because behind a reverse proxy all customers come from one address.
 * @param perMinute as many at once, and as many a minute; null: any number
 * @param limitOf makes limits, which hold for all processes on the database
 */
export function tokenFailures(perMinute: number | null, limitOf: RateLimits) {
  const limit =
    perMinute === null ? null : limitOf('token', { burst: perMinute, interval: MINUTE / perMinute });

  return {
    /** Counts one more. @param address of the socket @returns what it is refused with once there are too many */
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
