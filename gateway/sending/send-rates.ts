import { lineRateExceeded, pairLimitExceeded, type Refusal } from '../errors';
import { takeForRequest, wholeSeconds, type Allowance, type RateLimits } from '../primitives/rate-limit';
import { SECOND } from '../time';

/** The platform's limit: after a burst of this many to one contact, one every six seconds. */
const PAIR_INTERVAL = 6 * SECOND;

/** How fast lines may send; null: as fast as they like. */
export interface SendLimits {
  /** Sends a second on one line; bursts of twice as many. */
  lineRate: number | null;
  /** The burst from a line to one contact. */
  pairLimit: number | null;
}

/** Bytes of a body: each further one takes as much time as another send. */
const BYTES_OF_A_SEND = 16 * 1024;

/** As how many sends a body of that size counts. */
export const sendsIn = (bytes: number): number => Math.max(1, Math.ceil(bytes / BYTES_OF_A_SEND));

export type SendRates = ReturnType<typeof sendRates>;

/** @param limitOf makes limits, which hold for all processes on the database */
export function sendRates({ lineRate, pairLimit }: SendLimits, limitOf: RateLimits) {
  const ofLines =
    lineRate === null ? null : limitOf('line', { burst: 2 * lineRate, interval: SECOND / lineRate });
  const ofPairs = pairLimit === null ? null : limitOf('pair', { burst: pairLimit, interval: PAIR_INTERVAL });

  return {
    /**
     * Counts a request to send, also one that is refused later. Null if lines are not limited. @param more counts
     * for a large body
     */
    async takeLine(lineId: number, more?: number): Promise<Allowance | null> {
      if (!ofLines) return null;
      return takeForRequest(ofLines, lineId, more, (retryAfter) =>
        lineRateExceeded(ofLines.burst / 2, retryAfter),
      );
    },

    /** Counts a message before it is sent; refuses it if the platform would refuse it as too many. */
    async takePair(lineId: number, contact: string): Promise<Refusal | null> {
      if (!ofPairs) return null;
      const { wait } = await ofPairs.take(`${lineId} ${contact}`);
      return wait ? pairLimitExceeded(contact, ofPairs.burst, wholeSeconds(wait)) : null;
    },
  };
}
