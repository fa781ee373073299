import { tooManyWrongTokens, type Refusal } from '../errors';
import { countedAddress } from '../http/caller-address';
import { rateLimit, wholeSeconds } from '../rate-limit';
import { MINUTE, type Clock } from '../time';

export type TokenFailures = ReturnType<typeof tokenFailures>;

/**
 * Requests without the right token, by the address they come from. Beyond the limit they are refused as too many; a
 * right token is let in all the same, because behind a reverse proxy all customers come from one address. Counted in
 * this process alone.
 * @param perMinute as many at once, and as many a minute; null: any number
 */
export function tokenFailures(perMinute: number | null, clock: Clock) {
  const limit =
    perMinute === null ? null : rateLimit({ burst: perMinute, interval: MINUTE / perMinute }, clock);

  return {
    /** Counts one more. @param address of the socket @returns what it is refused with once there are too many */
    take(address: string): Refusal | null {
      if (!limit) return null;
      const { wait } = limit.take(countedAddress(address));
      return wait ? tooManyWrongTokens(limit.burst, wholeSeconds(wait)) : null;
    },
  };
}
