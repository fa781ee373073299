import { tooManyPlatformReads } from '../../errors';
import { type Line } from '../../lines/line';
import { wholeSeconds, type RateLimits } from '../../primitives/rate-limit';
import { SECOND } from '../../time';

/**
 * 720 an hour, of the 5,000 that the platform grants a business account with a number in use: what customers read must
 * not use up what the gateway needs for ratings and templates.
 */
const RATE = { burst: 60, interval: 5 * SECOND };

export type PlatformReads = ReturnType<typeof platformReads>;

/** What customers read that only the platform can answer, by the business account, as the platform counts. */
export function platformReads(limitOf: RateLimits) {
  const limit = limitOf('platform-read', RATE);
  return {
    /**
     * Counts one more.
     * @throws Refusal if there were too many
     */
    async take({ wabaId }: Line): Promise<void> {
      const { wait } = await limit.take(wabaId);
      if (wait) throw tooManyPlatformReads(wholeSeconds(wait));
    },
  };
}
