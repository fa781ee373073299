import { tooManyPlatformReads } from '../../errors';
import { type Line } from '../../lines/line';
import { wholeSeconds, type RateLimits } from '../../primitives/rate-limit';
import { SECOND } from '../../time';

/**
 * 720 an hour, of the 5,000 that the platform grants a business account with a number in use. The rest is reserved
 * for the gateway's own reads of ratings and templates.
 */
const RATE = { burst: 60, interval: 5 * SECOND };

export type PlatformReads = ReturnType<typeof platformReads>;

/**
 * Limits the customers' reads that only the platform can answer, per business account like the platform's own limit.
 */
export function platformReads(limitOf: RateLimits) {
  const limit = limitOf('platform-read', RATE);
  return {
    /**
     * Counts a read.
     * @throws Refusal if the limit is reached
     */
    async take({ wabaId }: Line): Promise<void> {
      const { wait } = await limit.take(wabaId);
      if (wait) throw tooManyPlatformReads(wholeSeconds(wait));
    },
  };
}
